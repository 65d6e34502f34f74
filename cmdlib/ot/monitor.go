package ot

import (
	"context"
	"sync"
)

// largestError is the marginal error of a plan, or the spread of a barycenter, up to which a
// result counts as settled where no smaller tolerance is asked for. Both are L1 errors of
// histograms that sum to 1, so a plan of this error takes half a per cent of the mass to wrong bins.
const largestError = 1e-2

// Settled tells whether a marginal error or a spread is at most largestError and at most
// the tolerance tol, if that is not 0. Result.Converged is always false where no tolerance is set.
func Settled(err, tol float64) bool { return err <= settledLimit(tol) }

func settledLimit(tol float64) float64 {
	if tol > 0 {
		return min(tol, largestError)
	}
	return largestError
}

// Monitor is an engine that keeps account of how well its problems converge, and those of the engines that it prepares.
// It may be used from several goroutines at once.
type Monitor struct {
	Engine

	parent                 *Monitor // that prepared this one, or nil
	mu                     sync.Mutex
	transport, barycenters Convergence
}

// Convergence is an account of problems of one kind.
type Convergence struct {
	// Problems is how many there were, Unsettled how many of them are not Settled.
	Problems, Unsettled int
	// Iterations is the largest number that a problem took.
	Iterations int
	// Error is the largest marginal error (of transport) or spread (of barycenters), and Limit what
	// Settled compares it with.
	Error, Limit float64
	// Left is the largest Barycenter.Error, what a barycenter still has to go to its limit. One above largestError is
	// not settled, either.
	Left float64
}

func (c *Convergence) add(err, left float64, iterations int, tol float64) {
	if c.Problems++; c.Problems == 1 || err > c.Error {
		c.Error, c.Limit = err, settledLimit(tol)
	}
	if !Settled(err, tol) || left > largestError {
		c.Unsettled++
	}
	c.Iterations, c.Left = max(c.Iterations, iterations), max(c.Left, left)
}

// Convergence returns the accounts of all transport problems, plans among them, and of all barycenters so far.
func (m *Monitor) Convergence() (transport, barycenters Convergence) {
	m = m.root()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.transport, m.barycenters
}

// add takes the result of a transport problem.
func (m *Monitor) add(r *Result, tol float64) {
	m = m.root()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.transport.add(r.MarginalError, 0, r.Iterations, tol)
}

// root is the monitor that keeps the account.
func (m *Monitor) root() *Monitor {
	if m.parent != nil {
		return m.parent
	}
	return m
}

// Prepare is that of the engine, monitored by m.
func (m *Monitor) Prepare(cost Cost) Engine {
	return &Monitor{Engine: m.Engine.Prepare(cost), parent: m.root()}
}

// Distances is that of the engine.
func (m *Monitor) Distances(ctx context.Context, p *Problem, yield func(first int, results []Result) error) error {
	return m.Engine.Distances(ctx, p, func(first int, results []Result) error {
		for i := range results {
			m.add(&results[i], p.Tol)
		}
		return yield(first, results)
	})
}

// Plan is that of the engine.
func (m *Monitor) Plan(ctx context.Context, p *Problem, pair int) (*Plan, error) {
	plan, err := m.Engine.Plan(ctx, p, pair)
	if err == nil {
		m.add(&plan.Result, p.Tol)
	}
	return plan, err
}

// Barycenters is that of the engine.
func (m *Monitor) Barycenters(
	ctx context.Context, p *BarycenterProblem, yield func(first int, results []Barycenter) error,
) error {
	root := m.root()
	return m.Engine.Barycenters(ctx, p, func(first int, results []Barycenter) error {
		root.mu.Lock()
		for _, r := range results {
			root.barycenters.add(r.Spread, r.Error, r.Iterations, p.Tol)
		}
		root.mu.Unlock()
		return yield(first, results)
	})
}

// Rectangle is that of the engine.
func (m *Monitor) Rectangle(ctx context.Context, b *Batch, r *Rectangle) (Result, error) {
	result, err := m.Engine.Rectangle(ctx, b, r)
	if err == nil {
		m.add(&result, b.Tol)
	}
	return result, err
}
