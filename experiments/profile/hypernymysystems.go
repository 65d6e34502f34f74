package profile

import (
	"contextmover/cmdlib/embedding/dive"
	"contextmover/cmdlib/embedding/gaussian"
	"contextmover/cmdlib/embedding/poincare"
	"contextmover/cmdlib/method"
)

// OwnGrid has values to try for settings of the table that it stands in, those with a tag grid (see method.Field). The
// settings of one more row are chosen from them, on the set for validation; without values there is no such row.
type OwnGrid method.Grid

// The scores of a pair by vectors of systems.
const (
	DeltaS  = "ΔS"
	CDeltaS = "C·ΔS" // with the cosine of DIVE's vectors
	WDeltaS = "W·ΔS" // with that of the word vectors
	AL1     = "AL1"
	IsA     = "is-a" // difference of the logarithms of standard deviations
	MinusKL = "KL"   // less the divergence of the narrow one's distribution from the wide one's
)

// DIVE says how DIVE's vectors are trained on the counts, and how pairs are scored by them.
type DIVE struct {
	dive.Params        // Dim 0: no such rows
	Score       string `toml:"score" default:"C·ΔS" oneof:"ΔS|C·ΔS|W·ΔS|AL1" grid:"y"`
}

// DIVETraining is DIVE, and what settings one more row is chosen from.
type DIVETraining struct {
	DIVE
	Select OwnGrid `toml:"select"`
}

// GaussianTraining says how words are trained as Gaussian distributions on
// the counts, and what settings one more row of each score is chosen from.
type GaussianTraining struct {
	gaussian.Params         // Dim 0: no such rows
	Select          OwnGrid `toml:"select"`
}

// Poincare says how words are trained as points of hyperbolic planes on
// the counts, and how pairs are scored by them, read as Gaussian distributions.
type Poincare struct {
	poincare.Params // Disks 0: no such rows
	// Words is how many of the most frequent words stand for general ones, and as many others for specific ones, where
	// that turns the vectors.
	Words int    `toml:"words" range:"1.." grid:"y"`
	Score string `toml:"score" default:"is-a" oneof:"is-a|KL" grid:"y"`
}

// PoincareTraining is Poincare, and what settings one more row is chosen from.
type PoincareTraining struct {
	Poincare
	Select OwnGrid `toml:"select"`
}

// systemsOf checks the systems that there are.
func (c *checker) systemsOf(s Hypernymy) {
	check := func(key string, settings interface{ Validate() error }, g OwnGrid) {
		c.params(key, settings)
		c.group(key, settings)
		c.values(key+".select", method.Grid(g), ownFields(settings))
	}
	if s.DIVE.Dim > 0 {
		check("hypernymy.dive", s.DIVE, s.DIVE.Select)
	}
	if s.Gaussian.Dim > 0 {
		check("hypernymy.gaussian", s.Gaussian, s.Gaussian.Select)
	}
	if s.Poincare.Disks > 0 {
		check("hypernymy.poincare", s.Poincare, s.Poincare.Select)
	}
}

// validated checks that there is a set to choose on where anything is to be chosen.
func (c *checker) validated(s Hypernymy) {
	for _, set := range s.Sets {
		if set.Validation {
			return
		}
	}
	for key, chosen := range map[string]bool{
		"hypernymy.select":          len(s.Select) > 0,
		"hypernymy.dive.select":     s.DIVE.Dim > 0 && len(s.DIVE.Select) > 0,
		"hypernymy.gaussian.select": s.Gaussian.Dim > 0 && len(s.Gaussian.Select) > 0,
		"hypernymy.poincare.select": s.Poincare.Disks > 0 && len(s.Poincare.Select) > 0,
	} {
		if chosen {
			c.fail(key, "there is nothing to choose on: no set has validation = true")
		}
	}
}
