package steps

import (
	"context"
	"log/slog"
	"sync"

	"contextmover/internal/checkpoint"
	"contextmover/scale/job"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Count is the job in a folder as workers see it, see job.Job: Dir is
// an absolute path, and a worker takes about Memory bytes for a shard.
type Count struct {
	Dir    string
	Memory int64
}

// Pipeline adds to a pipeline what counts the job's text, of so many shards. An error of a shard has its name.
func (c Count) Pipeline(s beam.Scope, shards int) {
	w := Work{Count: c}
	counted := w.each(s, "words", first(s.Scope("shards"), shards))
	counted = w.each(s, "pairs", w.once(s, "vocabulary", counted))
	w.once(s, "counts", w.each(s, "merge", w.once(s, "parts", counted)))
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

// words counts the words of a shard.
func words(ctx context.Context, w Work, shard int) (int, error) {
	j, err := openJob(w.Count.Dir)
	if err == nil {
		_, err = j.Words(ctx, shard, nil)
	}
	return 0, err
}

// vocabulary makes the vocabulary; the shards are next.
func vocabulary(ctx context.Context, w Work, _ int) (int, error) {
	counter, err := w.Count.counter(ctx)
	if err != nil {
		return 0, err
	}
	return counter.Shards(), nil
}

// pairs counts the pairs of words of a shard.
func pairs(ctx context.Context, w Work, shard int) (int, error) {
	counter, err := w.Count.counter(ctx)
	if err == nil {
		_, err = counter.Pairs(ctx, shard, nil)
	}
	return 0, err
}

// parts says that the parts are next.
func parts(ctx context.Context, w Work, _ int) (int, error) {
	counter, err := w.Count.counter(ctx)
	if err != nil {
		return 0, err
	}
	return counter.Parts(), nil
}

// merge adds up a part.
func merge(ctx context.Context, w Work, part int) (int, error) {
	counter, err := w.Count.counter(ctx)
	if err == nil {
		_, err = counter.Merge(ctx, part, nil)
	}
	return 0, err
}

// counts joins the parts.
func counts(ctx context.Context, w Work, _ int) (int, error) {
	counter, err := w.Count.counter(ctx)
	if err == nil {
		_, _, err = counter.Counts(ctx, nil)
	}
	return 0, err
}
