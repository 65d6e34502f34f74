package cmdlib

import (
	"errors"
	"fmt"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/internal/enum"
)

// Settings are the parameters of a space: those that it was made with (SPPMI,
// Estimate, Ground) are kept for the record, the others are used when it is asked.
type Settings struct {
	SPPMI    sppmi.Params    `json:"sppmi"`
	Estimate estimate.Params `json:"estimate"`
	Ground   ground.Params   `json:"ground"`
	// Transport is that of distances.
	Transport ot.Settings      `json:"transport"`
	Sentence  SentenceSettings `json:"sentence"`
	// Encoding is that of vectors of texts.
	Encoding Encoding `json:"encoding,omitzero"`
	// Defaults are the methods that questions are answered by where none is named.
	Defaults Defaults `json:"defaults,omitzero"`
}

// Combination names how the histograms of a sentence's words are combined.
type Combination string

const (
	// Average is sentence.HistogramAverage.
	Average Combination = "average"
	// Barycenter is sentence.Barycenter.
	Barycenter Combination = "barycenter"
	// DebiasedBarycenter is sentence.Barycenter without the blur of regularisation.
	DebiasedBarycenter Combination = "debiased barycenter"
)

var combinations = []Combination{Average, Barycenter, DebiasedBarycenter}

// validate returns an error if c is no combination.
func (c Combination) validate() error {
	return enum.Validate("cmdlib: unknown combination", c, combinations)
}

// SentenceSettings say how words combine to sentences. Weights other than uniform
// take the counts of the vocabulary for probabilities.
type SentenceSettings struct {
	Combination Combination        `json:"combination"`
	Weighting   sentence.Weighting `json:"weighting"`
	// Transport is that of barycenters; an average does not use it.
	Transport ot.Settings `json:"transport"`
}

func (s Settings) check() error {
	if err := s.Ground.Validate(); err != nil {
		return fmt.Errorf("settings of the ground cost: %w", err)
	}
	if err := s.Transport.Validate(); err != nil {
		return fmt.Errorf("settings of distances: %w", err)
	}
	if err := s.Sentence.Combination.validate(); err != nil {
		return fmt.Errorf("settings of sentences: %w", err)
	}
	if err := s.Sentence.Weighting.Validate(); err != nil {
		return fmt.Errorf("settings of sentences: %w", err)
	}
	if s.Sentence.Combination != Average {
		if err := s.Sentence.Transport.Validate(); err != nil {
			return fmt.Errorf("settings of barycenters: %w", err)
		}
	}
	return errors.Join(s.Encoding.check(), s.Defaults.check())
}

// mostIterations is the number of iterations beyond which a space is not asked by its own settings: a hundred
// times what the smallest λ that solvers take needs. An opened space may be asked with more, by With.
const mostIterations = 1_000_000

// checkKept is check for settings that a space keeps, which nobody has vouched for: they are also such that no
// question takes for ever.
func (s Settings) checkKept() error {
	if err := s.check(); err != nil {
		return err
	}
	if most := max(s.Transport.MaxIter, s.Sentence.Transport.MaxIter); most > mostIterations {
		return fmt.Errorf("settings of distances or barycenters: %d iterations, expected at most %d",
			most, mostIterations)
	}
	if !(s.SPPMI.Smoothing >= 0 && s.SPPMI.Smoothing <= 1) || !(s.SPPMI.Shift >= 0) {
		return fmt.Errorf("settings of associations: smoothing %v and shift %v, expected 0 to 1, and a number ≥ 0",
			s.SPPMI.Smoothing, s.SPPMI.Shift)
	}
	if !(s.Estimate.Beta >= 0 && s.Estimate.Beta <= 1) {
		return fmt.Errorf("settings of estimates: β is %v, expected 0 to 1", s.Estimate.Beta)
	}
	return nil
}
