package steps

import (
	"context"
	"io"
	"os"
	"time"

	"contextmover/experiments/paper/sts"
	"contextmover/experiments/repro/cli"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() { register.DoFn3x1[context.Context, int, func(int), error](&part{}) }

// Tune is a search for settings as workers see it, in so many parts, see sts.Tune. The paths in Flags are absolute.
type Tune struct {
	Flags  cli.WorkspaceFlags
	Budget time.Duration
	Parts  int
}

// Pipeline adds to a pipeline what searches.
func (t Tune) Pipeline(s beam.Scope) {
	beam.ParDo(s.Scope("tune"), &part{t}, first(s.Scope("parts"), t.Parts))
}

type part struct{ Tune }

// ProcessElement searches from where a part begins, to the end.
func (f *part) ProcessElement(ctx context.Context, number int, emit func(int)) error {
	return seated(ctx, allSeats, func() error {
		progress := cli.NewProgress(os.Stderr)
		defer progress.Close()
		w, err := f.Flags.Workspace(cli.NewEnv(ctx, io.Discard, progress))
		if err != nil {
			return err
		}
		if _, err := sts.Tune(ctx, w, f.Budget, sts.Part{I: number + 1, N: f.Parts}); err != nil {
			return err
		}
		emit(number)
		return nil
	})
}
