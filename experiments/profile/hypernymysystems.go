package profile

import (
	"contextmover/cmdlib/embedding/dive"
	"contextmover/cmdlib/embedding/gaussian"
	"contextmover/cmdlib/embedding/poincare"
)

// DIVETraining says how DIVE's vectors are trained on the counts, and what settings one more row is chosen from.
type DIVETraining struct {
	dive.Params            // Dim 0: no such rows
	Select      DIVESelect `toml:"select"`
}

// DIVESelect is the grid that the settings of a row are chosen from, on the set for validation; without scores
// there is no such row.
type DIVESelect struct {
	Inclusion []float64 `toml:"inclusion"`
	Scores    []string  `toml:"scores"`
}

// The scores of a pair by DIVE's vectors.
const (
	DeltaS  = "ΔS"
	CDeltaS = "C·ΔS" // with the cosine of these vectors
	WDeltaS = "W·ΔS" // with that of the word vectors
	AL1     = "AL1"
)

var diveScores = []string{DeltaS, CDeltaS, WDeltaS, AL1}

func (c *checker) dive(s DIVETraining) {
	const key = "hypernymy.dive."
	if s.Dim == 0 {
		return
	}
	c.params("hypernymy.dive", s)
	c.selection(key+"select", len(s.Select.Inclusion), len(s.Select.Scores))
	each(key+"select.inclusion", s.Select.Inclusion, func(k string, x float64) { c.between(k, x, 1e-6, 1000) })
	each(key+"select.scores", s.Select.Scores, func(k, v string) { c.oneOf(k, v, diveScores) })
}

// GaussianTraining says how words are trained as Gaussian distributions on
// the counts, and what settings one more row of each score is chosen from.
type GaussianTraining struct {
	gaussian.Params                // Dim 0: no such rows
	Select          GaussianSelect `toml:"select"`
}

// GaussianSelect is the grid that the settings of a row are chosen from, on the set for validation; without values
// there is no such row.
type GaussianSelect struct {
	Spherical []bool    `toml:"spherical"`
	Margin    []float64 `toml:"margin"`
}

func (c *checker) gaussian(s GaussianTraining) {
	const key = "hypernymy.gaussian."
	if s.Dim == 0 {
		return
	}
	c.params("hypernymy.gaussian", s)
	c.selection(key+"select", len(s.Select.Spherical), len(s.Select.Margin))
	each(key+"select.margin", s.Select.Margin, c.positive)
}

// PoincareTraining says how words are trained as points of hyperbolic
// planes on the counts, and what settings one more row is chosen from.
type PoincareTraining struct {
	poincare.Params                // Disks 0: no such rows
	Words           int            `toml:"words"`
	Select          PoincareSelect `toml:"select"`
}

// PoincareSelect is the grid that the settings of a row are chosen from, on the set for validation; without values
// there is no such row.
type PoincareSelect struct {
	Rate   []float64 `toml:"rate"`
	Words  []int     `toml:"words"`
	Scores []string  `toml:"scores"`
}

// The scores of a pair by its points, read as Gaussian distributions.
const (
	IsA     = "is-a" // difference of the logarithms of standard deviations
	MinusKL = "KL"   // less the divergence of the narrow one's from the wide one's; of Gaussian embeddings too
)

var poincareScores = []string{IsA, MinusKL}

func (c *checker) poincare(s PoincareTraining) {
	const key = "hypernymy.poincare."
	if s.Disks == 0 {
		return
	}
	c.params("hypernymy.poincare", s)
	words := func(key string, n int) { c.atLeast(key, n, 1) }
	words(key+"words", s.Words)
	c.selection(key+"select", len(s.Select.Rate), len(s.Select.Words), len(s.Select.Scores))
	each(key+"select.rate", s.Select.Rate, c.positive)
	each(key+"select.words", s.Select.Words, words)
	each(key+"select.scores", s.Select.Scores, func(k, v string) { c.oneOf(k, v, poincareScores) })
}

// selection checks the lengths of the lists of a grid: all or none are empty.
func (c *checker) selection(key string, lengths ...int) {
	empty := 0
	for _, n := range lengths {
		if n == 0 {
			empty++
		}
	}
	if empty > 0 && empty < len(lengths) {
		c.fail(key, "one of its lists is empty: give each at least one value, or all none")
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
		"hypernymy.select":                 len(s.Select) > 0,
		"hypernymy.dive.select.scores":     s.DIVE.Dim > 0 && len(s.DIVE.Select.Scores) > 0,
		"hypernymy.gaussian.select.margin": s.Gaussian.Dim > 0 && len(s.Gaussian.Select.Margin) > 0,
		"hypernymy.poincare.select.scores": s.Poincare.Disks > 0 && len(s.Poincare.Select.Scores) > 0,
	} {
		if chosen {
			c.fail(key, "there is nothing to choose on: no set has validation = true")
		}
	}
}
