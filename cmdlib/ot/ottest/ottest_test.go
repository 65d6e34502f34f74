package ottest

import (
	"context"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// deaf ignores that a context has ended, late ignores it until it returns.
type (
	deaf struct{ reference.Engine }
	late struct{ reference.Engine }
)

func (e deaf) Distances(ctx context.Context, p *ot.Problem, yield func(int, []ot.Result) error) error {
	return e.Engine.Distances(context.WithoutCancel(ctx), p, yield)
}

func (e late) Barycenters(ctx context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error) error {
	if err := e.Engine.Barycenters(context.WithoutCancel(ctx), p, yield); err != nil {
		return err
	}
	return ctx.Err()
}

// recorder counts errors instead of failing.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Errorf(string, ...any) { r.errors++ }

func TestContextIsHeeded(t *testing.T) {
	for name, c := range map[string]struct {
		engine ot.Engine
		fails  bool
	}{"reference": {reference.New(), false}, "deaf": {deaf{}, true}, "late": {late{}, true}} {
		r := &recorder{TB: t}
		newSuite(r, c.engine).context()
		if got := r.errors > 0; got != c.fails {
			t.Errorf("%s: %d errors, want some: %t", name, r.errors, c.fails)
		}
	}
}
