package steps

import (
	"context"
	"log/slog"
	"sync"

	"contextmover/cmdlib/ot"
	"contextmover/experiments/batch"
	"contextmover/experiments/convergence"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/spaces"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&block{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&join{})
}

// Distance is a file of pairs as workers see it, see batch.Distances: Space is english or an absolute path, as Pairs and Out are.
type Distance struct{ Space, Pairs, Out string }

// Pipeline adds to a pipeline what solves so many blocks of pairs.
func (d Distance) Pipeline(s beam.Scope, blocks int) {
	solved := beam.ParDo(s.Scope("distances"), &block{d}, first(s.Scope("blocks"), blocks))
	then(s.Scope("join"), solved, &join{d})
}

// lastSpace is what this process has opened last.
var lastSpace struct {
	sync.Mutex
	of        Distance
	distances *batch.Distances
	monitor   *ot.Monitor
}

// Open opens the space, which stays open, and reads the pairs. The monitor tells what has not converged.
func (d Distance) Open(ctx context.Context) (*batch.Distances, *ot.Monitor, error) {
	lastSpace.Lock()
	defer lastSpace.Unlock()
	if lastSpace.distances != nil && lastSpace.of == d {
		return lastSpace.distances, lastSpace.monitor, nil
	}
	engine, err := pipeline.Engine("auto")
	if err != nil {
		return nil, nil, err
	}
	monitor := &ot.Monitor{Engine: engine}
	space, err := spaces.Open(ctx, d.Space, monitor, nil)
	if err != nil {
		return nil, nil, err
	}
	distances, err := batch.NewDistances(space, d.Pairs, d.Out)
	if err != nil {
		return nil, nil, err
	}
	lastSpace.of, lastSpace.distances, lastSpace.monitor = d, distances, monitor
	return distances, monitor, nil
}

type block struct{ Distance }

// ProcessElement solves a block of pairs.
func (f *block) ProcessElement(ctx context.Context, number int, emit func(int)) error {
	return seated(ctx, allSeats, func() error {
		distances, monitor, err := f.Open(ctx)
		if err != nil {
			return err
		}
		made, err := distances.Make(ctx, number)
		if err != nil {
			return err
		}
		transport, _ := monitor.Convergence()
		if made && transport.Unsettled > 0 {
			slog.Warn(convergence.Unconverged, "problems", transport.Unsettled, "marginal_error", transport.Error)
		}
		emit(number)
		return nil
	})
}

type join struct{ Distance }

// ProcessElement writes the file with all distances.
func (f *join) ProcessElement(ctx context.Context, _ int, _ func(*int) bool, _ func(int)) error {
	return seated(ctx, allSeats, func() error {
		distances, _, err := f.Open(ctx)
		if err != nil {
			return err
		}
		return distances.Join(ctx)
	})
}
