package entailment

import (
	"context"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/skipgram"
	"contextmover/internal/setting"
)

// Params are the settings of a training.
type Params struct {
	// Dim is the number of components of a vector, at least 1.
	Dim int `toml:"dim" json:"dim" range:"1..1048576"`
	// Passes is the number of passes over the counts, at least 1; Samples the number
	// of co-occurrences that are drawn in all of them together, about.
	Passes  int   `toml:"passes" json:"passes" range:"1..1048576"`
	Samples int64 `toml:"samples" json:"samples" range:"0.."`
	// Negatives is the number of contexts drawn against each co-occurrence, at least 1,
	// with probabilities proportional to their count to the power Noise ≥ 0.
	Negatives int     `toml:"negatives" json:"negatives" range:"1..1048576"`
	Noise     float64 `toml:"noise" json:"noise" range:"0.."`
	// Subsample is t > 0: of a word with the share f of all counts, the share
	// min(1, √(t/f)) is used, on both sides [word2vec]. 0 uses all.
	Subsample float64 `toml:"subsample" json:"subsample" range:"0.."`
	// Rate is the rate of learning at the start, > 0; it falls to zero linearly.
	Rate float64 `toml:"rate" json:"rate" range:">0"`
	// Prior is θ, the log-odds that a feature of a phrase is known before any of its
	// words is.
	Prior float64 `toml:"prior" json:"prior" range:"-50..50"`
	// Bias is added to every score. A score without it is negative, and far below zero at
	// the start; the less the bias, the longer training only lowers what frequent words
	// are known to be.
	Bias float64 `toml:"bias" json:"bias" range:"-1e9..1e9"`
	Seed uint64  `toml:"-" json:"seed"`
}

// Train fits entailment vectors to the square matrix of co-occurrence counts, whose stored entries have to be
// positive finite numbers. The model is the posterior model of Henderson 2017 ("Learning Word Embeddings for Hyponymy
// with Entailment-Based Distributional Semantics", arXiv:1710.02437), as far as its abstract tells. A word w and a
// context c near it make a phrase whose latent vector entails both,
//
//	Z = θ + softplus(X_w) + softplus(X'_c)
//	s = Bias + Z ⟩ X_w + Z ⟩ X'_c = Bias − Σ_k σ(−Z_k) (softplus(X_wk) + softplus(X'_ck))
//
// and the loss of a co-occurrence is −ln σ(s) and, for each of a number of contexts
// drawn at random, −ln σ(−s) [skip-gram with negative sampling, Mikolov et al. 2013].
// Co-occurrences are drawn in proportion to their counts.
//
// A step changes X by the rate times the gradient for softplus(X), which is that for X over σ(X). By the gradient for
// X alone, features that are nearly unknown would hardly move.
//
// The vectors are the log-odds of each word's features, n×Dim, and the loss is that of a co-occurrence with its
// negatives. start holds the first vectors X and X' of all words, n×Dim; nil starts from random
// ones, around −1. The result does not depend on the number of threads; it differs
// in its last bits between processors with and without AVX2. progress is told how many
// co-occurrences of all passes are done, from one goroutine, some times per pass; it may be nil.
//
// An error tells which parameter, count or first component is bad, or in which pass the
// loss stopped being a number.
func Train(
	ctx context.Context, counts *sparse.Matrix[float64], start []float32, p Params, progress func(done, total int64),
) (r *trainers.Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("entailment", &err)
	s, err := skipgram.New(ctx, counts, skipgram.Params{
		Passes: p.Passes, Samples: p.Samples, Noise: p.Noise, Subsample: p.Subsample, Seed: p.Seed,
	})
	if err != nil {
		return nil, err
	}
	m, err := newModel(ctx, s, start, p)
	if err != nil {
		return nil, err
	}
	return s.Train(ctx, m.train, trainers.Training{After: m.tidy, Progress: progress, Dim: p.Dim, Vector: m.logOdds})
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error { return setting.Check("entailment", p) }
