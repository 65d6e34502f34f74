package pipeline

import (
	"context"
	"errors"

	"contextmover/cmdlib"
	"contextmover/experiments/harness/dataset"
	"contextmover/internal/system"
)

// ErrSettings is what an error about a setting is that the data cannot serve.
var ErrSettings = cmdlib.ErrSettings

// DataError makes err one of the data (dataset.ErrData), unless it is that the work was
// cancelled or the system is at fault.
func DataError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || system.AtFault(err) {
		return err
	}
	return dataError{err}
}

type dataError struct{ error }

func (e dataError) Unwrap() error { return e.error }

func (e dataError) Is(target error) bool { return target == dataset.ErrData }
