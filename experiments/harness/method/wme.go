package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// wme is the cosine of word mover's embeddings [Wu et al. 2018]: features exp(−γ·WMD(s, document r)) of the distances
// to random documents, see sentence.WordMoverFeatures. A search does not vary the weights.
type wme struct {
	WordVectors
	Weighting
	Scaled
	Features
}

// Features are what word mover's embeddings are made of.
type Features struct {
	Gamma float64 `toml:"gamma" default:"1" range:">0" grid:"y" sign:"γ" help:"of distances in vectors' lengths"`

	Documents int `toml:"documents" default:"500" range:"1.." help:"number of random documents"`

	Length int `toml:"length" default:"9" range:"1.." help:"their number of words at most"`
}

// Validate implements Method.
func (m wme) Validate() error { return check(m) }

// Needs implements Method.
func (m wme) Needs() Needs {
	n := vectorNeeds(m.WordVectors, OwnWords{}, m.Weighting)
	m.Gamma = 0 // all γ share the costs
	n.Costs, n.Streams = m, []string{documentsStream}
	return n
}

// Varies implements Method.
func (m wme) Varies(name string) bool { return name != "weights" && name != "a" }

// Scorer implements Method.
func (m wme) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	v, err := known(ctx, s, m.Vectors, m.Unit, m.Weighting, pairs)
	if err != nil {
		return nil, err
	}
	all := m.Needs().Costs
	return scored(sentence.WordMoverFeatures{
		Points: v.Points, Documents: m.Documents, Length: m.Length, Gamma: m.Gamma, Seed: s.Seed(documentsStream),
		Kept: func(ctx context.Context, costs func(ctx context.Context) ([]float64, error)) ([]float64, error) {
			return s.Costs(ctx, all, costs)
		},
	}, v.pairs), nil
}
