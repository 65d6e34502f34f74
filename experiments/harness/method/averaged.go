package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Averaged has the settings of methods that average the vectors of a text's words and take cosines (see
// sentence.VectorAverage). From the cosine, some of the word rotator's distance may be taken (Rotated).
type Averaged struct {
	WordVectors
	Weighting
	Removal
	Shares
	Scaled
	OwnWords
	Rotated
	// Kept says whether the components are removed that the source keeps (Source.Kept), where Removal does not remove
	// those of the texts. The vector of a text then does not depend on the other texts. It is no setting: a space has
	// it true in its own SIF, and a profile has no such components.
	Kept bool `toml:"-"`
}

// Rotated takes the word rotator's distance WRD of the same words, with weights by RotatorA, from a cosine:
//
//	score = cosine − Rotator·WRD
type Rotated struct {
	Rotator  float64 `toml:"rotator" range:"0.." grid:"y" help:"weight of the word rotator's distance"`
	RotatorA float64 `toml:"rotator_a" default:"1e-3" range:">0" help:"a of its words' weights"`
}

// Validate implements Method.
func (a Averaged) Validate() error { return a.OwnWords.check(a, a.Unit) }

// words are the settings of the words' vectors and weights.
func (a Averaged) words() Moved { return Moved{a.WordVectors, a.Weighting, a.Scaled, a.OwnWords} }

// Needs implements Method.
func (a Averaged) Needs() Needs { return a.words().Needs() }

func (a Averaged) varies(name string) bool {
	return a.counts(name) && (name != "rotator" || a.Rotator != 0)
}

func (a Averaged) counts(name string) bool {
	switch name {
	case "components":
		return a.RemovePC
	case "rotator_a":
		return a.Rotator > 0 && a.Weights != Uniform
	}
	return a.words().counts(name) && a.Removal.counts(name)
}

func (a Averaged) vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error) {
	v, err := a.words().vectors(ctx, s, pairs)
	if err == nil && a.Kept && !a.RemovePC {
		v.kept, err = s.Kept(ctx)
	}
	return v, err
}

func (a Averaged) method(_ Source, v *vectors) sentence.Method {
	average := sentence.VectorAverage{Points: v.Points, Terms: v.terms, PCBatch: a.PCBatch, Fixed: v.kept}
	if a.RemovePC {
		average.Components = max(1, a.Components)
	}
	if a.Rotator == 0 {
		return average
	}
	rotator := sentence.WordMover{Points: v.Points, Rotator: true}
	rotator.Points.Weighting = Weighting{a.Weights, a.RotatorA}.Sentence()
	return sentence.Sum{{Weight: 1, Method: average}, {Weight: a.Rotator, Method: rotator}}
}
