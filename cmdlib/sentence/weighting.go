package sentence

import (
	"cmp"
	"fmt"
	"math"

	"contextmover/internal/enum"
)

// Scheme says how a sentence's words are weighted. The zero value is Uniform.
type Scheme string

const (
	// Uniform gives every word the same weight; the weights of a sentence sum to 1.
	Uniform Scheme = "uniform"
	// InverseMarginal gives word w the weight a/(a+p(w)), where p(w) is its marginal:
	// its probability in some text, or another number ≥ 0 that grows with how often it
	// occurs. A word with p(w) = 0 has the weight 1. The weights of a sentence are then
	// divided by their sum.
	InverseMarginal Scheme = "inverse marginal"
	// SIF gives word w the weight a/(a+p(w)) divided by the number of words
	// [Arora, Liang, Ma 2017]. Histograms need weights that sum to 1, so for them it
	// is the same as InverseMarginal; so it is for cosines, unless a principal
	// component is removed, in which longer vectors count more.
	SIF Scheme = "sif"
)

var schemes = []Scheme{Uniform, InverseMarginal, SIF}

// Weighting is a scheme with its parameter. The zero value is uniform.
type Weighting struct {
	Scheme Scheme `json:"scheme"`
	// A is a > 0; uniform weights do not use it. The smaller it is, the less do
	// frequent words count; 1e-3 and 1e-4 are usual. 1 is what the code of SIF calls
	// unweighted: 1/(1+p) differs from 1 only for the most frequent words.
	A float64 `json:"a,omitempty"`
}

// IsUniform tells whether all words weigh the same.
func (w Weighting) IsUniform() bool { return cmp.Or(w.Scheme, Uniform) == Uniform }

// Validate returns an error if w has no known scheme, or a parameter out of range.
func (w Weighting) Validate() error {
	if err := enum.Validate("sentence: unknown weighting", cmp.Or(w.Scheme, Uniform), schemes); err != nil {
		return err
	}
	if !w.IsUniform() && (!(w.A > 0) || math.IsInf(w.A, 1)) {
		return fmt.Errorf("sentence: %v weights with a = %v, expected a finite number > 0", w.Scheme, w.A)
	}
	return nil
}

// validate checks w for a vocabulary of that many words and their marginals. Uniform
// weights need none.
func (w Weighting) validate(words int, probability []float64) error {
	if err := w.Validate(); err != nil || w.IsUniform() {
		return err
	}
	if len(probability) != words {
		return fmt.Errorf("sentence: %v weights need the probability of each of %d words, %d are given",
			w.Scheme, words, len(probability))
	}
	for i, p := range probability {
		if !(p >= 0) || math.IsInf(p, 1) {
			return fmt.Errorf("sentence: the probability of word %d is %v, expected a finite number of at least 0",
				i, p)
		}
	}
	return nil
}

// weight returns the weight of a word before any division.
func (w Weighting) weight(word int32, probability []float64) float64 {
	if w.IsUniform() {
		return 1
	}
	return w.Weight(probability[word])
}

// Weight returns the weight of a word with the marginal p ≥ 0, before the weights of a sentence are divided.
func (w Weighting) Weight(p float64) float64 {
	if w.IsUniform() {
		return 1
	}
	return w.A / (w.A + p)
}
