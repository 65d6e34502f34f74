//go:build !cuda

package cuda

import "contextmover/cmdlib/ot"

// New returns the engine on the first device. In this build it returns ErrNotBuilt.
func New() (ot.Engine, error) { return nil, ErrNotBuilt }
