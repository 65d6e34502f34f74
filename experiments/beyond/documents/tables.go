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
	"contextmover/experiments/harness/results"
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

// Run makes the tables, the figure and the quantities; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Documents.Sets) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{
		Tables: r.tables(w.Profile), Figures: r.figures(w), Quantities: r.quantities(),
	}, nil
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
	tables := []*render.Table{
		r.table(p, tableID, "Errors of nearest neighbours", how, SetResult.all),
		r.table(p, distinctTable, "Errors of nearest neighbours, without documents whose words an earlier one has",
			how, SetResult.distinct),
	}
	for _, of := range []struct {
		id, title string
		errors    func(SetResult) []Error
	}{
		{geometryTable, "Errors less those with the true ground cost", SetResult.all},
		{geometryDistinctTable, "Errors less those with the true ground cost, without repeated documents",
			SetResult.distinct},
	} {
		t := present.Table(p, of.id, "ground cost", of.title,
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
					cell := render.Cell{Text: "–"}
					if e, ok := r.minusTrue(of.errors(s), family, g); ok {
						cell = pipeline.Cell(e)
					}
					row.Cells = append(row.Cells, cell)
				}
			}
		}
		tables = append(tables, t)
	}
	return append(tables, r.costs(p))
}

func (s SetResult) all() []Error      { return s.All }
func (s SetResult) distinct() []Error { return s.Distinct }

func (r *Result) table(p *profile.Profile, id, title, note string, errors func(SetResult) []Error) *render.Table {
	t := present.Table(p, id, "method", title, note)
	for _, s := range r.Sets {
		t.Columns = append(t.Columns, render.Column{Name: s.Name, Digits: 1, LowerIsBetter: true})
	}
	for i, of := range r.Rows {
		row := t.Add(of.Block, of.ID, of.Label)
		for _, s := range r.Sets {
			cell := render.Cell{Text: "–"}
			if e := errors(s)[i]; !e.Absent {
				cell = pipeline.Cell(e.Estimate)
			}
			row.Cells = append(row.Cells, cell)
		}
	}
	return t
}

// costs shows what was chosen and how few problems had to be solved.
func (r *Result) costs(p *profile.Profile) *render.Table {
	t := present.Table(p, settingsTable, "method",
		"What was chosen for nearest neighbours, and the share of transport problems solved",
		"chosen: on the first split. solved: % of the pairs of documents, for as many neighbours "+
			"as the profile looks for. Moving words, bounds rule out the others, without changing a result; moving "+
			"contexts, each two documents are compared once.")
	for _, s := range r.Sets {
		t.Scores(s.Name, 0, "chosen")
		t.Plain(s.Name, 1, "solved")
	}
	for i, of := range r.Rows {
		row := t.Add(of.Block, of.ID, of.Label)
		for _, s := range r.Sets {
			e := s.All[i]
			chosen, solved := render.Cell{Text: "–"}, render.Cell{Text: "–"}
			if !e.Absent {
				chosen = render.Cell{Text: e.setting(of)}
				if e.Cost.Solved > 0 {
					solved = render.Number(100 * float64(e.Cost.Solved) / float64(e.Cost.Pairs))
				}
			}
			row.Cells = append(row.Cells, chosen, solved)
		}
	}
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
			var all []score.Estimate
			for _, name := range geometries {
				if m, ok := r.minusTrue(s.All, family, name); ok {
					all = append(all, m)
				}
			}
			if len(all) < len(geometries) {
				continue
			}
			panel := f.Intervals(family, "points of error above the true cost", "true cost", geometries)
			panel.Names = append(panel.Names, s.Name)
			for g, m := range all {
				panel.Series[g].Add(m.Value, m.Low, m.High)
			}
		}
	}
	if len(f.Panels) == 0 {
		return nil
	}
	return []*figure.Figure{f.FitLines(18)}
}

// quantities returns errors and differences for the verdict.
func (r *Result) quantities() (all []results.Quantity) {
	add := func(table, row, column, source string, e score.Estimate) {
		all = append(all, results.Quantity{Table: table, Row: row, Column: column, Variant: results.Chosen,
			Source: source}.Bounded(e))
	}
	for _, s := range r.Sets {
		for t, errors := range [][]Error{s.All, s.Distinct} {
			table := []string{"", "_distinct"}[t]
			for i, of := range r.Rows {
				if !errors[i].Absent {
					add(tableID+table, of.ID, s.Name, of.ID, errors[i].Estimate)
				}
			}
			for _, family := range r.families() {
				for _, g := range geometries {
					if e, ok := r.minusTrue(errors, family, g); ok {
						add(tableID+"_geometry"+table, family+"/"+g, s.Name, family, e)
					}
				}
			}
		}
	}
	return all
}

// minusTrue is the error of a family's row of this geometry less that of its true cost, over the same documents.
func (r *Result) minusTrue(errors []Error, family, geometry string) (score.Estimate, bool) {
	at := func(geometry string) int {
		return slices.IndexFunc(r.Rows, func(x Row) bool { return x.Family == family && x.Geometry == geometry })
	}
	row, base := at(geometry), at(method.TrueGeometry)
	if row < 0 || base < 0 || errors[row].Absent || errors[base].Absent {
		return score.Estimate{}, false
	}
	return errors[row].Minus(errors[base].Estimate), true
}

// families are those of rows with the true cost, in their order.
func (r *Result) families() (all []string) {
	for _, of := range r.Rows {
		if of.Geometry == method.TrueGeometry {
			all = append(all, of.Family)
		}
	}
	return all
}
