//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package scratch

import (
	"errors"
	"os"
)

// Maps tells whether arrays can be on disk here.
const Maps = false

func mapping(*os.File, int, bool) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }
