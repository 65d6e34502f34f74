package cluster

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"

	"contextmover/internal/parallel"
)

// plusPlus returns the indices of k points drawn one after the other, the first
// uniformly, each next one with a probability proportional to D², the squared distance to
// the nearest point drawn before.
//
// Several are drawn between two updates of D², for the sake of a matrix product: a
// candidate drawn by the D² of the last update is accepted with the ratio of its
// present D² to that one, so that the law of what is accepted is the exact one.
func plusPlus(ctx context.Context, s *points, k int, seed uint64) ([]int, error) {
	const most = 32 // drawn between two updates
	n := len(s.norm)
	random := rand.New(rand.NewPCG(seed, 0))
	square := make([]float64, n) // D²
	for i := range square {
		square[i] = math.Inf(1)
	}
	sums := make([]float64, n)

	seeds := []int{random.IntN(n)}
	if err := lower(ctx, s, square, seeds); err != nil {
		return nil, err
	}
	for len(seeds) < k {
		total := 0.0
		for i, d := range square {
			total += d
			sums[i] = total
		}
		if total == 0 {
			return nil, fmt.Errorf("cluster: %d clusters of points of which only %d are distinct up to rounding; "+
				"expected at most that many clusters", k, len(seeds))
		}
		drawn := len(seeds)
		// Where few candidates are accepted, D² has fallen a lot.
		for try := 0; try < 2*most && len(seeds) < min(k, drawn+most); try++ {
			u := random.Float64() * total
			i := sort.Search(n-1, func(i int) bool { return sums[i] > u })
			now := square[i]
			for _, j := range seeds[drawn:] {
				now = min(now, distance(s.row(i), s.row(j)))
			}
			if random.Float64()*square[i] < now {
				seeds = append(seeds, i)
			}
		}
		if err := lower(ctx, s, square, seeds[drawn:]); err != nil {
			return nil, err
		}
	}
	return seeds, nil
}

// lower updates D² of all points by new seeds.
func lower(ctx context.Context, s *points, square []float64, seeds []int) error {
	rows := make([]float32, 0, len(seeds)*s.dim)
	for _, i := range seeds {
		rows = append(rows, s.row(i)...)
	}
	c := newCentres(rows, s.dim)
	return parallel.Workers(ctx, len(s.norm), blockSize, func() func(lo, hi int) error {
		b := c.newBatch()
		nearest := func(i int, nearness []float32) {
			for j, v := range nearness {
				d := float64(s.norm[i] - float32(2*v))
				// What is left of a difference of nearly equal numbers is rounding; points
				// equal to a seed must get 0, or they would be drawn again.
				if d < 1e-3*float64(s.norm[i]) {
					d = distance(s.row(i), rows[j*s.dim:][:s.dim])
				}
				square[i] = min(square[i], d)
			}
		}
		return func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				if b.add(s, i) {
					b.flush(nearest)
				}
			}
			b.flush(nearest)
			return nil
		}
	})
}
