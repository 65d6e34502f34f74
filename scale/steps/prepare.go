package steps

import (
	"context"
	"log/slog"

	"contextmover/experiments/harness/prepare"
	"contextmover/internal/checkpoint"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Prepare is the job in a folder as workers see it, see prepare.Job: Dir is an absolute path.
type Prepare struct{ Dir string }

// Pipeline adds to a pipeline what prepares the job's text, of so many pieces. An error of a piece has its name.
func (p Prepare) Pipeline(s beam.Scope, pieces int) {
	w := Work{Prepare: p}
	w.once(s, "corpus", w.each(s, "read", first(s.Scope("pieces"), pieces)))
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

// read makes documents of a piece.
func read(ctx context.Context, w Work, piece int) (int, error) {
	j, err := w.Prepare.open()
	if err == nil {
		_, err = j.Read(ctx, piece, nil)
	}
	return 0, err
}

// collect makes the folder with all of it.
func collect(ctx context.Context, w Work, _ int) (int, error) {
	j, err := w.Prepare.open()
	if err == nil {
		_, err = j.Corpus(ctx)
	}
	return 0, err
}
