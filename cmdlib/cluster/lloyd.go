package cluster

import (
	"context"
	"math"
	"slices"

	"contextmover/internal/parallel"
)

// lloyd is the state of the iteration.
type lloyd struct {
	*points
	k          int
	spherical  bool
	centroids  []float32
	assignment []int32 // −1 before the first assignment
	// upper is an upper bound of the distance of each point to its centroid.
	upper []float64
	// lower, n×groups, less drift of the group, is a lower bound of the distance of each point to all centroids
	// of a group but its own. Centroids that follow each other are a group: groups of similar ones spare no more.
	lower     []float32
	drift     []float64 // the sum over iterations of the farthest move of a centroid of each group
	groupSize int
	count     []int
	sum       []float64 // of the points of each cluster, before the changes
	changes   []change  // since the last update
}

// change is the move of a point from one cluster, or none (−1), to another.
type change struct{ point, from, to int32 }

const (
	leastGroup = 32 // centroids of a group: fewer would not fill the product's tiles
	mostGroups = 64 // which bounds the memory that their bounds take
)

func newLloyd(s *points, p Params, seeds []int) *lloyd {
	n := len(s.norm)
	l := &lloyd{
		points: s, k: p.K, spherical: p.Spherical,
		assignment: make([]int32, n), upper: make([]float64, n),
		count: make([]int, p.K), sum: make([]float64, p.K*s.dim),
	}
	l.groupSize = (p.K + mostGroups*leastGroup - 1) / (mostGroups * leastGroup) * leastGroup
	l.drift = make([]float64, (p.K+l.groupSize-1)/l.groupSize)
	l.lower = make([]float32, n*len(l.drift))
	for _, i := range seeds {
		l.centroids = append(l.centroids, s.row(i)...)
	}
	for i := range n {
		l.assignment[i], l.upper[i] = -1, math.Inf(1)
	}
	return l
}

func (l *lloyd) centroid(c int) []float32 { return l.centroids[c*l.dim:][:l.dim] }

// bound returns the lower bound of a point's distance to the centroids of a group but its own.
func (l *lloyd) bound(i, group int) float64 {
	return float64(l.lower[i*len(l.drift)+group]) - l.drift[group]
}

func (l *lloyd) setBound(i, group int, distance float64) {
	// Below the sum, whichever way it is rounded.
	l.lower[i*len(l.drift)+group] = float32((distance + l.drift[group]) * (1 - 0x1p-22))
}

// settled tells whether a point's own centroid is the nearest for sure.
func (l *lloyd) settled(i int) bool {
	upper := l.upper[i]
	for g, lower := range l.lower[i*len(l.drift):][:len(l.drift)] {
		if !(upper < float64(lower)-l.drift[g]) {
			return false
		}
	}
	return true
}

// assign takes each point to its nearest centroid, and returns the number of points
// that changed their cluster.
func (l *lloyd) assign(ctx context.Context) (int, error) {
	before := slices.Clone(l.assignment)
	groups := make([]*centres, len(l.drift))
	longest := float32(0)
	for g := range groups {
		groups[g] = newCentres(l.centroids[g*l.groupSize*l.dim:min(l.k, (g+1)*l.groupSize)*l.dim], l.dim)
		for _, half := range groups[g].half {
			longest = max(longest, -2*half)
		}
	}
	err := parallel.Workers(ctx, len(l.norm), blockSize, func() func(lo, hi int) error {
		b := &block{lloyd: l, longest: longest, best: make([]float32, blockSize), wanted: make([][]int32, len(groups))}
		for _, g := range groups {
			b.batches = append(b.batches, g.newBatch())
		}
		return func(lo, hi int) error {
			b.assign(lo, hi)
			return nil
		}
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

// A block assigns some points after others. It belongs to one goroutine.
type block struct {
	*lloyd
	longest float32 // squared norm of a centroid
	start   int     // the first point
	best    []float32
	open    []int32
	wanted  [][]int32 // by group: the points to be compared with it
	batches []*batch
}

func (b *block) assign(lo, hi int) {
	b.start, b.open = lo, b.open[:0]
	for i := lo; i < hi; i++ {
		if b.settled(i) {
			continue
		}
		b.open = append(b.open, int32(i))
		b.best[i-lo] = float32(math.Inf(-1))
		// A point's own group comes first: it tightens the bound that spares it others.
		own := max(0, int(b.assignment[i])/b.groupSize)
		b.wanted[own] = append(b.wanted[own], int32(i))
	}
	b.compare()
	for _, i := range b.open {
		own := int(b.assignment[i]) / b.groupSize
		for g := range b.wanted {
			if g != own && !(b.upper[i] < b.bound(int(i), g)) {
				b.wanted[g] = append(b.wanted[g], i)
			}
		}
	}
	b.compare()
}

// compare compares points with the centroids of the groups wanted.
func (b *block) compare() {
	for g, points := range b.wanted {
		see := func(i int, nearness []float32) { b.see(i, g, nearness) }
		for _, i := range points {
			if b.batches[g].add(b.points, int(i)) {
				b.batches[g].flush(see)
			}
		}
		b.batches[g].flush(see)
		b.wanted[g] = points[:0]
	}
}

// see takes a point to the nearest centroid of a group if that is
// nearer than its own, or as near and before it, and sets its bounds.
func (b *block) see(i, group int, nearness []float32) {
	at, best := b.assignment[i], &b.best[i-b.start]
	nearest := slices.Max(nearness)
	if nearest < *best || nearest == *best && int(at) < group*b.groupSize {
		b.setBound(i, group, b.distance(i, nearest, -1))
		return
	}
	if at >= 0 && int(at)/b.groupSize != group {
		// The group that it leaves has one centroid more that is not its own.
		left := int(at) / b.groupSize
		b.setBound(i, left, min(b.bound(i, left), b.distance(i, *best, -1)))
	}
	to := slices.Index(nearness, nearest)
	second := float32(math.Inf(-1))
	for j, v := range nearness {
		if j != to {
			second = max(second, v)
		}
	}
	*best, b.assignment[i] = nearest, int32(group*b.groupSize+to)
	b.upper[i] = b.distance(i, nearest, 1)
	b.setBound(i, group, b.distance(i, second, -1))
}

// distance returns a bound of the distance between a point and a
// centroid of that nearness: a lower or an upper one by the sign.
func (b *block) distance(i int, nearness float32, sign float64) float64 {
	rounding := float64(b.dim+4) * 0x1p-24 // of ‖x−c‖², relative to ‖x‖² + ‖c‖²
	slack := rounding * float64(b.norm[i]+b.longest)
	return math.Sqrt(max(0, float64(b.norm[i])-float64(2*float64(nearness))+float64(sign*slack)))
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
		// The new centroid voids the lower bounds of its group, and what left a cluster has no bound to that.
		groups := len(l.drift)
		for i := range l.assignment {
			l.lower[i*groups+c/l.groupSize] = 0
		}
		clear(l.lower[farthest*groups:][:groups])
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
					square += float64(v * v)
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
				square += float64(d * d)
				l.centroid(c)[j] = to
			}
			moved[c] = math.Sqrt(square)
		}
		return nil
	})
	if err != nil {
		return err
	}

	for g := range l.drift {
		l.drift[g] += slices.Max(moved[g*l.groupSize : min(l.k, (g+1)*l.groupSize)])
	}
	for i, c := range l.assignment {
		l.upper[i] += moved[c]
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
