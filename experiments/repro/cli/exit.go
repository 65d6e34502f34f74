package cli

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib"
	"contextmover/cmdlib/build"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/internal/system"
)

// The exit codes, as README and help promise them.
const (
	ExitFailed      = 1
	ExitUsage       = 2
	ExitRegression  = 3
	ExitData        = 4
	ExitNotebook    = 5
	ExitDefect      = 70 // EX_SOFTWARE of sysexits.h: a panic; Go's own 2 would be wrong usage
	ExitInterrupted = 130
)

// coded is an error with an exit code of its own.
type coded struct {
	error
	code int
}

func (e coded) Unwrap() error { return e.error }

// WithCode marks err, which is not nil, as one that ends the program with the exit code.
func WithCode(err error, code int) error { return coded{err, code} }

// BadData marks an error of the user's data.
func BadData(err error) error { return coded{err, ExitData} }

// BadUsage returns an error of the command line that only shows after parsing, formatted as by fmt.Errorf.
func BadUsage(format string, args ...any) error {
	return coded{fmt.Errorf(format, args...), ExitUsage}
}

// Failed ends the program with ExitFailed after the command has said why.
var Failed error = coded{errors.New(""), ExitFailed}

// ExitCode returns the code with which an error, which is not nil, ends the program.
func ExitCode(err error) int {
	var c coded
	var setting *profile.Error
	switch {
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	case system.AtFault(err): // whatever was being read
		return ExitFailed
	case errors.As(err, &c):
		return c.code
	case errors.Is(err, dataset.ErrData), errors.Is(err, build.ErrData), errors.Is(err, cmdlib.ErrDamaged):
		return ExitData
	case errors.Is(err, pipeline.ErrSettings), errors.As(err, &setting):
		return ExitUsage
	}
	return ExitFailed
}
