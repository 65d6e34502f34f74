//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "errors"

// Lock locks nothing here, and says so with errors.ErrUnsupported.
func Lock(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }
