package cluster

import (
	"context"
	"math"

	"contextmover/cmdlib/internal/parallel"
)

// lloyd is the state of the iteration.
type lloyd struct {
	*points
	k          int
	spherical  bool
	centroids  []float32
	assignment []int32 // −1 before the first assignment
	// upper is an upper bound of the distance of each point to its centroid, lower a
	// lower bound of that to all others.
	upper, lower []float64
	count        []int
	dirty        []bool // clusters whose points changed since their centroid was computed
}

func newLloyd(s *points, p Params, seeds []int) *lloyd {
	n := len(s.norm)
	l := &lloyd{
		points: s, k: p.K, spherical: p.Spherical,
		assignment: make([]int32, n), upper: make([]float64, n), lower: make([]float64, n),
		count: make([]int, p.K), dirty: make([]bool, p.K),
	}
	for _, i := range seeds {
		l.centroids = append(l.centroids, s.row(i)...)
	}
	for i := range n {
		l.assignment[i], l.upper[i] = -1, math.Inf(1)
	}
	return l
}

func (l *lloyd) centroid(c int) []float32 { return l.centroids[c*l.dim:][:l.dim] }

// assign takes each point to its nearest centroid, and returns the number of points
// that changed their cluster.
func (l *lloyd) assign(ctx context.Context) (int, error) {
	n := len(l.norm)
	before := make([]int32, n)
	copy(before, l.assignment)
	c := newCentres(l.centroids, l.dim)
	largest := float32(0)
	for _, half := range c.half {
		largest = max(largest, 2*half)
	}
	// A bound of the rounding of ‖x‖² − 2x·c + ‖c‖², relative to ‖x‖² + ‖c‖².
	rounding := float64(l.dim+4) * 0x1p-24

	err := parallel.Workers(ctx, n, blockSize, func() (func(lo, hi int) error, func()) {
		b := c.newBatch()
		nearest := func(i int, products []float32) {
			// ‖x−c‖² = ‖x‖² + 2·(‖c‖²/2 − x·c)
			best, second, at := float32(math.Inf(1)), float32(math.Inf(1)), 0
			for j, product := range products {
				if d := c.half[j] - product; d < second {
					if d < best {
						best, second, at = d, best, j
					} else {
						second = d
					}
				}
			}
			slack := rounding * float64(l.norm[i]+largest)
			l.assignment[i] = int32(at)
			l.upper[i] = math.Sqrt(max(0, float64(l.norm[i])+2*float64(best)+slack))
			l.lower[i] = math.Sqrt(max(0, float64(l.norm[i])+2*float64(second)-slack))
		}
		return func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				if l.upper[i] < l.lower[i] {
					continue
				}
				if at := l.assignment[i]; at >= 0 {
					l.upper[i] = math.Sqrt(distance(l.row(i), l.centroid(int(at)))) * (1 + 1e-12)
					if l.upper[i] < l.lower[i] {
						continue
					}
				}
				if b.add(l.points, i) {
					b.flush(nearest)
				}
			}
			b.flush(nearest)
			return nil
		}, func() {}
	})
	if err != nil {
		return 0, err
	}
	changed := 0
	for i, now := range l.assignment {
		if now == before[i] {
			continue
		}
		l.move(before[i], now)
		changed++
	}
	return changed, nil
}

// move notes that a point goes from one cluster to another.
func (l *lloyd) move(from, to int32) {
	if from >= 0 {
		l.count[from]--
		l.dirty[from] = true
	}
	l.count[to]++
	l.dirty[to] = true
}

// reseed makes a cluster of the point farthest from its centroid for each empty
// cluster, and returns the number of them.
func (l *lloyd) reseed() int {
	reseeded := 0
	for c := range l.k {
		if l.count[c] > 0 {
			continue
		}
		farthest, most := -1, -1.0
		for i, at := range l.assignment {
			if l.count[at] == 1 {
				continue
			}
			if d := distance(l.row(i), l.centroid(int(at))); d > most {
				farthest, most = i, d
			}
		}
		l.move(l.assignment[farthest], int32(c))
		l.assignment[farthest] = int32(c)
		copy(l.centroid(c), l.row(farthest))
		// The new centroid voids all lower bounds.
		for i := range l.lower {
			l.lower[i] = 0
		}
		reseeded++
	}
	return reseeded
}

// update moves the centroids to the means of their points, and the bounds with them.
func (l *lloyd) update(ctx context.Context) error {
	// Points by cluster, in the order of their index.
	start := make([]int, l.k+1)
	for c, count := range l.count {
		start[c+1] = start[c] + count
	}
	members := make([]int32, len(l.assignment))
	next := append([]int(nil), start[:l.k]...)
	for i, c := range l.assignment {
		members[next[c]] = int32(i)
		next[c]++
	}

	moved := make([]float64, l.k)
	err := parallel.Workers(ctx, l.k, 1, func() (func(lo, hi int) error, func()) {
		mean := make([]float64, l.dim)
		return func(c, _ int) error {
			if !l.dirty[c] {
				return nil
			}
			l.dirty[c] = false
			clear(mean)
			for _, i := range members[start[c]:start[c+1]] {
				for j, v := range l.row(int(i)) {
					mean[j] += float64(v)
				}
			}
			length := float64(l.count[c])
			if l.spherical {
				length = 0
				for _, v := range mean {
					length += v * v
				}
				length = math.Sqrt(length)
				if length < 1e-6*float64(l.count[c]) {
					return nil // opposite points have no mean direction
				}
			}
			square := 0.0
			for j, v := range mean {
				to := float32(v / length)
				d := float64(to) - float64(l.centroid(c)[j])
				square += d * d
				l.centroid(c)[j] = to
			}
			moved[c] = math.Sqrt(square)
			return nil
		}, func() {}
	})
	if err != nil {
		return err
	}

	first, second, at := 0.0, 0.0, -1
	for c, d := range moved {
		if d > first {
			first, second, at = d, first, c
		} else {
			second = max(second, d)
		}
	}
	for i, c := range l.assignment {
		l.upper[i] += moved[c]
		if int(c) == at {
			l.lower[i] -= second
		} else {
			l.lower[i] -= first
		}
	}
	return nil
}

// inertia returns the sum of squared distances to the centroids, in original units.
func (l *lloyd) inertia(ctx context.Context) (float64, error) {
	n := len(l.norm)
	sums := make([]float64, (n+blockSize-1)/blockSize)
	err := parallel.Blocks(ctx, n, blockSize, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			sums[lo/blockSize] += distance(l.row(i), l.centroid(int(l.assignment[i])))
		}
		return nil
	})
	total := 0.0
	for _, s := range sums {
		total += s
	}
	return total / (l.scale * l.scale), err
}
