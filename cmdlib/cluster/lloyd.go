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
	sum          []float64 // of the points of each cluster, before the changes
	changes      []change  // since the last update
}

// change is the move of a point from one cluster, or none (−1), to another.
type change struct{ point, from, to int32 }

func newLloyd(s *points, p Params, seeds []int) *lloyd {
	n := len(s.norm)
	l := &lloyd{
		points: s, k: p.K, spherical: p.Spherical,
		assignment: make([]int32, n), upper: make([]float64, n), lower: make([]float64, n),
		count: make([]int, p.K), sum: make([]float64, p.K*s.dim),
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
		largest = max(largest, -2*half)
	}
	// A bound of the rounding of ‖x−c‖², relative to ‖x‖² + ‖c‖².
	rounding := float64(l.dim+4) * 0x1p-24

	err := parallel.Workers(ctx, n, blockSize, func() (func(lo, hi int) error, func()) {
		b := c.newBatch()
		nearest := func(i int, nearness []float32) {
			first, second, at := float32(math.Inf(-1)), float32(math.Inf(-1)), 0
			for j, v := range nearness {
				if v > second {
					if v > first {
						first, second, at = v, first, j
					} else {
						second = v
					}
				}
			}
			slack := rounding * float64(l.norm[i]+largest)
			l.assignment[i] = int32(at)
			l.upper[i] = math.Sqrt(max(0, float64(l.norm[i])-2*float64(first)+slack))
			l.lower[i] = math.Sqrt(max(0, float64(l.norm[i])-2*float64(second)-slack))
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
		l.move(i, before[i], now)
		changed++
	}
	return changed, nil
}

// move notes that a point goes from one cluster to another.
func (l *lloyd) move(point int, from, to int32) {
	if from >= 0 {
		l.count[from]--
	}
	l.count[to]++
	l.changes = append(l.changes, change{int32(point), from, to})
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
		l.move(farthest, l.assignment[farthest], int32(c))
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
	// Each coordinate of a sum takes the changes in their order, whoever adds it.
	err := parallel.Blocks(ctx, l.dim, 32, func(lo, hi int) error {
		for _, change := range l.changes {
			x := l.row(int(change.point))[lo:hi]
			if change.from >= 0 {
				sum := l.sum[int(change.from)*l.dim:][lo:hi]
				for j, v := range x {
					sum[j] -= float64(v)
				}
			}
			sum := l.sum[int(change.to)*l.dim:][lo:hi]
			for j, v := range x {
				sum[j] += float64(v)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	dirty := make([]bool, l.k)
	for _, change := range l.changes {
		dirty[change.to] = true
		if change.from >= 0 {
			dirty[change.from] = true
		}
	}
	l.changes = l.changes[:0]

	moved := make([]float64, l.k)
	err = parallel.Blocks(ctx, l.k, 16, func(lo, hi int) error {
		for c := lo; c < hi; c++ {
			if !dirty[c] {
				continue
			}
			sum := l.sum[c*l.dim:][:l.dim]
			length := float64(l.count[c])
			if l.spherical {
				square := 0.0
				for _, v := range sum {
					square += v * v
				}
				length = math.Sqrt(square)
				if length < 1e-6*float64(l.count[c]) {
					continue // opposite points have no mean direction
				}
			}
			square := 0.0
			for j, v := range sum {
				to := float32(v / length)
				d := float64(to) - float64(l.centroid(c)[j])
				square += d * d
				l.centroid(c)[j] = to
			}
			moved[c] = math.Sqrt(square)
		}
		return nil
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
