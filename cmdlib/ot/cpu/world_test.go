package cpu

import (
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/ot"
)

// world draws n histograms of which a third of the bins carry mass and the Euclidean
// cost between k random points, divided by its median (about 1).
func world(n, k int) (ot.Cost, ot.Histograms) {
	rng := rand.New(rand.NewPCG(uint64(k), 1))
	const dim = 20
	points := make([]float64, k*dim)
	for i := range points {
		points[i] = rng.NormFloat64()
	}
	cost := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range k {
			var sum float64
			for d := range dim {
				x := points[i*dim+d] - points[j*dim+d]
				sum += x * x
			}
			cost.Data[i*k+j] = float32(math.Sqrt(sum / (2 * dim)))
		}
	}
	rows := ot.Histograms{K: k, Data: make([]float32, n*k)}
	for i := range n {
		row := rows.Row(i)
		var sum float64
		for j := range row {
			if rng.IntN(3) == 0 || j == i%k {
				row[j] = float32(rng.ExpFloat64())
				sum += float64(row[j])
			}
		}
		for j := range row {
			row[j] = float32(float64(row[j]) / sum)
		}
	}
	return cost, rows
}
