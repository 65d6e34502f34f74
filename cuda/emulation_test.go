//go:build cudaemulation && !cuda

package cuda

import (
	"testing"

	"contextmover/cmdlib/ot/ottest"
)

// TestConformance runs the whole suite on the emulated device.
func TestConformance(t *testing.T) { ottest.Run(t, Engine{newPool(newEmulated())}) }
