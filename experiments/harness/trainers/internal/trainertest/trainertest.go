// Package trainertest tests what all trainings on counts of co-occurrences have to do.
package trainertest

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/countstest"
)

// Progress is told how much of a training is done.
type Progress = func(done, total int64)

// A Trainer is a training with settings that suit counts of a few hundred words.
type Trainer[P any] struct {
	Name   string // what its errors begin with
	Params P
	Passes int // over the counts, by Params
	Train  func(ctx context.Context, counts *sparse.Matrix[float64], p P, progress Progress) (*trainers.Result, error)
	Seed   func(p *P, seed uint64)
	// Bad puts settings out of their ranges, by what the errors say.
	Bad map[string]func(p *P)
	// Empty is what the error says of counts without entries.
	Empty string
}

// Test checks a training. It must give the same bits for any number of threads, and others for another seed. Progress
// must only grow and come to its end. Errors must say what is wrong with settings and counts. It must end where the
// context ends.
func Test[P any](t *testing.T, tr Trainer[P]) {
	t.Run("threads", tr.threads)
	t.Run("progress", tr.progress)
	t.Run("settings", tr.settings)
	t.Run("counts", tr.counts)
	t.Run("cancelled", tr.cancelled)
}

func (tr Trainer[P]) with(change func(p *P)) P {
	p := tr.Params
	change(&p)
	return p
}

func (tr Trainer[P]) threads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	counts := countstest.Groups(300, 10)
	train := func(p P) *trainers.Result {
		r, err := tr.Train(t.Context(), counts, p, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	runtime.GOMAXPROCS(1)
	one := train(tr.Params)
	for _, threads := range []int{2, 5} {
		runtime.GOMAXPROCS(threads)
		if r := train(tr.Params); !slices.Equal(r.Vectors, one.Vectors) || !slices.Equal(r.Loss, one.Loss) {
			t.Errorf("other vectors or losses with %d threads", threads)
		}
	}
	if other := train(tr.with(func(p *P) { tr.Seed(p, 2) })); slices.Equal(other.Vectors, one.Vectors) {
		t.Error("the same vectors with another seed")
	}
}

func (tr Trainer[P]) progress(t *testing.T) {
	var last, of int64
	calls := 0
	r, err := tr.Train(t.Context(), countstest.Groups(200, 10), tr.Params, func(done, total int64) {
		if done < last || done > total {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last, of, calls = done, total, calls+1
	})
	if err != nil {
		t.Fatal(err)
	}
	if float64(last) < 0.95*float64(of) || calls < tr.Passes || len(r.Loss) != tr.Passes { // samples are about as many
		t.Errorf("%d calls, the last %d of %d; losses of %d passes, expected %d",
			calls, last, of, len(r.Loss), tr.Passes)
	}
}

// fails tells what is wrong with an error that should say something.
func (tr Trainer[P]) fails(t *testing.T, counts *sparse.Matrix[float64], p P, want string) {
	t.Helper()
	_, err := tr.Train(t.Context(), counts, p, nil)
	if err == nil || !strings.HasPrefix(err.Error(), tr.Name+": ") || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one of %s with %q", err, tr.Name, want)
	}
}

func (tr Trainer[P]) settings(t *testing.T) {
	counts := countstest.Groups(30, 10)
	for want, change := range tr.Bad {
		tr.fails(t, counts, tr.with(change), want)
	}
}

func (tr Trainer[P]) counts(t *testing.T) {
	negative := countstest.Groups(30, 10)
	negative.Value[4] = -1
	tr.fails(t, negative, tr.Params, "word 0, context 4: the count is -1")
	wide := &sparse.Matrix[float64]{Rows: 1, Cols: 2, Start: []int64{0, 1}, Index: []int32{1}, Value: []float64{1}}
	tr.fails(t, wide, tr.Params, "square")
	tr.fails(t, &sparse.Matrix[float64]{Rows: 2, Cols: 2, Start: []int64{0, 0, 0}}, tr.Params, tr.Empty)
}

func (tr Trainer[P]) cancelled(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tr.Train(ended, countstest.Groups(30, 10), tr.Params, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of an ended context", err)
	}
}
