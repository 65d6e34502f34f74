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

func (r Rotated) counts(name string) bool { return name != "rotator_a" || r.Rotator > 0 }

// Validate implements Method.
func (a Averaged) Validate() error {
	if err := check(a); err != nil {
		return err
	}
	return a.OwnWords.check(a.Unit)
}

// Needs implements Method.
func (a Averaged) Needs() Needs { return vectorNeeds(a.WordVectors, a.OwnWords, a.Weighting) }

func vectorNeeds(v WordVectors, o OwnWords, w Weighting) Needs {
	n := Needs{Vectors: []string{v.Vectors}, Marginals: []Marginal{w.Marginal()}}
	if o.Beside != "" {
		n.Vectors = append(n.Vectors, o.Beside)
	}
	if o.Own != "" && o.Own != NoneOwn {
		n.Streams = []string{OwnStream}
	}
	return n
}

// Varies implements Method.
func (a Averaged) Varies(name string) bool {
	return a.counts(name) && (name != "rotator" || a.Rotator != 0)
}

func (a Averaged) counts(name string) bool {
	switch name {
	case "unit":
		return !a.OwnWords.Any() // which take vectors of length 1
	case "components":
		return a.RemovePC
	case "rotator_a":
		return a.Rotated.counts(name) && a.Weights != Uniform
	}
	return a.Weighting.counts(name) && a.Removal.counts(name) && a.OwnWords.counts(name)
}

func (a Averaged) vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error) {
	if a.OwnWords.Any() {
		return a.OwnWords.together(ctx, s, a.Vectors, a.Weighting, pairs)
	}
	return known(ctx, s, a.Vectors, a.Unit, a.Weighting, pairs)
}

// Scorer implements Method.
func (a Averaged) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	v, err := a.vectors(ctx, s, pairs)
	if err != nil {
		return nil, err
	}
	kept, err := a.kept(ctx, s)
	if err != nil {
		return nil, err
	}
	return a.scorer(v, kept), nil
}

// kept returns the components of the source where these are removed, else nil.
func (a Averaged) kept(ctx context.Context, s Source) (*sentence.Components, error) {
	if !a.Kept || a.RemovePC {
		return nil, ctx.Err()
	}
	return s.Kept(ctx)
}

func (a Averaged) scorer(v *vectors, kept *sentence.Components) Scorer {
	average := sentence.VectorAverage{
		Points: v.Points, Terms: v.terms, Components: a.removed(), PCBatch: a.PCBatch, Fixed: kept,
	}
	var m sentence.Method = average
	if a.Rotator > 0 {
		points := v.Points
		points.Weighting = weighting(a.Weights, a.RotatorA)
		rotator := sentence.WordMover{Points: points, Rotator: true}
		m = sentence.Sum{{Weight: 1, Method: average}, {Weight: a.Rotator, Method: rotator}}
	}
	return func(ctx context.Context) (sentence.Scores, error) { return m.Score(ctx, v.pairs) }
}

// removed is the number of components that are removed.
func (a Averaged) removed() int {
	if !a.RemovePC {
		return 0
	}
	return max(1, a.Components)
}
