package method

import (
	"context"
	"fmt"

	"contextmover/cmdlib/sentence"
)

// sent2vec is the cosine of averages of the vectors of words and n-grams that were trained for it [Pagliardini, Gupta,
// Jaggi 2018, Unsupervised learning of sentence embeddings using compositional n-gram features].
type sent2vec struct {
	WordVectors // "sent2vec"
	Removal
	Shares
	Scaled
}

func (m sent2vec) averaged() Averaged {
	return Averaged{
		WordVectors: m.WordVectors, Weighting: Weighting{Weights: Uniform, A: 1},
		Removal: m.Removal, Shares: m.Shares, Scaled: m.Scaled,
		OwnWords: OwnWords{Own: NoneOwn, BesideScale: 1}, Rotated: Rotated{RotatorA: 1},
	}
}

// Validate implements Method.
func (m sent2vec) Validate() error {
	if m.Vectors != OfGrams {
		problem := fmt.Sprintf("%q, but the method %q averages vectors of its own: expected %[2]q", m.Vectors, OfGrams)
		return wrong("vectors", problem)
	}
	return m.averaged().Validate()
}

// Needs implements Method.
func (m sent2vec) Needs() Needs {
	n := m.averaged().Needs()
	n.NGrams = true
	return n
}

func (m sent2vec) counts(name string) bool { return m.averaged().counts(name) }

func (m sent2vec) vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error) {
	v, err := m.averaged().vectors(ctx, s, pairs)
	if err != nil {
		return nil, err
	}
	data, terms, err := s.Grams(ctx, m.Unit)
	if terms != nil {
		v.Vectors, v.terms, v.Probability = data, terms, nil // words alone have one
	}
	return v, err
}

func (m sent2vec) method(s Source, v *vectors) sentence.Method { return m.averaged().method(s, v) }
