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

func TestConformanceOlder(t *testing.T) {
	e := Engine{newPool(older{engine(t).(Engine).device})}
	ottest.Run(t, e, ottest.Values, ottest.Penalty, ottest.Limit)
}

func TestHarderOlder(t *testing.T) { harder(t, Engine{newPool(older{engine(t).(Engine).device})}) }

func TestTensorKernels(t *testing.T) { everyTensorKernel(t, engine(t)) }
