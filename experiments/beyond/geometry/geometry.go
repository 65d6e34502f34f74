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

// A Variant is a row, with one setting changed, by what its histograms are compared with.
type Variant struct {
	profile.Variation
	// Scores are means of the test sets, Minus the last of them less what they are held against, over the same pairs.
	Scores, Minus []score.Estimate
}

// minus returns estimates less what they are held against.
func minus(scores []score.Estimate, base score.Estimate) (all []score.Estimate) {
	for _, s := range scores {
		all = append(all, s.Minus(base))
	}
	return all
}

// each calls f with each score and its name, and next to it with its difference, if there is one, and the longer name.
func (v Variant) each(names []string, less string, f func(name string, e score.Estimate)) {
	first := len(v.Scores) - len(v.Minus)
	for i, name := range names {
		f(name, v.Scores[i])
		if i >= first {
			f(name+less, v.Minus[i-first])
		}
	}
}

// cells are the cells of a variant.
func (v Variant) cells() (cells []render.Cell) {
	v.each(make([]string, len(v.Scores)), "", func(_ string, e score.Estimate) {
		cells = append(cells, pipeline.Cell(e))
	})
	return cells
}

// Result is the outcome of the experiment.
type Result struct {
	Variants []Variant // by geometries
	Plain    []Variant // of the rows themselves, by plain, held against the row with its true cost
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
	scores, err := w.TestAverages(ctx, rows, measures, w.GroupDraws)
	if err != nil {
		return nil, err
	}
	next := func(n int) (some []score.Estimate) {
		for _, m := range scores[:n] {
			some = append(some, m.Estimate)
		}
		scores = scores[n:]
		return some
	}
	result := &Result{}
	for _, row := range own {
		base := next(1)[0]
		for _, variation := range w.Profile.Geometry.Variations(row) {
			scores := next(len(geometries))
			result.Variants = append(result.Variants, Variant{variation, scores, minus(scores[1:], scores[0])})
		}
		scores := next(len(plain()))
		result.Plain = append(result.Plain, Variant{profile.Variation{Row: row}, scores, minus(scores, base)})
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
	columns(byGeometry, geometries, 1, "− true")
	rows := make([]profile.Row, len(r.Variants))
	for i, v := range r.Variants {
		rows[i] = v.Row
		rows[i].ID = v.Row.ID + " " + v.Name
		rows[i].Label = v.Row.Label + ", " + v.Name
	}
	present.ByBlock(byGeometry, p.STS.Blocks, rows, func(i int) []render.Cell { return r.Variants[i].cells() })

	without := present.Table(p, withoutTable, "method",
		"Sentence similarity by the same histograms without transport",
		"Pearson × 100, mean of the test groups. Total variation is exact transport where every move costs the "+
			"same. The first four do not use the positions of clusters. The mean discrepancy has a Gaussian "+
			"kernel of the distances between them, as wide as their median, and sliced Wasserstein is the mean "+
			"of 128 projections of the centroids onto lines. − transport: the difference on the same pairs from "+
			"the row with its own cost and λ.")
	columns(without, plain(), 0, "− transport")
	rows = rows[:0]
	for _, v := range r.Plain {
		rows = append(rows, v.Row)
	}
	present.ByBlock(without, p.STS.Blocks, rows, func(i int) []render.Cell { return r.Plain[i].cells() })
	return []*render.Table{byGeometry, without}
}

// columns appends a column of scores for each name and, from the one with the number first on, one of differences.
func columns(t *render.Table, names []string, first int, difference string) {
	for i, name := range names {
		if t.Plain(name, 1, "score"); i >= first {
			t.Plain(name, 1, difference)
		}
	}
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
		v.each(geometries, " − true", func(name string, e score.Estimate) { add(v.Row, name+", "+v.Name, e) })
	}
	for _, v := range r.Plain {
		v.each(plain(), " − transport", func(name string, e score.Estimate) { add(v.Row, name, e) })
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
