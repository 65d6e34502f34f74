//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

// Package mapped maps files into memory.
package mapped

import (
	"errors"
	"os"
)

// Map returns errors.ErrUnsupported: the system does not map files.
func Map(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

// Unmap releases what Map returned.
func Unmap([]byte) error { return nil }
