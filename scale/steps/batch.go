package steps

import (
	"context"
	"log/slog"
	"path/filepath"
	"sync"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/search"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/spaces"
	"contextmover/experiments/repro/batch"
	"contextmover/experiments/show/convergence"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Kind is what is asked about each line of a file.
type Kind string

// The kinds of batches, see package batch.
const (
	Distances   Kind = "distances"
	Barycenters Kind = "barycenters"
	Neighbours  Kind = "neighbours"
	Search      Kind = "search"
)

// Batch is a file of pairs or texts as workers see it: Space is english or an absolute path,
// as File and Out are, and Index of a Search. Neighbours and searches list N, barycenters are
// Debiased or not. A block has Lines lines, by default as many as package batch gives it.
type Batch struct {
	Kind             Kind
	Space, File, Out string
	Index            string
	N                int
	Debiased         bool
	Lines            int
}

// Pipeline adds to a pipeline what makes so many blocks, and joins them.
func (d Batch) Pipeline(s beam.Scope, blocks int) {
	w := Work{Batch: d}
	w.once(s, "join", w.each(s, "block", first(s.Scope("blocks"), blocks)))
}

// lastSpace is what this process has opened last.
var lastSpace struct {
	sync.Mutex
	of      Batch
	batch   *batch.Batch
	monitor *ot.Monitor
}

// Open opens the space, which stays open, and reads the lines. The monitor tells what has not converged.
func (d Batch) Open(ctx context.Context) (*batch.Batch, *ot.Monitor, error) {
	lastSpace.Lock()
	defer lastSpace.Unlock()
	if lastSpace.batch != nil && lastSpace.of == d {
		return lastSpace.batch, lastSpace.monitor, nil
	}
	engine, err := engines.New("auto")
	if err != nil {
		return nil, nil, err
	}
	monitor := &ot.Monitor{Engine: engine}
	space, err := spaces.Open(ctx, d.Space, monitor, nil)
	if err != nil {
		return nil, nil, err
	}
	b, err := d.of(space, monitor)
	if err != nil {
		return nil, nil, err
	}
	if d.Lines > 0 {
		b.Cut(d.Lines)
	}
	lastSpace.of, lastSpace.batch, lastSpace.monitor = d, b, monitor
	return b, monitor, nil
}

func (d Batch) of(space *cmdlib.Space, engine ot.Engine) (*batch.Batch, error) {
	switch d.Kind {
	case Barycenters:
		combination := cmdlib.Barycenter
		if d.Debiased {
			combination = cmdlib.DebiasedBarycenter
		}
		asked, err := space.With(cmdlib.Options{Combination: combination, Engine: engine})
		if err != nil {
			return nil, err
		}
		return batch.Histograms(asked, d.File, filepath.Join(d.Out, "barycenters.npy"))
	case Neighbours:
		return batch.Neighbours(space.ByTransport(), d.File, d.N, d.Out)
	case Search:
		index, err := search.Open(d.Index, space)
		if err != nil {
			return nil, pipeline.DataError(err)
		}
		return batch.Search(index, space, search.Options{N: d.N}, d.File, d.Out)
	}
	return batch.Distances(space.ByTransport(), d.File, d.Out)
}

// block makes a block.
func block(ctx context.Context, w Work, number int) (int, error) {
	b, monitor, err := w.Batch.Open(ctx)
	if err != nil {
		return 0, err
	}
	made, err := b.Make(ctx, number)
	transport, barycenters := monitor.Convergence()
	if made && transport.Unsettled+barycenters.Unsettled > 0 {
		slog.Warn(convergence.Unconverged, "problems", transport.Unsettled, "marginal_error", transport.Error,
			"barycenters", barycenters.Unsettled, "spread", barycenters.Error)
	}
	return 0, err
}

// join writes the file with all answers.
func join(ctx context.Context, w Work, _ int) (int, error) {
	b, _, err := w.Batch.Open(ctx)
	if err != nil {
		return 0, err
	}
	return 0, b.Join(ctx)
}
