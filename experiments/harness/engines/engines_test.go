package engines

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/ottest"
)

// partial has no values, unbalanced transport or barycenters until they have converged.
type partial struct{ ot.Engine }

func (e partial) Distances(ctx context.Context, p *ot.Problem, yield func(int, []ot.Result) error) error {
	if p.Values || p.Penalty != 0 {
		return errors.ErrUnsupported
	}
	return e.Engine.Distances(ctx, p, yield)
}

func (e partial) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	if p.Values || p.Penalty != 0 {
		return nil, errors.ErrUnsupported
	}
	return e.Engine.Plan(ctx, p, pair)
}

func (e partial) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error,
) error {
	if p.UntilConverged {
		return errors.ErrUnsupported
	}
	return e.Engine.Barycenters(ctx, p, yield)
}

// TestComplete: an engine that lacks kinds of problems passes the suite with all of them.
func TestComplete(t *testing.T) {
	ottest.Run(t, newComplete(partial{cpu.New()}))
}

// The first problem that an engine lacks is told of, and the others are solved without a word.
func TestCompleteWarnsOnce(t *testing.T) {
	var log bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))

	engine := newComplete(partial{cpu.New()})
	p := &ot.BarycenterProblem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: 1e-4},
		Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}},
		Rows:     ot.Histograms{K: 2, Data: []float32{0.9, 0.1, 0.1, 0.9}},
		Offsets:  []int{0, 2}, Members: []int32{0, 1}, Weights: []float32{0.5, 0.5},
		UntilConverged: true,
	}
	for range 2 {
		results, err := ot.Barycenters(t.Context(), engine, p)
		if err != nil {
			t.Fatal(err)
		}
		// By symmetry the barycenter is even.
		if h := results[0].Histogram; math.Abs(float64(h[0])-0.5) > 1e-4 {
			t.Errorf("%v, expected an even histogram", h)
		}
	}
	if n := strings.Count(log.String(), "solved by the engine cpu"); n != 1 {
		t.Errorf("%d warnings, expected one:\n%s", n, &log)
	}
}
