package wordsim

import (
	"fmt"
	"strconv"

	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/published"
	"contextmover/experiments/render"
)

const (
	mainTable     = "table3_word_similarity"
	settingsTable = "wordsim_settings"
	searchTable   = "wordsim_search"
)

// Tables returns the tables of the experiment: Table 3, the settings of each row, and
// what the search on the validation sets tried.
func (s *Result) Tables(p *profile.Profile) []*render.Table {
	tables := []*render.Table{s.scores(p), s.settings(p)}
	if len(s.Tried) > 0 {
		tables = append(tables, s.search(p))
	}
	return tables
}

// split separates a row's measures on the validation sets from those on the others.
func (s *Result) split(row []Measure) (validation, test []Measure) {
	for i, m := range row {
		if s.Sets[i].Validation {
			validation = append(validation, m)
		} else {
			test = append(test, m)
		}
	}
	return validation, test
}

// scores is Table 3.
func (s *Result) scores(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: mainTable, Label: "method",
		Title: fmt.Sprintf("Word similarity (profile %s)", p.Name),
		Notes: []string{
			"Spearman × 100, equal values at the mean of their ranks. Pairs with an unknown word are dropped, as in the paper; each cell counts the others.",
			"average: over the test sets, weighted by their counted pairs, as in the paper.",
			"Intervals: 95 %, from draws of pairs by clusters of words, so that pairs that share a word are drawn together (Owen 2007).",
		},
	}
	validations := 0
	for _, set := range s.Sets {
		if set.Validation {
			validations++
		}
	}
	if validations > 1 { // else the set's own column tells
		t.Columns = append(t.Columns, render.Column{Name: "validation", Digits: 1}, render.Column{Name: "validation, pooled", Digits: 1})
		t.Notes = append(t.Notes, "validation: mean of its sets, weighted likewise; pooled: one correlation over all their pairs, gold scores as ranks within their set. The paper does not say how it pools.")
	}
	for _, set := range s.Sets {
		name := set.Name
		if set.Validation {
			name += " (validation)"
		}
		t.Columns = append(t.Columns, render.Column{Name: name, Digits: 1})
	}
	t.Columns = append(t.Columns, render.Column{Name: "average", Digits: 1})
	for _, b := range p.WordSim.Blocks {
		block := render.Block{Title: b.Title}
		for r, row := range s.Rows {
			if row.Block != b.ID {
				continue
			}
			cell := func(m Measure, column string) render.Cell {
				c := pipeline.Cell(m.Estimate)
				c.Printed = published.Number(mainTable, row.PublishedSummary, column)
				c.Coverage = &render.Coverage{Covered: m.Covered, Total: m.Pairs}
				return c
			}
			out := render.Row{Key: row.ID, Label: row.Label}
			validation, test := s.split(s.Measures[r])
			if validations > 1 {
				out.Cells = append(out.Cells, cell(Average(validation), "MEN+SimVerb-D_val"), render.Cell{Value: &s.Pooled[r]})
			}
			for i, m := range s.Measures[r] {
				out.Cells = append(out.Cells, cell(m, s.Sets[i].Published))
			}
			out.Cells = append(out.Cells, cell(Average(test), "Wt_Average"))
			block.Rows = append(block.Rows, out)
		}
		t.Blocks = append(t.Blocks, block)
		if b.Note != "" {
			t.Notes = append(t.Notes, b.Title+": "+b.Note)
		}
	}
	return t
}

// settingHeaders are the columns of the tables of settings; words have no weights
// and no principal component.
func settingHeaders() []render.Column {
	columns := []render.Column{{Name: "vectors", Unmarked: true}}
	for _, c := range pipeline.SettingColumns {
		columns = append(columns, render.Column{Name: c.Name, Unmarked: true})
	}
	return columns
}

func settingCells(r profile.Row) []render.Cell {
	cells := []render.Cell{{Text: r.Vectors}}
	for _, c := range pipeline.SettingColumns {
		text := c.Text(r)
		if r.IsAverage() || text == "0" {
			text = "–"
		}
		cells = append(cells, render.Cell{Text: text})
	}
	return cells
}

// settings says what each row was run with.
func (s *Result) settings(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: settingsTable, Label: "method", Columns: settingHeaders(),
		Title: fmt.Sprintf("Settings of the word-similarity rows (profile %s)", p.Name),
		Notes: []string{"Rows chosen on the validation sets show what was chosen."},
	}
	for _, b := range p.WordSim.Blocks {
		block := render.Block{Title: b.Title}
		for _, row := range s.Rows {
			if row.Block == b.ID {
				block.Rows = append(block.Rows, render.Row{Key: row.ID, Label: row.Label, Cells: settingCells(row)})
			}
		}
		t.Blocks = append(t.Blocks, block)
	}
	return t
}

// search shows the best settings tried for each chosen row.
func (s *Result) search(p *profile.Profile) *render.Table {
	const shown = 5
	t := &render.Table{
		ID: searchTable, Label: "rank",
		Title:   fmt.Sprintf("Search on the validation sets: the best %d settings of each row (profile %s)", shown, p.Name),
		Columns: append([]render.Column{{Name: "validation", Digits: 1, Unmarked: true}}, settingHeaders()...),
	}
	for _, b := range p.WordSim.Blocks {
		for _, row := range s.Rows {
			if row.Block != b.ID || !row.Select {
				continue
			}
			rank, block := 0, render.Block{}
			for _, c := range s.Tried {
				if c.For != row.ID {
					continue
				}
				if rank++; rank <= shown {
					block.Rows = append(block.Rows, render.Row{
						Key: fmt.Sprintf("%s/%d", row.ID, rank), Label: strconv.Itoa(rank),
						Cells: append([]render.Cell{{Value: &c.Validation}}, settingCells(c.Row)...),
					})
				}
			}
			block.Title = fmt.Sprintf("%s, %s: %d tried", b.Title, row.Label, rank)
			t.Blocks = append(t.Blocks, block)
		}
	}
	return t
}
