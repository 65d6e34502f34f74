package cpu

import (
	"testing"

	"contextmover/cmdlib/internal/sgemm"
	"contextmover/cmdlib/ot/ottest"
)

// TestConformance runs the suite on every implementation of the inner loops.
func TestConformance(t *testing.T) {
	for _, isa := range sgemm.Supported() {
		t.Run(string(isa), func(t *testing.T) { ottest.Run(t, Engine{isa}) })
	}
}
