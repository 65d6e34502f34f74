package method

import (
	"math/rand/v2"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
)

// Ground returns the cost between k centroids, of transport with the λ given. The seed decides what is shuffled.
func (c Cost) Ground(centroids []float32, k int, reg float64, seed uint64) (*ground.Ground, error) {
	g, err := ground.New(c.Arranged(centroids, k, seed), k, len(centroids)/k, c.Params(reg))
	if err == nil {
		c.Flatten(g.Data, k)
	}
	return g, err
}

// Arranged returns the k centroids as they are, or in the order that the seed gives where the geometry is Shuffled.
func (c Cost) Arranged(centroids []float32, k int, seed uint64) []float32 {
	if c.Geometry != Shuffled {
		return centroids
	}
	dim := len(centroids) / k
	shuffled := make([]float32, 0, len(centroids))
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(k) {
		shuffled = append(shuffled, centroids[i*dim:][:dim]...)
	}
	return shuffled
}

// Flatten makes all costs between different bins their mean where the geometry is Discrete.
func (c Cost) Flatten(cost []float32, k int) {
	if c.Geometry != Discrete {
		return
	}
	sum := 0.0
	for i, between := range cost {
		if i/k != i%k {
			sum += float64(between)
		}
	}
	mean := float32(sum / float64(max(k*(k-1), 1)))
	for i := range cost {
		if cost[i] = mean; i/k == i%k {
			cost[i] = 0
		}
	}
}

// Permute returns a cost in which bin i has the place of bin from[i].
func Permute(cost ot.Cost, from []int) ot.Cost {
	moved := ot.Cost{K: cost.K}
	for _, i := range from {
		for _, j := range from {
			moved.Data = append(moved.Data, cost.Data[i*cost.K+j])
		}
	}
	return moved
}
