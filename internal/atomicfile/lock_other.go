//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package atomicfile

import "errors"

// Lock locks nothing here, and says so with errors.ErrUnsupported.
func Lock(string) (unlock func(), err error) { return nil, errors.ErrUnsupported }

// Shared is a lock that several processes have at the same time.
type Shared struct{}

// Share locks nothing here, and says so with errors.ErrUnsupported.
func Share(string) (Shared, error) { return Shared{}, errors.ErrUnsupported }

// Alone calls f.
func (Shared) Alone(f func() error) error { return f() }
