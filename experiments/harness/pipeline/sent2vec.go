package pipeline

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/sent2vec"
)

// gramsFile has the vectors of n-grams, in addition to those of words.
const gramsFile = "grams.npy"

func (w *Workspace) sent2vecParams() sent2vec.Params {
	p := w.Profile.Sent2vec.Params
	p.Seed = w.Seed("sent2vec")
	if p.NGrams == 1 {
		p.Buckets, p.Dropout = 0, 0 // not used, and no part of the key
	}
	return p
}

// trainSent2vec returns vectors of words, and leaves those of n-grams and the loss of each epoch in dir.
func (w *Workspace) trainSent2vec(ctx context.Context, dir string) ([]float32, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	text, err := w.text(ctx)
	if err != nil {
		return nil, err
	}
	p := w.sent2vecParams()
	progress, finish := w.Step(fmt.Sprintf("Sent2vec, %d dimensions, %d epochs", p.Dim, p.Epochs))
	defer finish()
	from := sent2vec.Source{Text: text, Vocabulary: v, Scratch: dir}
	r, err := sent2vec.Train(ctx, from, p, progress)
	if err != nil {
		return nil, err
	}
	if p.NGrams > 1 {
		if err := npy.Write(filepath.Join(dir, gramsFile), []int{p.Buckets, p.Dim}, r.Grams); err != nil {
			return nil, err
		}
	}
	return r.Vectors, writeLoss(dir, r.Loss)
}

// Grams returns vectors of words with those of n-grams behind them, of length 1 if unit, and what a sentence is
// averaged of. Where there are words alone, as in vectors from a file, both are nil.
func (w *Workspace) Grams(
	ctx context.Context, unit bool,
) ([]float32, func(sentence.Sentence) sentence.Sentence, error) {
	p := w.sent2vecParams()
	if p.NGrams == 1 || w.vectorFile(profile.Sent2vec) != "" {
		return nil, nil, nil
	}
	terms, err := store.Get(ctx, w.Store, store.Node[[]float32]{
		Name: "terms", Version: 1, Inputs: []store.Input{w.VectorsNode(profile.Sent2vec)},
		Params: struct{ Unit bool }{unit},
		Make: func(ctx context.Context) ([]float32, error) {
			words, err := w.scaledVectors(ctx, profile.Sent2vec, unit)
			if err != nil {
				return nil, err
			}
			grams, err := w.grams(ctx)
			if err != nil {
				return nil, err
			}
			if unit {
				grams = grams.Normalised()
			}
			return slices.Concat(words.Data, grams.Data), nil
		},
	})
	if err != nil {
		return nil, nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, nil, err
	}
	return terms, func(s sentence.Sentence) sentence.Sentence {
		numbered := make([]int32, len(s)) // behind the placeholder
		for i, id := range s {
			numbered[i] = id + 1
		}
		return p.Grams(slices.Clone(s), numbered, v.Len(), nil)
	}, nil
}

// grams reads the vectors of n-grams.
func (w *Workspace) grams(ctx context.Context) (*embedding.Vectors, error) {
	dir, err := store.Get(ctx, w.Store, w.VectorsNode(profile.Sent2vec))
	if err != nil {
		return nil, err
	}
	shape, data, err := npy.Read[float32](filepath.Join(dir, gramsFile))
	if err != nil {
		return nil, err
	}
	return &embedding.Vectors{Words: make([]string, shape[0]), Dim: shape[1], Data: data}, nil
}
