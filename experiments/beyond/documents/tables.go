package documents

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// tableID is the id of the table of errors, and of the figure.
const (
	tableID               = "documents"
	distinctTable         = tableID + "_distinct"
	geometryTable         = tableID + "_geometry"
	geometryDistinctTable = geometryTable + "_distinct"
	settingsTable         = tableID + "_settings"
)

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string {
	return []string{tableID, distinctTable, geometryTable, geometryDistinctTable, settingsTable}
}

// Run makes the tables and the figure; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Documents.Sets) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{Tables: r.tables(w.Profile), Figures: r.figures(w)}, nil
}

func (r *Result) tables(p *profile.Profile) []*render.Table {
	var sets []string
	for _, s := range r.Sets {
		about := fmt.Sprintf("%s: %d documents of %d classes, %d of different words, %.0f %% of occurrences have a "+
			"vector",
			s.Name, s.Documents, s.Classes, s.Unique, 100*s.Known)
		if s.Most > 0 && s.Documents == s.Most {
			about += ", drawn of a larger set"
		}
		sets = append(sets, about)
	}
	how := "Error % of k nearest neighbours. k, and the threshold τ of costs min(M, τ), are chosen on a validation " +
		"part of the " +
		"training documents. Random splits of sets without a published one; " + strings.Join(sets, "; ") +
		fmt.Sprintf(". Words without a vector are left out, and of a document with more than %d others those of the "+
			"least mass by IDF, "+
			"where the row does not say all words.", p.Documents.Words) + " IDF, and the component that is removed, " +
		"are of all documents of a set, without their classes. Intervals are over documents."
	all := func(s SetResult) []*Error { return s.All }
	distinct := func(s SetResult) []*Error { return s.Distinct }
	return []*render.Table{
		r.errors(p, tableID, "Errors of nearest neighbours", how, all),
		r.errors(p, distinctTable, "Errors of nearest neighbours, without documents whose words an earlier one has",
			how, distinct),
		r.differences(p, geometryTable, "Errors less those with the true ground cost", all),
		r.differences(p, geometryDistinctTable,
			"Errors less those with the true ground cost, without repeated documents", distinct),
		r.settings(p),
	}
}

func (r *Result) errors(p *profile.Profile, id, title, note string, errors func(SetResult) []*Error) *render.Table {
	t := present.Table(p, id, "method", title, note)
	for _, s := range r.Sets {
		t.Columns = append(t.Columns, render.Column{Name: s.Name, Digits: 1, LowerIsBetter: true})
	}
	r.add(t, func(s SetResult, row int) []render.Cell {
		if e := errors(s)[row]; e != nil {
			return []render.Cell{pipeline.Cell(e.Estimate)}
		}
		return render.Texts("–")
	})
	return t
}

// add adds all rows with their cells of each set.
func (r *Result) add(t *render.Table, cells func(s SetResult, row int) []render.Cell) {
	for i, row := range r.Rows {
		line := t.Add(row.Block, row.ID, row.Label)
		for _, s := range r.Sets {
			line.Cells = append(line.Cells, cells(s, i)...)
		}
	}
}

func (r *Result) differences(p *profile.Profile, id, title string, errors func(SetResult) []*Error) *render.Table {
	t := present.Table(p, id, "ground cost", title,
		"Points of error, over the same documents: above 0 the true cost is better. shuffled: each word or "+
			"context has the place of another. discrete: every move costs the same, half the L1 distance. "+
			"thresholded: min(M, τ).")
	for _, s := range r.Sets {
		t.Plain("", 1, s.Name)
	}
	for _, family := range r.families() {
		for _, g := range geometries {
			row := t.Add(family, family+"/"+g, g+" − true")
			for _, s := range r.Sets {
				row.Cells = append(row.Cells, present.Cell(r.minusTrue(errors(s), family, g)))
			}
		}
	}
	return t
}

// settings shows what was chosen and how few problems had to be solved.
func (r *Result) settings(p *profile.Profile) *render.Table {
	t := present.Table(p, settingsTable, "method",
		"What was chosen for nearest neighbours, and the share of transport problems solved",
		"chosen: on the first split. solved: % of the pairs of documents, for as many neighbours "+
			"as the profile looks for. Moving words, bounds rule out the others, without changing a result; moving "+
			"contexts, each two documents are compared once.")
	for _, s := range r.Sets {
		t.Scores(s.Name, 0, "chosen")
		t.Plain(s.Name, 1, "solved")
	}
	r.add(t, func(s SetResult, row int) []render.Cell {
		cells := render.Texts("–", "–")
		if e := s.All[row]; e != nil {
			cells[0].Text = fmt.Sprintf("k = %d", e.K)
			if r.Rows[row].Geometry == Thresholded {
				cells[0].Text += fmt.Sprintf(", τ at %g", e.Quantile)
			}
			if e.Cost.Solved > 0 {
				cells[1] = render.Number(100 * float64(e.Cost.Solved) / float64(e.Cost.Pairs))
			}
		}
		return cells
	})
	return t
}

// figures shows what other costs err more than the true one, a panel for each family that has all costs.
func (r *Result) figures(w *pipeline.Workspace) []*figure.Figure {
	f := &figure.Figure{
		ID: tableID, Title: "Nearest neighbours with shuffled, discrete and thresholded ground costs, against the " +
			"true one",
		Caption: "Points of error above those with the true ground cost, over the same documents, with 95 % " +
			"bootstrap intervals. Right of the dashed line the true cost is better.",
		Provenance: figure.Provenance{Profile: w.Profile.Name}, Columns: 3,
	}
	for _, family := range r.families() {
		for _, s := range r.Sets {
			if r.minusTrue(s.All, family, method.Shuffled) == nil { // not tried on the set
				continue
			}
			panel := f.Intervals(family, "points of error above the true cost", "true cost", geometries)
			panel.Names = append(panel.Names, s.Name)
			for i, g := range geometries {
				m := r.minusTrue(s.All, family, g)
				panel.Series[i].Add(m.Value, m.Low, m.High)
			}
		}
	}
	return []*figure.Figure{f.FitLines(18)}
}

// geometries are the ground costs beside the true one.
var geometries = []string{method.Shuffled, method.Discrete, Thresholded}

// minusTrue is the error of a family's row of this geometry less that of its true cost, over the same documents; nil
// where they are not tried.
func (r *Result) minusTrue(errors []*Error, family, geometry string) *score.Estimate {
	at := func(geometry string) *Error {
		return errors[slices.IndexFunc(r.Rows, func(x Row) bool {
			return x.Family == family && x.Geometry == geometry
		})]
	}
	e, base := at(geometry), at(method.TrueGeometry)
	if e == nil {
		return nil
	}
	m := e.Minus(base.Estimate)
	return &m
}

// families are those of rows with the true cost, in their order.
func (r *Result) families() (all []string) {
	for _, row := range r.Rows {
		if row.Geometry == method.TrueGeometry {
			all = append(all, row.Family)
		}
	}
	return all
}
