//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package npy

import (
	"errors"
	"os"
)

func mapMemory(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapMemory([]byte) error { return nil }
