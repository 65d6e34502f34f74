package convergence

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// One pair at rest and one far from it: all of a plan's and a batch's problems count, and the
// warning names the worst.
func TestTheWorstIsTold(t *testing.T) {
	var log bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))

	line := ot.Cost{K: 3, Data: []float32{0, 1, 2, 1, 0, 1, 2, 1, 0}}
	problem := &ot.Problem{
		Settings: ot.Settings{Reg: 0.01, MaxIter: 1}, Cost: line,
		Rows:  ot.Histograms{K: 3, Data: []float32{1, 0, 0, 0.2, 0.2, 0.6, 0.6, 0.3, 0.1}},
		Pairs: []ot.Pair{{Source: 0, Target: 0}, {Source: 1, Target: 2}},
	}
	w := &ot.Monitor{Engine: reference.New()}
	if Warn(w, "more patience") != nil {
		t.Error("there is a convergence of nothing")
	}
	results, err := ot.Distances(t.Context(), w, problem)
	if err != nil {
		t.Fatal(err)
	}
	worst := results[1].MarginalError
	if worst <= 1e-2 || results[0].MarginalError > 1e-2 {
		t.Fatalf("the errors are %v and %v: the test needs a small and a large one", results[0].MarginalError, worst)
	}
	if c := Warn(w, "more patience"); c.Converged || c.MarginalError != worst || c.Iterations != 1 || c.Spread != nil {
		t.Errorf("convergence %+v, want the error %v after 1 iteration", c, worst)
	}
	log.Reset()
	if _, err := w.Plan(t.Context(), problem, 0); err != nil {
		t.Fatal(err)
	}
	Warn(w, "more patience")
	for _, want := range []string{"level=WARN", "problems=\"1 of 3\"", "marginal_error=" + short(worst), "expected_at_most=0.01", "iterations=1", "hint=\"more patience\""} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %s in %s", want, log.String())
		}
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines, want 1", n)
	}

	log.Reset()
	w = &ot.Monitor{Engine: reference.New()}
	if _, err := w.Plan(t.Context(), problem, 0); err != nil {
		t.Fatal(err)
	}
	group := &ot.BarycenterProblem{
		Settings: ot.Settings{Reg: 0.01, MaxIter: 1}, Cost: line, Rows: problem.Rows,
		Offsets: []int{0, 2}, Members: []int32{0, 2}, Weights: []float32{0.5, 0.5},
	}
	b, err := ot.Barycenters(t.Context(), w, group)
	if err != nil {
		t.Fatal(err)
	}
	if c := Warn(w, "more patience"); c.Converged || c.Spread == nil || *c.Spread != b[0].Spread || *c.FromLimit != b[0].Error {
		t.Errorf("convergence %+v, want the spread %v and the error %v", c, b[0].Spread, b[0].Error)
	}
	Warn(w, "more patience")
	if got := log.String(); !strings.Contains(got, "spread=") || !strings.Contains(got, "from_limit=") || strings.Contains(got, "marginal_error=") {
		t.Errorf("only the barycenter has not converged, the log is %s", got)
	}
}
