package profile

import (
	"fmt"
	"slices"

	"contextmover/experiments/harness/method"
)

// WordSim describes the experiment on word similarity.
type WordSim struct {
	Sets   []WordSet   `toml:"sets"`
	Blocks []WordBlock `toml:"blocks"`
	// Select is the grid that is searched for CMD and CMD Mix in the blocks with select = true.
	Select method.Grid `toml:"select"`
	// Accelerate is that of all rows.
	Accelerate bool `toml:"accelerate"`
}

// Rows returns the rows of all blocks.
func (s WordSim) Rows() (rows []Row) {
	for _, b := range s.Blocks {
		for _, r := range b.Rows() {
			if t, ok := method.GroupOf[method.Transport](r.Method); ok && s.Accelerate {
				t.Accelerate = true
				r.Method = method.With(r.Method, t)
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// Settings returns a row with each combination of the values of Select.
func (s WordSim) Settings(row Row) []Row { return rowsOf(s.Select, row) }

// WordSet is a file of word pairs.
type WordSet struct {
	Name       string `toml:"name" unique:"y"`
	File       string `toml:"file"`
	Published  string `toml:"published"` // its column in the paper's Table 3, or empty
	Validation bool   `toml:"validation"`
}

// WordBlock is a part of the tables: cosine, CMD and CMD Mix on one kind of word
// vectors with one setting, or with one chosen on the validation sets.
type WordBlock struct {
	ID        string `toml:"id" unique:"y"`
	Title     string `toml:"title"`
	Note      string `toml:"note"`
	Select    bool   `toml:"select"`
	Published bool   `toml:"published"` // whether the paper's Table 3 shows its cosine and its Mix
	// Text is the method of CMD Mix; words are not weighted.
	Text string `toml:"method"`

	method.Average `toml:"-"`
}

// A word is a sentence of one word: its estimate is the sentence's histogram, its
// vector the sentence's point. So the rows of a block are rows of sentence similarity.
func (b WordBlock) row(id, label string, m method.Method) Row {
	return Row{ID: b.ID + "-" + id, Label: label, Block: b.ID, Method: m}
}

func (b WordBlock) transport(id, label string, mix float64) Row {
	h := b.Histograms
	h.Compared, h.Removal = method.Compared{Compare: method.ByTransport}, method.Removal{}
	h.Weighting = method.Weighting{Weights: Uniform, A: 1}
	h.Mixed = method.Mixed{Mix: mix, PointWeights: Uniform, PointA: 1}
	r := b.row(id, label, method.Average{Histograms: h})
	r.Select = b.Select
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
		b.row("cosine", "cosine", method.With(method.KindOf(method.NBoW{}).Method, b.WordVectors)),
		b.transport("cmd", "CMD", 0),
		b.transport("cmd-mix", "CMD Mix", b.Mix),
	}
	if b.Published {
		rows[0].PublishedSummary, rows[2].PublishedSummary = publishedCosine, publishedMix
	}
	return rows
}

func (c *checker) wordSimilarity(s WordSim) {
	for i, set := range s.Sets {
		if set.File == "" {
			c.fail(fmt.Sprintf("wordsim.sets[%d].file", i), "no file for the set %s%s", set.Name,
				undeclared("wordsim.sets", set.Name))
		}
	}
	validated := slices.ContainsFunc(s.Sets, func(s WordSet) bool { return s.Validation })
	if len(s.Sets) > 0 && !slices.ContainsFunc(s.Sets, func(s WordSet) bool { return !s.Validation }) {
		c.fail("wordsim.sets", "all sets have validation = true, expected one to test on")
	}
	for i, b := range s.Blocks {
		key := fmt.Sprintf("wordsim.blocks[%d]", i)
		if b.Select && !validated {
			c.fail(key+".select", "true, but no set has validation = true")
		}
		c.atMost(key+".method", b.Average, nil)
	}
}
