package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
)

// The values that some keys choose from.
var (
	vectorKinds        = []string{SVD, GloVe}
	gloveRules         = []string{"paper", "today"}
	normalisations     = []string{"none", "total", "cluster size"}
	metrics            = []string{"euclidean", "squared euclidean", "angular"}
	costNormalisations = []string{"none", "max", "median", "mean", "log2", "ln"}
	spaceWeightings    = []string{Uniform, Inverse, SIFCorpus}
	weightings         = append(slices.Clone(spaceWeightings), SIFList, SIFRaw)
)

const idLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"

// checker collects the first thing that is wrong.
type checker struct {
	d   *decoder
	err error
}

func (c *checker) fail(key, format string, args ...any) {
	if c.err == nil {
		c.err = c.d.errorf(key, format, args...)
	}
}

func (c *checker) oneOf(key, value string, known []string) {
	if !slices.Contains(known, value) {
		c.fail(key, "%q, expected one of %s", value, `"`+strings.Join(known, `", "`)+`"`)
	}
}

// between checks low ≤ value ≤ high.
func (c *checker) between(key string, value, low, high float64) {
	if value < low || value > high {
		c.fail(key, "%v, expected %v to %v", value, low, high)
	}
}

func (c *checker) atLeast(key string, value, low int) {
	if value < low {
		c.fail(key, "%d, expected %d or more", value, low)
	}
}

func (c *checker) positive(key string, value float64) {
	if value <= 0 {
		c.fail(key, "%v, expected a number above 0", value)
	}
}

// check returns an error for the first value that is out of range.
func (d *decoder) check(p *Profile) error {
	c := &checker{d: d}
	if p.Name == "" || strings.ContainsAny(p.Name, `/\ .`) {
		c.fail("name", "%q, expected a name for folders: without blanks, dots and slashes", p.Name)
	}
	c.corpus(p.Corpus)
	c.vectors(p.Vectors)
	c.glove(p.GloVe)
	c.sts(p.STS)
	c.wordSimilarity(p.WordSim)
	c.hypernymy(p.Hypernymy)
	c.figures(p.Figures, p.STS.Rows)
	c.clusters(p.Clusters, p.STS.Rows)
	c.qualitative(p.Qualitative, p.STS)
	c.space(p.Space)
	return c.err
}

func (c *checker) corpus(s Corpus) {
	c.oneOf("corpus.kind", s.Kind, []string{KindMiniWorld, KindFiles})
	switch s.Kind {
	case KindMiniWorld:
		c.atLeast("corpus.tokens", s.Tokens, 1)
	case KindFiles:
		if len(s.Files) == 0 {
			c.fail("corpus.files", "no files, expected at least one")
		}
	}
	c.atLeast("corpus.min_count", int(s.MinCount), 1)
	c.between("corpus.window", float64(s.Window), 1, corpus.MaxWindow)
}

func (c *checker) vectors(s Vectors) {
	c.atLeast("vectors.dim", s.Dim, 1)
	c.between("vectors.smoothing", s.Smoothing, 0, 1)
	c.shift("vectors.shift", s.Shift)
	c.between("vectors.exponent", s.Exponent, 0, 1)
	c.atLeast("vectors.oversampling", s.Oversampling, 0)
	c.atLeast("vectors.power_iterations", s.PowerIterations, 0)
}

func (c *checker) glove(s GloVeTraining) {
	c.atLeast("glove.dim", s.Dim, 1)
	c.atLeast("glove.epochs", s.Epochs, 1)
	c.positive("glove.rate", s.Rate)
	c.positive("glove.x_max", s.XMax)
	c.between("glove.exponent", s.Exponent, 0, 1)
	c.oneOf("glove.rule", s.Rule, gloveRules)
}

func (c *checker) shift(key string, s float64) {
	if s < 1 {
		c.fail(key, "%v, expected 1 or more", s)
	}
}

func (c *checker) sts(s STS) {
	validation := 0
	var names []string
	for g, group := range s.Groups {
		key := fmt.Sprintf("sts.groups[%d]", g)
		c.name(key+".name", group.Name, &names)
		if group.Validation {
			validation++
		}
		if len(group.Sets) == 0 {
			c.fail(key+".sets", "no sets of sentence pairs in the group %s, expected at least one", group.Name)
		}
		var sets []string
		for i, set := range group.Sets {
			k := fmt.Sprintf("%s.sets[%d]", key, i)
			c.name(k+".name", set.Name, &sets)
			if set.File == "" {
				c.fail(k+".file", "no file for the set %s", set.Name)
			}
		}
	}
	if validation > 1 {
		c.fail("sts.groups", "%d groups have validation = true, expected at most one", validation)
	}
	var blocks []string
	for i, block := range s.Blocks {
		c.name(fmt.Sprintf("sts.blocks[%d].id", i), block.ID, &blocks)
	}
	for _, method := range slices.Sorted(maps.Keys(s.Select)) {
		c.oneOf("sts.select."+method, method, Methods())
		c.grid("sts.select."+method, s.Select[method])
	}
	c.grid("sts.tune.grid", s.Tune.Grid)
	c.grid("sts.tune.search", s.Tune.Search)
	for _, row := range s.Rows {
		key := "sts.rows." + row.ID
		if strings.Trim(row.ID, idLetters) != "" || row.ID == "" {
			c.fail(key, "%q is no id, expected letters, digits, - and _", row.ID)
		}
		c.row(key, row)
		if row.UsesList() && s.Frequencies == "" {
			c.fail("sts.frequencies", "no file, but the row %s has weights %q, which go by a list of frequencies", row.ID, SIFList)
		}
		if !slices.Contains(blocks, row.Block) {
			c.inherited(key, "block", func(k string) { c.fail(k, "%q, expected the id of a block: %s", row.Block, strings.Join(blocks, ", ")) })
		}
		if _, ok := s.Select[row.Method]; row.Select && !ok {
			c.fail(key+".select", "true, but there is no grid [sts.select.%s]", row.Method)
		}
		if row.Select && validation == 0 {
			c.fail(key+".select", "true, but no group has validation = true")
		}
	}
}

