package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// regularisedWMD is WMD with entropy: regularised transport with λ in units of the mean cost of the pair.
type regularisedWMD struct {
	WordVectors
	Weighting
	Scaled
	Transport
}

func (m regularisedWMD) moved() Moved {
	return Moved{m.WordVectors, m.Weighting, m.Scaled, OwnWords{Own: NoneOwn, BesideScale: 1}}
}

// Validate implements Method.
func (m regularisedWMD) Validate() error { return check(m) }

// Needs implements Method.
func (m regularisedWMD) Needs() Needs {
	n := m.moved().Needs()
	n.Engine = true
	return n
}

func (m regularisedWMD) counts(name string) bool {
	return name != "tolerance" && m.moved().counts(name) // that of barycenters
}

func (m regularisedWMD) vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error) {
	return m.moved().vectors(ctx, s, pairs)
}

func (m regularisedWMD) method(s Source, v *vectors) sentence.Method {
	mover := sentence.WordMover{Points: v.Points, Engine: s.Engine()}
	mover.Settings, _ = s.Solver(m.Transport)
	return mover
}
