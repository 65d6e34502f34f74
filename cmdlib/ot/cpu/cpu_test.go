package cpu

import (
	"reflect"
	"testing"

	"contextmover/cmdlib/internal/sgemm"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/ottest"
)

// TestConformance runs the suite on every implementation of the inner loops.
func TestConformance(t *testing.T) {
	for _, isa := range sgemm.Supported() {
		t.Run(string(isa), func(t *testing.T) { ottest.Run(t, Engine{isa}) })
	}
}

// TestInstructionSets: AVX2 and AVX-512 give the same bits, on both paths.
func TestInstructionSets(t *testing.T) {
	cost, rows := world(10, 45)
	for _, reg := range []float64{0.1, 0.005} {
		p := &ot.Problem{Settings: ot.Settings{Reg: reg, MaxIter: 40, Tol: 1e-4}, Cost: cost, Rows: rows}
		g := &ot.BarycenterProblem{Settings: p.Settings, Cost: cost, Rows: rows, Offsets: []int{0, 3, 10}, Debiased: true}
		for i := range 10 {
			p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(9 - i)})
			g.Members = append(g.Members, int32(i))
			g.Weights = append(g.Weights, []float32{1. / 3, 1. / 7}[min(1, i/3)])
		}
		p.Border = &ot.Border{Mass: 0.4, FromPoint: rows.Data, ToPoint: rows.Data, Between: make([]float32, 10)}
		var distances []ot.Result
		var barycenters []ot.Barycenter
		for _, isa := range sgemm.Supported() {
			if isa == sgemm.Go {
				continue
			}
			d, err := ot.Distances(t.Context(), Engine{isa}, p)
			if err != nil {
				t.Fatal(err)
			}
			b, err := ot.Barycenters(t.Context(), Engine{isa}, g)
			if err != nil {
				t.Fatal(err)
			}
			if distances == nil {
				distances, barycenters = d, b
			}
			if !reflect.DeepEqual(d, distances) || !reflect.DeepEqual(b, barycenters) {
				t.Errorf("λ=%v: %s gives other bits", reg, isa)
			}
		}
	}
}