// name checks that a name is given and new.
func (c *checker) name(key, name string, names *[]string) {
	switch {
	case name == "":
		c.fail(key, "no name")
	case slices.Contains(*names, name):
		c.fail(key, "%q stands twice", name)
	}
	*names = append(*names, name)
}

// inherited calls f with the key of the row or, where the row has it from them, of
// the defaults, so that the error tells the right line.
func (c *checker) inherited(row, name string, f func(key string)) {
	key := row + "." + name
	_, set := c.d.from[key]
	if c.d.places[key].line == 0 && !set {
		key = "sts.defaults." + name
	}
	f(key)
}

func (c *checker) row(key string, r Row) {
	check := func(name string, f func(key string)) { c.inherited(key, name, f) }
	if r.Label == "" {
		c.fail(key+".label", "no label")
	}
	check("method", func(k string) { c.oneOf(k, r.Method, Methods()) })
	check("vectors", func(k string) { c.oneOf(k, r.Vectors, vectorKinds) })
	check("smoothing", func(k string) { c.between(k, r.Smoothing, 0, 1) })
	check("shift", func(k string) { c.shift(k, r.Shift) })
	check("normalisation", func(k string) { c.oneOf(k, r.Normalisation, normalisations) })
	check("beta", func(k string) { c.between(k, r.Beta, 0, 1) })
	check("clusters", func(k string) { c.atLeast(k, r.Clusters, 2) })
	check("metric", func(k string) { c.oneOf(k, r.Metric, metrics) })
	check("cost_normalisation", func(k string) { c.oneOf(k, r.CostNormalisation, costNormalisations) })
	check("clip", func(k string) { c.notNegative(k, r.Clip) })
	check("reg", func(k string) { c.positive(k, r.Reg) })
	check("iterations", func(k string) { c.atLeast(k, r.Iterations, 1) })
	check("tolerance", func(k string) { c.notNegative(k, r.Tolerance) })
	check("weights", func(k string) { c.oneOf(k, r.Weights, weightings) })
	check("a", func(k string) { c.positive(k, r.A) })
	check("mix", func(k string) { c.mix(k, r.Mix) })
	check("point_weights", func(k string) { c.oneOf(k, r.PointWeights, weightings) })
	check("point_a", func(k string) { c.positive(k, r.PointA) })
	check("pc_batch", func(k string) {
		if r.PCBatch < 0 || r.PCBatch == 1 {
			c.fail(k, "%d, expected 0 (all sentences of a set together) or 2 or more", r.PCBatch)
		}
	})
}

func (c *checker) notNegative(key string, x float64) {
	if x < 0 {
		c.fail(key, "%v, expected 0 or more", x)
	}
}

func (c *checker) mix(key string, m float64) {
	if m < 0 || m >= 1 {
		c.fail(key, "%v, expected 0 or more and below 1", m)
	}
}

func (c *checker) grid(key string, s Select) {
	each(key+".smoothing", s.Smoothing, func(k string, v float64) { c.between(k, v, 0, 1) })
	each(key+".shift", s.Shift, c.shift)
	each(key+".normalisation", s.Normalisation, func(k, v string) { c.oneOf(k, v, normalisations) })
	each(key+".beta", s.Beta, func(k string, v float64) { c.between(k, v, 0, 1) })
	each(key+".clusters", s.Clusters, func(k string, v int) { c.atLeast(k, v, 2) })
	each(key+".metric", s.Metric, func(k, v string) { c.oneOf(k, v, metrics) })
	each(key+".cost_normalisation", s.CostNormalisation, func(k, v string) { c.oneOf(k, v, costNormalisations) })
	each(key+".clip", s.Clip, c.notNegative)
	each(key+".reg", s.Reg, c.positive)
	each(key+".weights", s.Weights, func(k, v string) { c.oneOf(k, v, weightings) })
	each(key+".a", s.A, c.positive)
	each(key+".mix", s.Mix, c.mix)
	each(key+".point_a", s.PointA, c.positive)
}

func each[T any](key string, values []T, check func(key string, value T)) {
	for i, v := range values {
		check(fmt.Sprintf("%s[%d]", key, i), v)
	}
}
