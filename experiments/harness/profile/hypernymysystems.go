package profile

import (
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/poincare"
)

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
	Score       string `toml:"score" oneof:"ΔS|C·ΔS|W·ΔS|AL1" grid:"y"`
}

// DIVETraining is DIVE, and what settings one more row is chosen from.
type DIVETraining struct {
	DIVE
	Select method.Grid `toml:"select"`
}

// GaussianTraining says how words are trained as Gaussian distributions on
// the counts, and what settings one more row of each score is chosen from.
type GaussianTraining struct {
	gaussian.Params             // Dim 0: no such rows
	Select          method.Grid `toml:"select"`
}

// Poincare says how words are trained as points of hyperbolic planes on
// the counts, and how pairs are scored by them, read as Gaussian distributions.
type Poincare struct {
	poincare.Params // Disks 0: no such rows
	// Words is how many of the most frequent words stand for general ones, and as many others for specific ones, where
	// that turns the vectors.
	Words int    `toml:"words" range:"1.." grid:"y"`
	Score string `toml:"score" oneof:"is-a|KL" grid:"y"`
}

// PoincareTraining is Poincare, and what settings one more row is chosen from.
type PoincareTraining struct {
	Poincare
	Select method.Grid `toml:"select"`
}
