//go:build cuda

package cuda

import (
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/ottest"
)

// engine returns the engine, or skips the test where nothing can run it.
func engine(t testing.TB) ot.Engine {
	e, err := New()
	if err != nil {
		t.Skipf("NOT TESTED ON A DEVICE: %v", err)
	}
	return e
}

func TestConformance(t *testing.T) {
	ottest.Run(t, engine(t), ottest.Values, ottest.Penalty, ottest.Limit)
}

func TestHarder(t *testing.T) { harder(t, engine(t)) }

func TestConformanceTensor(t *testing.T) {
	ottest.Run(t, Engine{engine(t).(Engine).pool, true}, ottest.Values, ottest.Penalty, ottest.Limit)
}

func TestHarderTensor(t *testing.T) { harder(t, Engine{engine(t).(Engine).pool, true}) }
