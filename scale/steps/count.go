package steps

import (
	"context"
	"log/slog"
	"sync"

	"contextmover/internal/checkpoint"
	"contextmover/scale/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int), error](&words{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&vocabulary{})
	register.DoFn3x1[context.Context, int, func(int), error](&pairs{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&parts{})
	register.DoFn3x1[context.Context, int, func(int), error](&merge{})
	register.DoFn4x1[context.Context, int, func(*int) bool, func(int), error](&counts{})
	register.Emitter1[int]()
	register.Iter1[int]()
}

// Count is the job in a folder as workers see it, see job.Job: Dir is
// an absolute path, and a worker takes about Memory bytes for a shard.
type Count struct {
	Dir    string
	Memory int64
}

// Pipeline adds to a pipeline what counts the job's text, of so many shards. An error of a shard has its name.
func (c Count) Pipeline(s beam.Scope, shards int) {
	counted := beam.ParDo(s.Scope("words"), &words{c}, first(s.Scope("shards"), shards))
	counted = beam.ParDo(s.Scope("pairs"), &pairs{c}, then(s.Scope("vocabulary"), counted, &vocabulary{c}))
	merged := beam.ParDo(s.Scope("merge"), &merge{c}, then(s.Scope("parts"), counted, &parts{c}))
	then(s.Scope("counts"), merged, &counts{c})
}

// openJob opens a job that logs what it begins and what it mends.
func openJob(dir string) (*job.Job, error) {
	j, err := job.Open(dir)
	if err != nil {
		return nil, err
	}
	LogCounting(j)
	return j, nil
}

// LogCounting has a job say in the log what it begins and what it mends.
func LogCounting(j *job.Job) {
	j.Begin = func(what string) { slog.Info("counting", "what", what) }
	j.Mend = checkpoint.Warn
}

// last is the counter that this process has used last: vocabularies are large.
var last struct {
	sync.Mutex
	of      Count
	counter *job.Counter
}

func (c Count) counter(ctx context.Context) (*job.Counter, error) {
	last.Lock()
	defer last.Unlock()
	if last.counter != nil && last.of == c {
		return last.counter, nil
	}
	j, err := openJob(c.Dir)
	if err != nil {
		return nil, err
	}
	counter, err := j.Counter(ctx, c.Memory)
	if err != nil {
		return nil, err
	}
	last.of, last.counter = c, counter
	return counter, nil
}

type words struct{ Count }

// ProcessElement counts the words of a shard.
func (f *words) ProcessElement(ctx context.Context, shard int, emit func(int)) error {
	return each(ctx, allSeats, shard, emit, func() (checkpoint.ByNumber, error) {
		j, err := openJob(f.Dir)
		return j.Words, err
	})
}

type vocabulary struct{ Count }

// ProcessElement makes the vocabulary, and emits the shards.
func (f *vocabulary) ProcessElement(ctx context.Context, _ int, _ func(*int) bool, emit func(int)) error {
	return emitAll(ctx, emit, func() (int, error) {
		counter, err := f.counter(ctx)
		if err != nil {
			return 0, err
		}
		return counter.Shards(), nil
	})
}

type pairs struct{ Count }

// ProcessElement counts the pairs of words of a shard.
func (f *pairs) ProcessElement(ctx context.Context, shard int, emit func(int)) error {
	return each(ctx, allSeats, shard, emit, func() (checkpoint.ByNumber, error) {
		counter, err := f.counter(ctx)
		return counter.Pairs, err
	})
}

type parts struct{ Count }

// ProcessElement emits the parts.
func (f *parts) ProcessElement(ctx context.Context, _ int, _ func(*int) bool, emit func(int)) error {
	return emitAll(ctx, emit, func() (int, error) {
		counter, err := f.counter(ctx)
		if err != nil {
			return 0, err
		}
		return counter.Parts(), nil
	})
}

type merge struct{ Count }

// ProcessElement adds up a part, which takes one processor and little memory.
func (f *merge) ProcessElement(ctx context.Context, part int, emit func(int)) error {
	return each(ctx, 1, part, emit, func() (checkpoint.ByNumber, error) {
		counter, err := f.counter(ctx)
		return counter.Merge, err
	})
}

type counts struct{ Count }

// ProcessElement joins the parts.
func (f *counts) ProcessElement(ctx context.Context, _ int, _ func(*int) bool, _ func(int)) error {
	return seated(ctx, allSeats, func() error {
		counter, err := f.counter(ctx)
		if err != nil {
			return err
		}
		_, _, err = counter.Counts(ctx, nil)
		return err
	})
}
