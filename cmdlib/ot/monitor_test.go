package ot

import "testing"

func TestSettled(t *testing.T) {
	for _, c := range []struct {
		err, tol float64
		want     bool
	}{
		{0.009, 0, true}, {0.011, 0, false}, // no tolerance: largestError
		{1e-5, 1e-4, true}, {1e-3, 1e-4, false}, // a smaller one
		{0.05, 0.1, false}, // a larger one does not make a plan good
	} {
		if got := Settled(c.err, c.tol); got != c.want {
			t.Errorf("error %v, tolerance %v: settled is %v", c.err, c.tol, got)
		}
	}
}
