//go:build !linux

package cmdlib

import "errors"

func exchange(_, _ string) error { return errors.ErrUnsupported }
