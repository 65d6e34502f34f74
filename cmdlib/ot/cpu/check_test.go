package cpu

import (
	"math"
	"testing"

	"contextmover/cmdlib/ot"
)

// The step to the next look is the least that makes a row due, whatever the limit.
func TestUntilCheck(t *testing.T) {
	for _, p := range []ot.Settings{{MaxIter: 3}, {MaxIter: 10}, {MaxIter: 25}, {MaxIter: 25, Tol: 1e-3}, {MaxIter: 30, Tol: 1e-3}} {
		b := &pairBlock[float32]{p: &ot.Problem{Settings: p}, rows: make([]pairRow[float32], 2), n: 2}
		for b.rows[0].iterations = range p.MaxIter {
			for b.rows[1].iterations = range p.MaxIter {
				want := 1
				for !b.due(b.rows[0].iterations+want) && !b.due(b.rows[1].iterations+want) {
					want++
				}
				if got := b.untilCheck(); got != want {
					t.Fatalf("%+v after %d and %d: %d, want %d", p, b.rows[0].iterations, b.rows[1].iterations, got, want)
				}
			}
		}
	}
	b := &pairBlock[float32]{p: &ot.Problem{Settings: ot.Settings{MaxIter: math.MaxInt}}, rows: make([]pairRow[float32], 1), n: 1}
	b.rows[0].iterations = 10
	if got := b.untilCheck(); got != math.MaxInt-10 { // at once, or a limit of billions could not be interrupted
		t.Errorf("%d", got)
	}
}
