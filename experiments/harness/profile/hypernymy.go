package profile

import (
	"fmt"
	"slices"
	"strings"

	"contextmover/cmdlib/ground"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/trainers/entailment"
)

// Hypernymy describes the experiment on hypernymy.
type Hypernymy struct {
	// Accuracy names the set that accuracies and rank differences are shown for, HyperLex
	// is the file of graded pairs; each empty for none.
	Accuracy string `toml:"accuracy"`
	HyperLex string `toml:"hyperlex"`
	// Published tells whether the paper printed the sets and rows.
	Published bool               `toml:"published"`
	Vectors   EntailmentTraining `toml:"vectors"`
	CMD       HypernymyCMD       `toml:"cmd"`
	Grid      HypernymyGrid      `toml:"grid"`
	// Select is the grid of numbers of clusters, smoothing and shifts that the settings of one more row are chosen
	// from, on the set for validation; the others are those of CMD. An empty one: no such row.
	Select    method.Grid        `toml:"select"`
	Baselines HypernymyBaselines `toml:"baselines"`
	DIVE      DIVETraining       `toml:"dive" without:"dim"`
	Gaussian  GaussianTraining   `toml:"gaussian" without:"dim"`
	Poincare  PoincareTraining   `toml:"poincare" without:"disks"`
	Patterns  HypernymyPatterns  `toml:"patterns"`
	Sets      []HypernymySet     `toml:"sets"`
}

// HypernymyPatterns are the settings of rows by Hearst's patterns.
type HypernymyPatterns struct {
	// Ranks of the associations with patterns, one of which is chosen on the set for validation; none: no such rows.
	Ranks []int `toml:"ranks" range:"1.."`
}

// Entailment are vectors of log-odds between which one word can entail another.
const Entailment = "entailment"

// EntailmentTraining says how entailment vectors are trained, or what file they are
// read from.
type EntailmentTraining struct {
	File string `toml:"file"`
	entailment.Params
	Scale float64 `toml:"scale" range:">0"`
}

// HypernymySet is a file of pairs of terms in HypEval's format.
type HypernymySet struct {
	Name string `toml:"name" unique:"y"`
	File string `toml:"file"`
	// Validation marks the set to choose settings on; Main the sets of the main table and
	// Grid those that the grid is scored on.
	Validation bool `toml:"validation"`
	Main       bool `toml:"main"`
	Grid       bool `toml:"grid"`
}

// HypernymyCMD are the settings of CMD; there is a row for each number of clusters.
type HypernymyCMD struct {
	method.Estimates
	Clusters          []int                `toml:"clusters" range:"2.." words:"y" need:"no numbers of clusters, expected at least one"`
	CostNormalisation ground.Normalisation `toml:"cost_normalisation" oneof:"unit"`
	method.Transport
}

// HypernymyGrid are the settings that the grid's rows vary; the others are those of
// HypernymyCMD.
type HypernymyGrid struct {
	Clusters  int       `toml:"clusters" range:"2.." words:"y"`
	Smoothing []float64 `toml:"smoothing" range:"0..1"`
	Shift     []float64 `toml:"shift" range:"1.."`
}

// HypernymyBaselines are the settings of the baselines.
type HypernymyBaselines struct {
	Smoothing float64 `toml:"smoothing" range:"0..1"`
	Shift     float64 `toml:"shift" range:"1.."`
	Contexts  int     `toml:"contexts" range:"1.."`
}

func (c *checker) hypernymy(s Hypernymy) {
	if len(s.Sets) == 0 {
		return
	}
	for i, set := range s.Sets {
		if set.File == "" {
			c.fail(fmt.Sprintf("hypernymy.sets[%d].file", i), "no file for the set %s%s", set.Name,
				undeclared("hypernymy.sets", set.Name))
		}
	}
	if s.Accuracy != "" {
		c.oneOf("hypernymy.accuracy", s.Accuracy, c.names["hypernymy.sets"])
	}
	v := s.Vectors
	if v.Dim < 2 || v.Dim%2 != 0 {
		c.fail("hypernymy.vectors.dim", "%d, expected an even number of 2 or more: twice the dimensions it starts from",
			v.Dim)
	}
	c.only("hypernymy.select", s.Select, "clusters", "smoothing", "shift")
	if s.Gaussian.Dim > 0 {
		c.params("hypernymy.gaussian", s.Gaussian.Params)
	}
	if slices.ContainsFunc(s.Sets, func(set HypernymySet) bool { return set.Validation }) {
		return
	}
	for _, g := range c.p.grids() {
		if strings.HasPrefix(g.key, "hypernymy.") && len(g.values) > 0 {
			c.fail(g.key, "there is nothing to choose on: no set has validation = true")
		}
	}
}
