package pipeline

import (
	"context"
	"errors"
	"syscall"

	"contextmover/cmdlib"
	"contextmover/experiments/dataset"
)

// ErrSettings is what an error about a setting is that the data cannot serve.
var ErrSettings = cmdlib.ErrSettings

// DataError makes err one of the data (dataset.ErrData), unless it is that the work was
// cancelled or the disk is at fault.
func DataError(err error) error {
	for _, other := range []error{context.Canceled, syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EIO} {
		if errors.Is(err, other) {
			return err
		}
	}
	return dataError{err}
}

type dataError struct{ error }

func (e dataError) Unwrap() error { return e.error }

func (e dataError) Is(target error) bool { return target == dataset.ErrData }
