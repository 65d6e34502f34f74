package limit

import (
	"math"
	"testing"

	"contextmover/cmdlib/ot"
)

// TestLeastEigenvalue: of two bins with the cost c between them the kernel scaled to row sums 1 has the eigenvalues 1
// and tanh(c/2λ); a kernel that is not positive definite has none that is of use.
func TestLeastEigenvalue(t *testing.T) {
	for _, reg := range []float64{0.5, 1, 10} {
		want := math.Tanh(1 / reg / 2)
		got := leastEigenvalue(ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}}, reg)
		if math.Abs(got-want) > 1e-3*want {
			t.Errorf("λ = %v: %v, expected %v", reg, got, want)
		}
	}
	if got := leastEigenvalue(ot.Cost{K: 2, Data: []float32{1, 0, 0, 1}}, 1); got != 0 {
		t.Errorf("a kernel that is not positive definite: %v", got)
	}
}

// TestTrace: a geometric sequence of any rate, looked at in uneven steps, is as far from its limit as its terms say.
func TestTrace(t *testing.T) {
	for _, rate := range []float64{0.3, 0.9, 0.99} {
		var trace Trace
		trace.Begin(Precision{noise: 1e-300}, 0, 0)
		before := 1.0
		for _, i := range []int{1, 11, 21, 31, 41, 51, 56} {
			now := math.Pow(rate, float64(i))
			trace.Look(i, before-now, 0)
			before = now
			// From the second look on the rate is told to 1/i.
			least, most := margin*now, margin*now*50/(1-rate)
			if got := trace.Left(Rates{first: 1}, 0); i > 1 && (got < min(Unknown, least*(1-1e-9)) || got > most) {
				t.Errorf("rate %v, iteration %d: %v left, expected %v to %v", rate, i, got, least, most)
			}
		}
	}
	var trace Trace
	trace.Begin(Single, 1, 0)
	if got := trace.Left(Rates{}, 0); got != Unknown {
		t.Errorf("%v is left where nothing was seen", got)
	}
}
