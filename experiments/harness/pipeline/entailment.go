package pipeline

import (
	"context"
	"fmt"

	"contextmover/cmdlib/corpus"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/entailment"
)

func (w *Workspace) entailmentParams() entailment.Params {
	p := w.Profile.Hypernymy.Vectors.Params
	p.Seed = w.Seed("entailment")
	return p
}

// entailmentStart returns the SVD vectors that entailment vectors start from, as an input.
func (w *Workspace) entailmentStart() ([]store.Ref, error) {
	if dim, has := w.Profile.Hypernymy.Vectors.Dim, w.Profile.Vectors.Dim; dim > 2*has {
		return nil, w.Profile.Errorf("hypernymy.vectors.dim", "%d, expected at most twice vectors.dim, %d", dim, has)
	}
	return w.VectorsNode(profile.SVD).Refs()
}

// trainEntailment returns entailment vectors: Henderson's untrained ones of the first singular
// dimensions or, if the profile wants samples, what training makes of these; then
// the loss of each pass is left in dir.
func (w *Workspace) trainEntailment(ctx context.Context, dir string) ([]float32, error) {
	p := w.entailmentParams()
	vectors, err := w.Vectors(ctx)
	if err != nil {
		return nil, err
	}
	half := p.Dim / 2
	first := make([]float32, 0, vectors.Len()*half)
	for i := range vectors.Len() {
		first = append(first, vectors.Row(i)[:half]...)
	}
	start := entailment.UnknownDuplicated(first, half, w.Profile.Hypernymy.Vectors.Scale)
	if p.Samples == 0 {
		return start, nil
	}
	train := func(
		ctx context.Context, counts *corpus.Counts, p entailment.Params, progress func(done, total int64),
	) (*trainers.Result, error) {
		return entailment.Train(ctx, counts, start, p, progress)
	}
	return trained(w, p, train, fmt.Sprintf("entailment vectors, %d dimensions, %.3g M samples",
		p.Dim, float64(p.Samples)/1e6))(ctx, dir)
}
