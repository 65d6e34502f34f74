package steps

import (
	"context"
	"log/slog"

	"contextmover/experiments/harness/prepare"
	"contextmover/internal/checkpoint"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&read{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&collect{})
}

// Prepare is the job in a folder as workers see it, see prepare.Job: Dir is an absolute path.
type Prepare struct{ Dir string }

// Pipeline adds to a pipeline what prepares the job's text, of so many pieces. An error of a piece has its name.
func (p Prepare) Pipeline(s beam.Scope, pieces int) {
	texts := beam.ParDo(s.Scope("read"), &read{p}, first(s.Scope("pieces"), pieces))
	then(s.Scope("corpus"), texts, &collect{p})
}

// LogPreparing has a job say in the log what it begins and what it mends. If the process is killed, for want of
// memory perhaps, the log says what it was doing.
func LogPreparing(j *prepare.Job) {
	j.Begin = func(what string) { slog.Info("preparing", "what", what) }
	j.Mend = checkpoint.Warn
}

// open opens the job, which logs what it begins and what it mends.
func (p Prepare) open() (*prepare.Job, error) {
	j, err := prepare.OpenJob(p.Dir)
	if err == nil {
		LogPreparing(j)
	}
	return j, err
}

type read struct{ Prepare }

// ProcessElement makes documents of a piece.
func (f *read) ProcessElement(ctx context.Context, piece int, emit func(int)) error {
	return each(ctx, allSeats, piece, emit, func() (checkpoint.ByNumber, error) {
		j, err := f.open()
		return j.Read, err
	})
}

type collect struct{ Prepare }

// ProcessElement makes the folder with all of it.
func (f *collect) ProcessElement(ctx context.Context, _ int, _ func(*int) bool, _ func(int)) error {
	return seated(ctx, allSeats, func() error {
		j, err := f.open()
		if err != nil {
			return err
		}
		_, err = j.Corpus(ctx)
		return err
	})
}
