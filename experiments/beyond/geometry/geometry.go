package geometry

import (
	"context"
	"fmt"
	"slices"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// tableID is the id of the table and of the figure.
const (
	tableID      = "sts_geometry"
	withoutTable = tableID + "_without"
)

// geometries are what costs know, the true one first.
var geometries = []string{method.TrueGeometry, method.Shuffled, method.Discrete}

// plain lists the comparisons that move nothing.
func plain() []string { return method.Comparisons()[1:] }

// A Variant is a row with one setting changed: what it scores with each geometry.
type Variant struct {
	profile.Variation
	// Scores are means of the test groups, in the order of geometries.
	// Minus[i] is Scores[i+1] minus the true one's, over the same pairs.
	Scores, Minus []score.Estimate
}

// Plain is a row whose histograms are compared without transport. They are those of the row's own λ.
type Plain struct {
	Row    profile.Row
	Scores []score.Estimate // in the order of plain
	Minus  []score.Estimate // minus the row with its true cost
}

// Result is the outcome of the experiment.
type Result struct {
	Variants []Variant
	Plain    []Plain
}

// Compute scores the profile's rows with every geometry and each setting
// changed that the profile lists, and their histograms without a cost.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	var rows []profile.Row // all, so that those which share estimates can follow one another
	own, err := w.Profile.RowsOf("geometry.rows", w.Profile.Geometry.Rows)
	if err != nil {
		return nil, err
	}
	for _, row := range own {
		rows = append(rows, row)
		for _, v := range w.Profile.Geometry.Variations(row) {
			for _, g := range geometries {
				rows = append(rows, v.Row.With("geometry", g))
			}
		}
		for _, compare := range plain() {
			rows = append(rows, row.With("compare", compare))
		}
	}
	measures, err := w.MeasureRows(ctx, rows)
	if err != nil {
		return nil, err
	}
	var shuffled []profile.Row
	var ofShuffled [][][]pipeline.Measure
	for r, row := range rows {
		if row.HasHistograms() && row.Histograms().Geometry == method.Shuffled {
			shuffled, ofShuffled = append(shuffled, row), append(ofShuffled, measures[r])
		}
	}
	for _, further := range w.Shuffles() {
		if err := further.AddValues(ctx, shuffled, ofShuffled); err != nil {
			return nil, err
		}
	}
	var scores []score.Estimate
	for r, row := range rows {
		m, err := pipeline.TestAverage(w.Profile.STS.Groups, measures[r], func(g profile.Group) ([]float64, error) {
			return w.GroupDraws(ctx, row, g)
		})
		if err != nil {
			return nil, err
		}
		scores = append(scores, m.Estimate)
	}
	next := func(n int) []score.Estimate {
		some := scores[:n]
		scores = scores[n:]
		return some
	}
	result := &Result{}
	for _, row := range own {
		base := next(1)[0]
		for _, variation := range w.Profile.Geometry.Variations(row) {
			v := Variant{Variation: variation, Scores: next(len(geometries))}
			for _, s := range v.Scores[1:] {
				v.Minus = append(v.Minus, s.Minus(v.Scores[0]))
			}
			result.Variants = append(result.Variants, v)
		}
		p := Plain{Row: row, Scores: next(len(plain()))}
		for _, s := range p.Scores {
			p.Minus = append(p.Minus, s.Minus(base))
		}
		result.Plain = append(result.Plain, p)
	}
	return result, nil
}

