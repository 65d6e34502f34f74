package experiments

import (
	"context"
	"log/slog"
	"strconv"
	"sync"

	"contextmover/cmdlib/ot"
)

// LargestError is the marginal error of a plan, or the spread of a barycenter, up to which a
// result counts as converged where no smaller tolerance is asked for. Both are L1 errors of
// histograms that sum to 1, so a plan of this error takes half a per cent of the mass to wrong bins.
const LargestError = 1e-2

// Unconverged says what it means that the marginal error is larger.
const Unconverged = "transport has not converged: half the marginal error is mass that ends in wrong bins, so costs and plans are not to be trusted"

// Converged tells whether a marginal error or a spread is at most LargestError and at most
// the tolerance tol, if that is not 0. ot.Result.Converged is always false where no tolerance is set.
func Converged(err, tol float64) bool { return err <= limit(tol) }

func limit(tol float64) float64 {
	if tol > 0 {
		return min(tol, LargestError)
	}
	return LargestError
}

// Watch is an engine that keeps account of how well its problems converge.
type Watch struct {
	ot.Engine
	mu                     sync.Mutex
	transport, barycenters account
}

// account is of all problems of a kind.
type account struct {
	problems, missed int
	iterations       int     // most of one problem
	error            float64 // largest
	limit            float64 // that of the problem with the largest error
}

func (a *account) add(err float64, iterations int, tol float64) {
	if a.problems++; a.problems == 1 || err > a.error {
		a.error, a.limit = err, limit(tol)
	}
	if !Converged(err, tol) {
		a.missed++
	}
	a.iterations = max(a.iterations, iterations)
}

// Distances is that of the engine.
func (w *Watch) Distances(ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Result) error) error {
	return w.Engine.Distances(ctx, p, func(first int, results []ot.Result) error {
		w.mu.Lock()
		for _, r := range results {
			w.transport.add(r.MarginalError, r.Iterations, p.Tol)
		}
		w.mu.Unlock()
		return yield(first, results)
	})
}

// Plan is that of the engine.
func (w *Watch) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	plan, err := w.Engine.Plan(ctx, p, pair)
	if err == nil {
		w.mu.Lock()
		w.transport.add(plan.MarginalError, plan.Iterations, p.Tol)
		w.mu.Unlock()
	}
	return plan, err
}

// Barycenters is that of the engine.
func (w *Watch) Barycenters(ctx context.Context, p *ot.BarycenterProblem, yield func(first int, results []ot.Barycenter) error) error {
	return w.Engine.Barycenters(ctx, p, func(first int, results []ot.Barycenter) error {
		w.mu.Lock()
		for _, r := range results {
			w.barycenters.add(r.Spread, r.Iterations, p.Tol)
		}
		w.mu.Unlock()
		return yield(first, results)
	})
}

// Convergence is the worst of all problems: what an answer in JSON tells of them.
type Convergence struct {
	Iterations    int      `json:"iterations"` // of transport
	MarginalError float64  `json:"marginal_error"`
	Spread        *float64 `json:"spread,omitempty"` // nil if there was no barycenter
	Converged     bool     `json:"converged"`
}

// Convergence returns nil if no transport problem was solved.
func (w *Watch) Convergence() *Convergence {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.transport.problems == 0 {
		return nil
	}
	c := &Convergence{
		Iterations: w.transport.iterations, MarginalError: w.transport.error,
		Converged: w.transport.missed+w.barycenters.missed == 0,
	}
	if w.barycenters.problems > 0 {
		c.Spread = &w.barycenters.error
	}
	return c
}

// Warn logs a line for each kind of problem of which one did not converge; cure says what helps.
func (w *Watch) Warn(cure string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, kind := range []struct {
		account
		message, error string
	}{
		{w.transport, Unconverged, "marginal_error"},
		{w.barycenters, "a barycenter has not converged: its members' estimates of it still differ by the spread, so it is not to be trusted", "spread"},
	} {
		if kind.missed > 0 {
			slog.Warn(kind.message, kind.error, short(kind.account.error), "expected_at_most", short(kind.limit),
				"problems", strconv.Itoa(kind.missed)+" of "+strconv.Itoa(kind.problems), "iterations", kind.iterations, "cure", cure)
		}
	}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 2, 64) }
