package wordsim

import (
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/show/render"
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
func (s *Result) split(row []pipeline.Measure) (validation, test []pipeline.Measure) {
	for i, m := range row {
		if s.Sets[i].Validation {
			validation = append(validation, m)
		} else {
			test = append(test, m)
		}
	}
	return validation, test
}

// Test returns row r's mean over the sets that nothing is chosen on, as Average does.
func (s *Result) Test(r int) pipeline.Measure {
	_, test := s.split(s.Measures[r])
	return Average(test)
}

// scores is Table 3.
func (s *Result) scores(p *profile.Profile) *render.Table {
	t := present.Table(p, mainTable, "method", "Word similarity",
		"Spearman × 100, equal values at the mean of their ranks. Pairs with an unknown word are dropped, as in "+
			"the paper; each cell counts the others.",
		"average: over the test sets, weighted by their counted pairs, as in the paper.",
		"Intervals: 95 %, from draws of pairs by clusters of words, so that pairs that share a word are drawn "+
			"together (Owen 2007).")
	t.Notes = append(t.Notes, present.SeedsNote("Numbers", p.Seeds.WordSim)...)
	validations := 0
	for _, set := range s.Sets {
		if set.Validation {
			validations++
		}
	}
	if validations > 1 { // else the set's own column tells
		t.Scores("", 1, "validation", "validation, pooled")
		t.Notes = append(t.Notes, "validation: mean of its sets, weighted in the same way; pooled: one correlation "+
			"over all their pairs, gold scores as ranks within their set. The paper does not say how it pools.")
	}
	for _, set := range s.Sets {
		name := set.Name
		if set.Validation {
			name += " (validation)"
		}
		t.Scores("", 1, name)
	}
	t.Scores("", 1, "average")
	present.ByBlock(t, blocks(p), s.Rows, func(r int) (cells []render.Cell) {
		cell := func(m pipeline.Measure, column string) render.Cell {
			return m.Cell(published.Number(mainTable, s.Rows[r].PublishedSummary, column))
		}
		validation, test := s.split(s.Measures[r])
		if validations > 1 {
			cells = append(cells, cell(Average(validation), "MEN+SimVerb-D_val"), render.Number(s.Pooled[r]))
		}
		for i, m := range s.Measures[r] {
			cells = append(cells, cell(m, s.Sets[i].Published))
		}
		return append(cells, cell(Average(test), "Wt_Average"))
	})
	for _, b := range p.WordSim.Blocks {
		if b.Note != "" {
			t.Notes = append(t.Notes, b.Title+": "+b.Note)
		}
	}
	return t
}

// blocks are the headings of the tables.
func blocks(p *profile.Profile) (all []profile.Block) {
	for _, b := range p.WordSim.Blocks {
		all = append(all, profile.Block{ID: b.ID, Title: b.Title})
	}
	return all
}

// settings says what each row was run with.
func (s *Result) settings(p *profile.Profile) *render.Table {
	t := present.Table(p, settingsTable, "method", "Settings of the word-similarity rows",
		"Rows chosen on the validation sets show what was chosen.")
	t.Plain("", 0, present.SettingHeaders("vectors")...)
	present.ByBlock(t, blocks(p), s.Rows, func(r int) []render.Cell {
		return present.SettingCells(s.Rows[r], s.Rows[r].Vectors())
	})
	return t
}

// search shows the best settings tried for each chosen row.
func (s *Result) search(p *profile.Profile) *render.Table {
	t := present.Table(p, searchTable, "rank", "Search on the validation sets: the best 5 settings of each row")
	t.Plain("", 1, "validation")
	t.Plain("", 0, present.SettingHeaders("vectors")...)
	titles := map[string]string{}
	for _, b := range p.WordSim.Blocks {
		titles[b.ID] = b.Title
	}
	present.Best(t, s.Rows, s.Tried,
		func(row profile.Row) string { return titles[row.Block] + ", " + row.Label },
		func(_ int, c pipeline.Trial[profile.Row]) []render.Cell {
			return append([]render.Cell{render.Number(c.Value)}, present.SettingCells(c.Row, c.Row.Vectors())...)
		})
	return t
}
