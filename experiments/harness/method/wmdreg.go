package method

import "context"

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

// Varies implements Method.
func (m regularisedWMD) Varies(name string) bool { return m.counts(name) }

func (m regularisedWMD) counts(name string) bool {
	return name != "tolerance" && m.moved().counts(name) // that of barycenters
}

// Scorer implements Method.
func (m regularisedWMD) Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error) {
	mover, of, err := m.moved().mover(ctx, s, pairs)
	mover.Engine = s.Engine()
	mover.Settings, _ = s.Solver(m.Transport)
	return scored(mover, of), err
}
