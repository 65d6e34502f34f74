package profile

import (
	"fmt"
	"slices"
)

// WordSim describes the experiment on word similarity.
type WordSim struct {
	Sets   []WordSet   `toml:"sets"`
	Blocks []WordBlock `toml:"blocks"`
	Select WordSelect  `toml:"select"`
	// Accelerate is that of all rows.
	Accelerate bool `toml:"accelerate"`
}

// Rows returns the rows of all blocks.
func (s WordSim) Rows() (rows []Row) {
	for _, b := range s.Blocks {
		for _, r := range b.Rows() {
			r.Accelerate = s.Accelerate
			rows = append(rows, r)
		}
	}
	return rows
}

// WordSet is a file of word pairs.
type WordSet struct {
	Name       string `toml:"name"`
	File       string `toml:"file"`
	Published  string `toml:"published"` // its column in the paper's Table 3, or empty
	Validation bool   `toml:"validation"`
}

// WordBlock is a part of the tables: cosine, CMD and CMD Mix on one kind of word
// vectors with one setting, or with one chosen on the validation sets.
type WordBlock struct {
	ID        string `toml:"id"`
	Title     string `toml:"title"`
	Note      string `toml:"note"`
	Vectors   string `toml:"vectors"`
	Select    bool   `toml:"select"`
	Published bool   `toml:"published"` // whether the paper's Table 3 shows its cosine and its Mix

	Smoothing         float64 `toml:"smoothing"`
	Shift             float64 `toml:"shift"`
	Normalisation     string  `toml:"normalisation"`
	Beta              float64 `toml:"beta"`
	Clusters          int     `toml:"clusters"`
	Metric            string  `toml:"metric"`
	Spherical         bool    `toml:"spherical"`
	CostNormalisation string  `toml:"cost_normalisation"`
	Clip              float64 `toml:"clip"`
	Reg               float64 `toml:"reg"`
	Iterations        int     `toml:"iterations"`
	Mix               float64 `toml:"mix"`
}

// A word is a sentence of one word: its estimate is the sentence's histogram, its
// vector the sentence's point. So the rows of a block are rows of sentence similarity.
func (b WordBlock) row(id, label, method string) Row {
	return Row{
		ID: b.ID + "-" + id, Label: label, Block: b.ID, Method: method, Vectors: b.Vectors,
		Weights: "uniform", A: 1, PointWeights: "uniform", PointA: 1,
	}
}

func (b WordBlock) transport(id, label string, mix float64) Row {
	r := b.row(id, label, Euclidean)
	r.Select, r.Mix = b.Select, mix
	r.Smoothing, r.Shift, r.Normalisation, r.Beta = b.Smoothing, b.Shift, b.Normalisation, b.Beta
	r.Clusters, r.Metric, r.Spherical, r.CostNormalisation = b.Clusters, b.Metric, b.Spherical, b.CostNormalisation
	r.Clip, r.Reg, r.Iterations = b.Clip, b.Reg, b.Iterations
	return r
}

// The paper's rows of word similarity, as keys of package published.
const (
	publishedCosine = "D_GloVe (cosine)"
	publishedMix    = "CMD K=400 + D_GloVe"
)

// Rows returns the rows of the block: the cosine of the vectors, CMD, and CMD Mix.
func (b WordBlock) Rows() []Row {
	rows := []Row{
		b.row("cosine", "cosine", NBoW),
		b.transport("cmd", "CMD", 0),
		b.transport("cmd-mix", "CMD Mix", b.Mix),
	}
	if b.Published {
		rows[0].PublishedSummary, rows[2].PublishedSummary = publishedCosine, publishedMix
	}
	return rows
}

// WordSelect is the grid that is searched for CMD and CMD Mix in the blocks with
// select = true, as Select is for sentences.
type WordSelect struct {
	Smoothing         []float64 `toml:"smoothing"`
	Shift             []float64 `toml:"shift"`
	Beta              []float64 `toml:"beta"`
	Clusters          []int     `toml:"clusters"`
	Metric            []string  `toml:"metric"`
	CostNormalisation []string  `toml:"cost_normalisation"`
	Clip              []float64 `toml:"clip"`
	Reg               []float64 `toml:"reg"`
	Mix               []float64 `toml:"mix"`
}

func (s WordSelect) sentences() Select {
	return Select{
		Smoothing: s.Smoothing, Shift: s.Shift, Beta: s.Beta, Clusters: s.Clusters, Metric: s.Metric,
		CostNormalisation: s.CostNormalisation, Clip: s.Clip, Reg: s.Reg, Mix: s.Mix,
	}
}

// Rows returns the row with each combination of the grid's values, as Select.Rows does.
func (s WordSelect) Rows(row Row) []Row { return s.sentences().Rows(row) }

func (c *checker) wordSimilarity(s WordSim) {
	var names []string
	for i, set := range s.Sets {
		key := fmt.Sprintf("wordsim.sets[%d]", i)
		c.name(key+".name", set.Name, &names)
		if set.File == "" {
			c.fail(key+".file", "no file for the set %s", set.Name)
		}
	}
	validated := slices.ContainsFunc(s.Sets, func(s WordSet) bool { return s.Validation })
	if len(s.Sets) > 0 && !slices.ContainsFunc(s.Sets, func(s WordSet) bool { return !s.Validation }) {
		c.fail("wordsim.sets", "all sets have validation = true, expected one to test on")
	}
	var blocks []string
	for i, b := range s.Blocks {
		key := fmt.Sprintf("wordsim.blocks[%d]", i)
		c.name(key+".id", b.ID, &blocks)
		c.oneOf(key+".vectors", b.Vectors, vectorKinds)
		if b.Select && !validated {
			c.fail(key+".select", "true, but no set has validation = true")
		}
		c.between(key+".smoothing", b.Smoothing, 0, 1)
		c.shift(key+".shift", b.Shift)
		c.oneOf(key+".normalisation", b.Normalisation, normalisations)
		c.between(key+".beta", b.Beta, 0, 1)
		c.k(key+".clusters", b.Clusters)
		c.oneOf(key+".metric", b.Metric, metrics)
		c.oneOf(key+".cost_normalisation", b.CostNormalisation, costNormalisations)
		c.notNegative(key+".clip", b.Clip)
		c.reg(key+".reg", b.Reg)
		c.atLeast(key+".iterations", b.Iterations, 1)
		c.mix(key+".mix", b.Mix)
	}
	c.grid("wordsim.select", s.Select.sentences())
}
