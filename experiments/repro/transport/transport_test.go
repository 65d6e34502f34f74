package transport

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// byTolerance stands for an engine, of any name, that cannot tell how far a barycenter is from its limit.
type byTolerance struct{ reference.Engine }

func (byTolerance) Name() string { return "by tolerance" }

func (e byTolerance) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error,
) error {
	if p.UntilConverged {
		return fmt.Errorf("until converged: %w", errors.ErrUnsupported)
	}
	return e.Engine.Barycenters(ctx, p, yield)
}

// What an engine can do is asked of it, not told from its name.
func TestBarycenterOfAnyEngine(t *testing.T) {
	for _, engine := range []ot.Engine{byTolerance{}, reference.Engine{}} {
		p := &ot.BarycenterProblem{
			Settings: ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: 1e-4},
			Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}},
			Rows:     ot.Histograms{K: 2, Data: []float32{0.9, 0.1, 0.1, 0.9}},
			Offsets:  []int{0, 2}, Members: []int32{0, 1}, Weights: []float32{0.5, 0.5},
		}
		out, err := average(t.Context(), engine, p)
		if err != nil {
			t.Fatalf("%s: %v", engine.Name(), err)
		}
		// By symmetry the barycenter is even.
		if len(out.Barycenter) != 2 || max(out.Barycenter[0]-0.5, 0.5-out.Barycenter[0]) > 1e-4 || !out.Converged {
			t.Errorf("%s: %+v, expected [0.5 0.5], converged", engine.Name(), out)
		}
	}
}
