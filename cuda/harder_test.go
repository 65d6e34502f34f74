//go:build cuda || cudaemulation

package cuda

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// older is a device as if it had no kernels of tensor.cu.
type older struct{ device }

func (older) hopper() bool { return false }

// problem draws n histograms over k points of the plane and pairs of them.
func problem(k, n, pairs int, bordered bool) *ot.Problem {
	rng := rand.New(rand.NewPCG(uint64(k), uint64(pairs)))
	x := make([]float64, 2*k)
	for i := range x {
		x[i] = rng.Float64()
	}
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 20},
		Cost:     ot.Cost{K: k, Data: make([]float32, k*k)},
		Rows:     ot.Histograms{K: k, Data: make([]float32, n*k)},
	}
	for i := range k {
		for j := range k {
			p.Cost.Data[i*k+j] = float32(math.Hypot(x[2*i]-x[2*j], x[2*i+1]-x[2*j+1]))
		}
	}
	for i := range n {
		row := p.Rows.Row(i)
		var sum float64
		for j := range row {
			if rng.IntN(3) > 0 {
				row[j] = float32(rng.ExpFloat64())
			}
			sum += float64(row[j])
		}
		for j := range row {
			row[j] = float32(float64(row[j]) / sum)
		}
	}
	for range pairs {
		p.Pairs = append(p.Pairs, ot.Pair{Source: rng.Int32N(int32(n)), Target: rng.Int32N(int32(n))})
	}
	if bordered {
		draw := func(n int) []float32 {
			y := make([]float32, n)
			for i := range y {
				y[i] = rng.Float32()
			}
			return y
		}
		p.Border = &ot.Border{Mass: 0.3, FromPoint: draw(n * k), ToPoint: draw(n * k), Between: draw(pairs)}
	}
	return p
}

// grouped makes barycenters of the problem's rows in groups of the given sizes.
func grouped(p *ot.Problem, sizes ...int) *ot.BarycenterProblem {
	rng := rand.New(rand.NewPCG(1, uint64(p.Cost.K)))
	g := &ot.BarycenterProblem{Settings: p.Settings, Cost: p.Cost, Rows: p.Rows, Offsets: []int{0}}
	for _, n := range sizes {
		for range n {
			g.Members = append(g.Members, rng.Int32N(int32(p.Rows.Len())))
			g.Weights = append(g.Weights, 1/float32(n))
		}
		g.Offsets = append(g.Offsets, len(g.Members))
	}
	return g
}

// harder compares larger problems than the conformance suite's with the reference.
func harder(t *testing.T, e ot.Engine) {
	for _, k := range []int{100, 203} {
		tolerance := float64(3*k+64) * 0x1p-24
		for _, bordered := range []bool{false, true} {
			p := problem(k, 6, 3, bordered)
			want, err := ot.Distances(t.Context(), reference.New(), p)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ot.Distances(t.Context(), e, p)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				if math.Abs(got[i].Cost-want[i].Cost) > tolerance || math.Abs(got[i].MarginalError-want[i].MarginalError) > 2*tolerance {
					t.Errorf("K=%d border=%v pair %d: %+v, want %+v", k, bordered, i, got[i], want[i])
				}
			}
		}
		for _, debiased := range []bool{false, true} {
			g := grouped(problem(k, 6, 0, false), 3)
			g.MaxIter, g.Debiased = 5, debiased
			want, err := ot.Barycenters(t.Context(), reference.New(), g)
			if err != nil {
				t.Fatal(err)
			}
			got, err := ot.Barycenters(t.Context(), e, g)
			if err != nil {
				t.Fatal(err)
			}
			for i := range want {
				var d float64
				for j, x := range want[i].Histogram {
					d += math.Abs(float64(x) - float64(got[i].Histogram[j]))
				}
				if d > 4*tolerance {
					t.Errorf("K=%d debiased=%v group %d: %g away", k, debiased, i, d)
				}
			}
		}
	}
	// Two runs give the same bits.
	p := problem(60, 20, 100, false)
	p.Tol, p.MaxIter = 1e-3, 100
	first, err := ot.Distances(t.Context(), e, p)
	if err != nil {
		t.Fatal(err)
	}
	second, err := ot.Distances(t.Context(), e, p)
	if err != nil || !slices.Equal(first, second) {
		t.Errorf("two runs differ (error %v)", err)
	}
}

// everyTensorKernel checks that each kernel of tensor.cu agrees with the reference, for symmetric and asymmetric costs, and that
// the result of a pair depends neither on its neighbours nor on when it is solved.
func everyTensorKernel(t *testing.T, e ot.Engine) {
	for _, k := range []int{40, 100, 130, 290, 310} {
		for _, asymmetric := range []bool{false, true} {
			t.Run(fmt.Sprintf("K=%d, asymmetric %v", k, asymmetric), func(t *testing.T) {
				if testing.Short() && k > 130 {
					t.Skip("slow")
				}
				p := problem(k, 5, 150, false)
				if k > 200 {
					p.Pairs = p.Pairs[:70]
				}
				p.Tol, p.MaxIter = 0.02, 13
				if asymmetric {
					p.Cost.Data[1] *= 1.5
				}
				got, err := ot.Distances(t.Context(), e, p)
				if err != nil {
					t.Fatal(err)
				}
				one := *p
				one.Pairs = p.Pairs[3:8]
				want, err := ot.Distances(t.Context(), reference.New(), &one)
				if err != nil {
					t.Fatal(err)
				}
				few, err := ot.Distances(t.Context(), e, &one)
				if err != nil {
					t.Fatal(err)
				}
				tolerance := float64(3*k+64) * 0x1p-24
				for i := range want {
					g := got[3+i]
					if g != few[i] {
						t.Errorf("pair %d: %+v among others, %+v among few", i, g, few[i])
					}
					if math.Abs(g.Cost-want[i].Cost) > tolerance || g.Iterations != want[i].Iterations ||
						math.Abs(g.MarginalError-want[i].MarginalError) > 2*tolerance {
						t.Errorf("pair %d: %+v, want %+v", i, g, want[i])
					}
				}
			})
		}
	}
}
