package convergence

import (
	"log/slog"
	"strconv"

	"contextmover/cmdlib/ot"
)

// Unconverged says what it means that a marginal error is not ot.Settled.
const Unconverged = "transport has not converged: half the marginal error is mass that ends in wrong bins, so costs " +
	"and plans are not to be trusted"

// Worst is the worst of all problems: what an answer in JSON tells of them.
type Worst struct {
	Iterations    int     `json:"iterations"` // of transport
	MarginalError float64 `json:"marginal_error"`
	// Spread and FromLimit (ot.Barycenter.Error) are those of barycenters, nil if there was none or the engine does
	// not tell.
	Spread    *float64 `json:"spread,omitempty"`
	FromLimit *float64 `json:"from_limit,omitempty"`
	Converged bool     `json:"converged"`
}

// Warn logs a line for each kind of problem of which one did not converge; hint says what helps. It returns the worst
// of all, nil if no transport problem was solved.
func Warn(m *ot.Monitor, hint string) *Worst {
	transport, barycenters := m.Convergence()
	warn(transport, Unconverged, "marginal_error", hint)
	warn(barycenters, "a barycenter has not converged: its members' estimates of it still differ by the spread, or it "+
		"is far from its limit, so it is not to be trusted", "spread", hint)
	if transport.Problems == 0 {
		return nil
	}
	c := &Worst{
		Iterations: transport.Iterations, MarginalError: transport.Error,
		Converged: transport.Unsettled+barycenters.Unsettled == 0,
	}
	if barycenters.Problems > 0 {
		c.Spread = &barycenters.Error
		if barycenters.Left > 0 {
			c.FromLimit = &barycenters.Left
		}
	}
	return c
}

func warn(kind ot.Convergence, message, name, hint string) {
	if kind.Unsettled > 0 {
		fields := []any{name, short(kind.Error), "expected_at_most", short(kind.Limit)}
		if kind.Left > 0 {
			fields = append(fields, "from_limit", short(kind.Left))
		}
		slog.Warn(message, append(fields,
			"problems", strconv.Itoa(kind.Unsettled)+" of "+strconv.Itoa(kind.Problems),
			"iterations", kind.Iterations, "hint", hint)...)
	}
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 2, 64) }
