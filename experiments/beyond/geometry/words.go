package geometry

import (
	"context"
	"fmt"
	"slices"

	"contextmover/experiments/harness/divergence"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/paper/hypernymy"
	"contextmover/experiments/paper/sts"
	"contextmover/experiments/paper/wordsim"
	"contextmover/experiments/show/render"
)

// Files lists the files that a profile has the experiment read.
func Files(p *profile.Profile) []string {
	if len(p.Geometry.Rows) == 0 {
		return nil
	}
	return slices.Concat(sts.Files(p), wordsim.Files(p), hypernymy.Files(p))
}

const (
	similarityTable = "wordsim_geometry"
	hypernymyTable  = "hypernymy_geometry"
)

// Words are the same questions asked of words.
type Words struct {
	Similarity []Similarity
	Hypernymy  *hypernymy.Result // its rows in the order of geometries; nil if the profile has none
}

// Similarity is a row of CMD between words by what its histograms
// are compared with: the geometries, then divergence.Divergences.
type Similarity struct {
	Block profile.WordBlock
	Rows  []profile.Row
	Variant
	Tried []int // settings tried on the validation sets, 0 where none are chosen
}

// comparisons names what a row's histograms are compared with.
func comparisons() []string {
	names := slices.Clone(geometries)
	for _, d := range divergence.Divergences() {
		names = append(names, string(d))
	}
	return names
}

// ComputeWords scores CMD of each block of word similarity, and of hypernymy, with every geometry. In a block
// whose settings are chosen each comparison has its own choice, by the same grid on the same validation sets.
func ComputeWords(ctx context.Context, w *pipeline.Workspace) (*Words, error) {
	all := new(Words)
	var rows []profile.Row
	for _, block := range w.Profile.WordSim.Blocks {
		for _, row := range block.Rows() {
			if !row.HasHistograms() || row.Histograms().Mix > 0 {
				continue
			}
			for i, name := range comparisons() {
				setting := "geometry"
				if i >= len(geometries) {
					setting = "compare"
				}
				v := row.With(setting, name)
				v.ID += "-" + name
				rows = append(rows, v)
			}
			all.Similarity = append(all.Similarity, Similarity{Block: block})
		}
	}
	rows, tried, err := wordsim.Choose(ctx, w, rows)
	if err != nil {
		return nil, err
	}
	result, err := wordsim.Score(ctx, w, rows)
	if err != nil {
		return nil, err
	}
	shuffled := new(wordsim.Result)
	for r, row := range rows {
		if row.Histograms().Geometry == method.Shuffled {
			shuffled.Rows = append(shuffled.Rows, row)
			shuffled.Measures = append(shuffled.Measures, result.Measures[r])
		}
	}
	for _, further := range w.Shuffles() {
		again, err := wordsim.Score(ctx, further, shuffled.Rows)
		if err != nil {
			return nil, err
		}
		shuffled.AddValues(again)
	}
	for b := range all.Similarity {
		s := &all.Similarity[b]
		for i := range comparisons() {
			at := b*len(comparisons()) + i
			s.Rows, s.Scores, s.Tried = append(s.Rows, rows[at]), append(s.Scores, result.Test(at).Estimate),
				append(s.Tried, len(tried[rows[at].ID]))
		}
		s.Minus = minus(s.Scores[1:], s.Scores[0])
	}
	if len(w.Profile.Hypernymy.Sets) > 0 {
		all.Hypernymy, err = hypernymy.Geometries(ctx, w)
	}
	return all, err
}

// Tables returns a table of word similarity and one of hypernymy.
func (r *Words) Tables(p *profile.Profile) (tables []*render.Table) {
	if len(r.Similarity) > 0 {
		tables = append(tables, r.similarity(p))
	}
	if r.Hypernymy != nil {
		tables = append(tables, r.hypernymy(p))
	}
	return tables
}

func (r *Words) similarity(p *profile.Profile) *render.Table {
	t := present.Table(p, similarityTable, "CMD of",
		"Word similarity with true, shuffled and discrete ground costs, and without any",
		fmt.Sprintf("Spearman × 100, mean over the test sets, weighted by their counted pairs. shuffled: each "+
			"cluster has the centroid of another, mean of %d arrangements. discrete: every move between two "+
			"clusters costs the mean of the true costs. The others compare the same histograms without a cost; "+
			"total variation is exact transport where every move costs the same.", p.Seeds.Shuffles),
		"− true: the difference from the true cost on the same pairs. Intervals: 95 %, from draws of pairs by "+
			"clusters of words, and of arrangements; vectors and clusters are those of one seed.",
		"Where settings are chosen on the validation sets, each column has its own choice, by the same grid.")
	columns(t, comparisons(), 1, "− true")
	for _, s := range r.Similarity {
		t.Add("", s.Block.ID, s.Block.Title, s.cells()...)
	}
	return t
}

