package method

import (
	"math/rand/v2"

	"contextmover/cmdlib/ground"
)

// Ground returns the cost between k centroids, of transport with the λ given. What is shuffled is so by the seed.
func (c Cost) Ground(centroids []float32, k int, reg float64, seed uint64) (*ground.Ground, error) {
	dim := len(centroids) / k
	if c.Geometry == Shuffled {
		shuffled := make([]float32, 0, len(centroids))
		for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(k) {
			shuffled = append(shuffled, centroids[i*dim:][:dim]...)
		}
		centroids = shuffled
	}
	g, err := ground.New(centroids, k, dim, c.Params(reg))
	if err == nil && c.Geometry == Discrete {
		flatten(g.Data, k)
	}
	return g, err
}

// flatten makes all costs between different bins their mean.
func flatten(cost []float32, k int) {
	sum := 0.0
	for i, c := range cost {
		if i/k != i%k {
			sum += float64(c)
		}
	}
	mean := float32(sum / float64(max(k*(k-1), 1)))
	for i := range cost {
		if cost[i] = mean; i/k == i%k {
			cost[i] = 0
		}
	}
}
