package profile

import (
	"fmt"

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
	DIVE      DIVETraining       `toml:"dive"`
	Gaussian  GaussianTraining   `toml:"gaussian"`
	Poincare  PoincareTraining   `toml:"poincare"`
	Patterns  HypernymyPatterns  `toml:"patterns"`
	Sets      []HypernymySet     `toml:"sets"`
}

// HypernymyPatterns are the settings of rows by Hearst's patterns.
type HypernymyPatterns struct {
	// Ranks of the associations with patterns, one of which is chosen on the set for validation; none: no such rows.
	Ranks []int `toml:"ranks"`
}

// Entailment are vectors of log-odds between which one word can entail another.
const Entailment = "entailment"

// EntailmentTraining says how entailment vectors are trained, or what file they are
// read from.
type EntailmentTraining struct {
	File string `toml:"file"`
	entailment.Params
	Scale float64 `toml:"scale"`
}

// HypernymySet is a file of pairs of terms in HypEval's format.
type HypernymySet struct {
	Name string `toml:"name"`
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
	Clusters          []int                `toml:"clusters"`
	CostNormalisation ground.Normalisation `toml:"cost_normalisation"`
	method.Transport
}

// HypernymyGrid are the settings that the grid's rows vary; the others are those of
// HypernymyCMD.
type HypernymyGrid struct {
	Clusters  int       `toml:"clusters"`
	Smoothing []float64 `toml:"smoothing"`
	Shift     []float64 `toml:"shift"`
}

// HypernymyBaselines are the settings of the baselines.
type HypernymyBaselines struct {
	Smoothing float64 `toml:"smoothing"`
	Shift     float64 `toml:"shift"`
	Contexts  int     `toml:"contexts"`
}

func (c *checker) hypernymy(s Hypernymy) {
	if len(s.Sets) == 0 {
		return
	}
	var names []string
	for i, set := range s.Sets {
		key := fmt.Sprintf("hypernymy.sets[%d]", i)
		c.name(key+".name", set.Name, &names)
		if set.File == "" {
			c.fail(key+".file", "no file for the set %s%s", set.Name, undeclared("hypernymy.sets", set.Name))
		}
	}
	if s.Accuracy != "" {
		c.oneOf("hypernymy.accuracy", s.Accuracy, names)
	}
	v := s.Vectors
	if v.Dim < 2 || v.Dim%2 != 0 {
		c.fail("hypernymy.vectors.dim", "%d, expected an even number of 2 or more: twice the dimensions it starts from",
			v.Dim)
	}
	c.params("hypernymy.vectors", v)
	c.positive("hypernymy.vectors.scale", v.Scale)
	c.group("hypernymy.cmd", s.CMD)
	if len(s.CMD.Clusters) == 0 {
		c.fail("hypernymy.cmd.clusters", "no numbers of clusters, expected at least one")
	}
	each("hypernymy.cmd.clusters", s.CMD.Clusters, c.k)
	c.oneOf("hypernymy.cmd.cost_normalisation", string(s.CMD.CostNormalisation), norms)
	c.k("hypernymy.grid.clusters", s.Grid.Clusters)
	each("hypernymy.grid.smoothing", s.Grid.Smoothing, func(k string, v float64) { c.between(k, v, 0, 1) })
	each("hypernymy.grid.shift", s.Grid.Shift, c.shift)
	c.only("hypernymy.select", s.Select, "clusters", "smoothing", "shift")
	c.between("hypernymy.baselines.smoothing", s.Baselines.Smoothing, 0, 1)
	c.shift("hypernymy.baselines.shift", s.Baselines.Shift)
	c.atLeast("hypernymy.baselines.contexts", s.Baselines.Contexts, 1)
	c.systemsOf(s)
	each("hypernymy.patterns.ranks", s.Patterns.Ranks, func(k string, rank int) { c.atLeast(k, rank, 1) })
	c.validated(s)
}