// A hypernymyColumn has what row i of hypernymy finds there; estimate tells too whether there is any.
type hypernymyColumn struct {
	name     string
	digits   int
	estimate func(i int) (score.Estimate, bool)
}

// columns are the sets, their mean but for the one that settings are chosen on, and the graded pairs.
func (r *Words) columns() (all []hypernymyColumn) {
	h := r.Hypernymy
	ap := func(i, s int) score.Estimate { return h.Measures[h.Rows[i].Key].Sets[s].AP }
	var tests []int
	for s, set := range h.Sets {
		name := set.Name
		if set.Validation {
			name += " (validation)"
		} else {
			tests = append(tests, s)
		}
		all = append(all, hypernymyColumn{name, 1, func(i int) (score.Estimate, bool) { return ap(i, s), true }})
	}
	all = append(all, hypernymyColumn{"mean", 1, func(i int) (score.Estimate, bool) {
		var sets []score.Estimate
		for _, s := range tests {
			sets = append(sets, ap(i, s))
		}
		if len(sets) == 0 {
			return score.Estimate{}, false
		}
		return score.MeanEstimate(sets), true
	}})
	return append(all, hypernymyColumn{"graded pairs", 3, func(i int) (score.Estimate, bool) {
		m := h.Measures[h.Rows[i].Key].Graded
		if m == nil {
			return score.Estimate{}, false
		}
		return m.All, true
	}})
}

func (r *Words) hypernymy(p *profile.Profile) *render.Table {
	h := r.Hypernymy
	t := present.Table(p, hypernymyTable, "cost",
		"Hypernymy by "+h.Rows[0].Label+" with true, shuffled and discrete ground costs",
		"AP@all × 100; of the graded pairs (HyperLex) Spearman. mean: over the sets that nothing is chosen on. "+
			"true: the entailment cost. shuffled: each cluster has the centroid of another. discrete: every "+
			"move between two clusters costs the mean of the true costs and staying costs nothing, so that the "+
			"cost is the same both ways.",
		"− true: the difference on the same draws of pairs and the same seeds. Intervals: 95 %, from draws of "+
			"pairs by clusters of terms, and of the seeds of vectors, clusters and the shuffle.")
	for _, c := range r.columns() {
		t.Plain("", c.digits, c.name)
	}
	for i, name := range geometries {
		var row, less []render.Cell
		for _, c := range r.columns() {
			var own, apart render.Cell
			if e, ok := c.estimate(i); ok {
				base, _ := c.estimate(0)
				own, apart = pipeline.Cell(e), pipeline.Cell(e.Minus(base))
			}
			row, less = append(row, own), append(less, apart)
		}
		if t.Add("", name, name, row...); i > 0 {
			t.Add("differences", name+" − true", name+" − true", less...)
		}
	}
	return t
}

// quantities returns scores and differences for the verdict.
func (r *Words) quantities() (all []results.Quantity) {
	add := func(q results.Quantity, e score.Estimate) {
		all = append(all, q.Bounded(e))
	}
	for _, s := range r.Similarity {
		for i, name := range comparisons() {
			q := results.Quantity{
				Table: similarityTable, Row: s.Block.ID, Column: name, Variant: s.Block.ID, Source: s.Rows[i].ID,
				Tried: s.Tried[i],
			}
			if add(q, s.Scores[i]); i > 0 {
				q.Column += " − true"
				add(q, s.Minus[i-1])
			}
		}
	}
	if r.Hypernymy == nil {
		return all
	}
	for i, name := range geometries {
		for _, c := range r.columns() {
			if e, ok := c.estimate(i); ok {
				q := results.Quantity{
					Table: hypernymyTable, Row: name, Column: c.name, Variant: results.Paper,
					Source: r.Hypernymy.Rows[i].Key,
				}
				if add(q, e); i > 0 {
					base, _ := c.estimate(0)
					q.Row += " − true"
					add(q, e.Minus(base))
				}
			}
		}
	}
	return all
}
