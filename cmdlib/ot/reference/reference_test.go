package reference_test

import (
	"testing"

	"contextmover/cmdlib/ot/ottest"
	"contextmover/cmdlib/ot/reference"
)

func TestConformance(t *testing.T) { ottest.Run(t, reference.New()) }
