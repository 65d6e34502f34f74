// Package relaxation bounds transport costs from below without solving.
package relaxation

import (
	"cmp"
	"context"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// Relaxation bounds transport costs from below by relaxing one side's constraint to capacities. Each bin i of the one
// side sends its mass x_i to the bins j of the other where that is cheapest. None takes more than its own mass y_j
// from it,
//
//	B(x, y) = Σ_i min { Σ_j t_j C_ij : Σ_j t_j = x_i, 0 ≤ t_j ≤ y_j }             (1)
//
// the iterative constrained transfers of Atasu and Mittelholzer [2019]. Every plan T with
// row sums x and column sums y has 0 ≤ T_ij ≤ y_j, so its rows compete in (1):
// B(x, y) ≤ ⟨T, C⟩, for any cost C. With the sides exchanged and the cost transposed the same
// holds for the columns.
type Relaxation struct {
	k     int
	bins  []int32   // K×K: row i has the bins j by ascending cost C_ij
	costs []float64 // these costs
}

// New sorts the rows of a cost or, transposed, its columns.
func New(c ot.Cost, transposed bool) *Relaxation {
	k := c.K
	r := &Relaxation{k, make([]int32, k*k), make([]float64, k*k)}
	at := func(i int, j int32) float32 {
		if transposed {
			return c.Data[int(j)*k+i]
		}
		return c.Data[i*k+int(j)]
	}
	_ = parallel.Blocks(context.Background(), k, 8, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			bins := r.bins[i*k : (i+1)*k]
			for j := range bins {
				bins[j] = int32(j)
			}
			slices.SortFunc(bins, func(a, b int32) int {
				return cmp.Or(cmp.Compare(at(i, a), at(i, b)), cmp.Compare(a, b))
			})
			for n, j := range bins {
				r.costs[i*k+n] = float64(at(i, j))
			}
		}
		return nil
	})
	return r
}

// Bound returns (1), or a part of it that exceeds enough, which is a bound as well. Mass that finds no room,
// because the sums of x and y differ by rounding, costs nothing.
func (r *Relaxation) Bound(x, y []float32, enough float64) float64 {
	sum := 0.0
	for i, mass := range x {
		if sum > enough {
			break
		}
		if mass <= 0 {
			continue
		}
		costs := r.costs[i*r.k:][:r.k]
		for n, j := range r.bins[i*r.k:][:r.k] {
			room := y[j]
			if room >= mass {
				sum += float64(float64(mass) * costs[n])
				break
			}
			sum += float64(float64(room) * costs[n])
			mass -= room
		}
	}
	return sum
}