// Tables returns the scores by geometry, and those without a cost.
func (r *Result) Tables(p *profile.Profile) []*render.Table {
	byGeometry := present.Table(p, tableID, "method",
		"Sentence similarity with true, shuffled and discrete ground costs",
		fmt.Sprintf("Pearson × 100, mean of the test groups. shuffled: each cluster has the centroid of another, "+
			"mean of %d arrangements, whose spread the intervals contain. discrete: every move costs the mean of "+
			"the true costs. Barycenters are made with the same cost as distances. Costs are clipped where the "+
			"row clips them, whatever the λ. Only what the label names after the method is changed. With angular "+
			"costs, clusters are made by direction.", p.Seeds.Shuffles),
		"− true: the difference from the true cost on the same pairs; an interval without 0 is a difference "+
			"that other pairs would also show.")
	differences(byGeometry, geometries)
	rows := make([]profile.Row, len(r.Variants))
	for i, v := range r.Variants {
		rows[i] = v.Row
		rows[i].ID = v.Row.ID + " " + v.Name
		rows[i].Label = v.Row.Label + ", " + v.Name
	}
	present.ByBlock(byGeometry, p.STS.Blocks, rows, func(i int) []render.Cell {
		return beside(r.Variants[i].Scores, r.Variants[i].Minus)
	})

	without := present.Table(p, withoutTable, "method",
		"Sentence similarity by the same histograms without transport",
		"Pearson × 100, mean of the test groups. Total variation is exact transport where every move costs the "+
			"same. The first four do not use the positions of clusters. The mean discrepancy has a Gaussian "+
			"kernel of the distances between them, as wide as their median, and sliced Wasserstein is the mean "+
			"of 128 projections of the centroids onto lines. − transport: the difference on the same pairs from "+
			"the row with its own cost and λ.")
	for _, d := range plain() {
		without.Plain(d, 1, "score", "− transport")
	}
	rows = rows[:0]
	for _, v := range r.Plain {
		rows = append(rows, v.Row)
	}
	present.ByBlock(without, p.STS.Blocks, rows, func(i int) (cells []render.Cell) {
		for d, s := range r.Plain[i].Scores {
			cells = append(cells, pipeline.Cell(s), pipeline.Cell(r.Plain[i].Minus[d]))
		}
		return cells
	})
	return []*render.Table{byGeometry, without}
}

// differences appends a column of scores for each name and, of all but the first, one of what it is above that.
func differences(t *render.Table, names []string) {
	for i, name := range names {
		if t.Plain(name, 1, "score"); i > 0 {
			t.Plain(name, 1, "− true")
		}
	}
}

// beside are the cells below differences.
func beside(scores, minus []score.Estimate) (cells []render.Cell) {
	for i, s := range scores {
		if cells = append(cells, pipeline.Cell(s)); i > 0 {
			cells = append(cells, pipeline.Cell(minus[i-1]))
		}
	}
	return cells
}

// Figure shows what shuffled and discrete costs score above the true one, a panel for each method with each kind of
// vectors and in it a line for each setting.
func (r *Result) Figure(w *pipeline.Workspace) *figure.Figure {
	f := &figure.Figure{
		ID: tableID, Title: "Sentence similarity with shuffled and discrete ground costs, against the true one",
		Caption: "Differences from the score with the true ground cost, over the same pairs, mean over the test " +
			"groups, with 95 % bootstrap intervals: with the centroids of clusters shuffled, and with a cost that " +
			"charges every move the same. Right of the dashed line, the less informed cost scores more.",
		Provenance: figure.Provenance{Profile: w.Profile.Name}, Columns: 3,
	}
	for _, v := range r.Variants {
		title := fmt.Sprintf("%s, %s", profile.KindName(v.Row.Vectors()), v.Row.Label)
		panel := f.Intervals(title, "points above the true cost", "true cost", geometries[1:])
		panel.Names = append(panel.Names, v.Name)
		for g, m := range v.Minus {
			panel.Series[g].Add(m.Mean(), m.Low, m.High)
		}
	}
	return f.FitLines(15)
}

// quantities returns scores and differences for the verdict.
func (r *Result) quantities() (all []results.Quantity) {
	add := func(row profile.Row, column string, e score.Estimate) {
		all = append(all, results.Quantity{
			Table: tableID, Row: row.ID, Column: column, Variant: row.Block, Source: row.ID,
		}.Bounded(e))
	}
	for _, v := range r.Variants {
		for g, name := range geometries {
			add(v.Row, fmt.Sprintf("%s, %s", name, v.Name), v.Scores[g])
			if g > 0 {
				add(v.Row, fmt.Sprintf("%s − true, %s", name, v.Name), v.Minus[g-1])
			}
		}
	}
	for _, p := range r.Plain {
		for d, name := range plain() {
			add(p.Row, name, p.Scores[d])
			add(p.Row, name+" − transport", p.Minus[d])
		}
	}
	return all
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string {
	return []string{tableID, withoutTable, similarityTable, hypernymyTable}
}

// Run makes the tables, the figure and the quantities; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Geometry.Rows) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	words, err := ComputeWords(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{
		Tables:     slices.Concat(r.Tables(w.Profile), words.Tables(w.Profile)),
		Figures:    []*figure.Figure{r.Figure(w)},
		Quantities: slices.Concat(r.quantities(), words.quantities()),
	}, nil
}
