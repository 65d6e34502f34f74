package sts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/present"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/show/render"
)

const (
	SummaryTable  = "table1_sts_summary" // Table 1 of the paper
	settingsTable = "tableS5_sts_hyperparameters"
	searchTable   = "sts_search"
	tuneTable     = "sts_tune"

	average = "Avg_STS12_15" // the printed column of means over the test groups
)

// Tables returns the tables of the experiment. They are the summary (Table 1), one table per group of sets (Tables
// S1–S4), the settings of each row (Table S5) and what the search on the validation group tried.
func (s *Result) Tables(p *profile.Profile) ([]*render.Table, error) {
	summary, err := s.summary(p)
	if err != nil {
		return nil, err
	}
	tables := []*render.Table{summary}
	for g := range s.Groups {
		tables = append(tables, s.detail(p, g))
	}
	tables = append(tables, s.settings(p))
	if len(s.Tried) > 0 {
		tables = append(tables, s.search(p))
	}
	return tables, nil
}

// TuneTables returns what Tune found: the scores of the tuned rows, what each value is worth, and the best settings
// tried. A note names rows whose search did not end.
func (s *Result) TuneTables(p *profile.Profile) ([]*render.Table, error) {
	summary, err := s.summary(p)
	if err != nil {
		return nil, err
	}
	summary.ID = tuneTable
	summary.Title = fmt.Sprintf("Sentence similarity, tuned on the validation group (profile %s)", p.Name)
	summary.Notes = summary.Notes[:2] // without those on blocks
	if len(s.Unfinished) > 0 {
		summary.Notes = append(summary.Notes, "The search is not finished for the rows "+
			strings.Join(s.Unfinished, ", ")+": their settings are the best so far. The same command goes on.")
	}
	summary.Notes = append(summary.Notes, "Intervals take the settings as given.")
	summary.Blocks = slices.DeleteFunc(summary.Blocks, func(b render.Block) bool {
		return len(b.Rows) == 0 || b.Title == printedOnly
	})
	search := s.search(p)
	search.ID = tuneTable + "_search"
	return []*render.Table{summary, s.worth(p), search}, nil
}

// worth shows what each value of each setting was worth: the best validation score among
// the settings tried that have it.
func (s *Result) worth(p *profile.Profile) *render.Table {
	t := present.Table(p, tuneTable+"_worth", "setting",
		"What each value is worth: the best score on the validation group with it",
		"A value that is not in the grids was tried with few others, and may be low for that.")
	// A column for each label, which rows of different vectors share.
	column := map[string]int{}
	var vectors []string
	for _, row := range s.Rows {
		if _, ok := column[row.Label]; !ok {
			column[row.Label] = len(t.Columns)
			t.Plain("", 1, row.Label)
		}
		if !slices.Contains(vectors, row.Vectors()) {
			vectors = append(vectors, row.Vectors())
		}
	}
	for h, header := range settingHeaders() {
		for _, v := range vectors {
			best := map[string][]render.Cell{} // by value and column
			for _, c := range slices.Concat(slices.Collect(maps.Values(s.Tried))...) {
				if c.Row.Vectors() != v {
					continue
				}
				value := settingCells(c.Row)[h].Text
				if best[value] == nil {
					best[value] = make([]render.Cell, len(t.Columns))
				}
				if cell := &best[value][column[c.Row.Label]]; cell.Value == nil || *cell.Value < c.Value {
					cell.Value = &c.Value
				}
			}
			if len(best) < 2 {
				continue
			}
			for _, value := range slices.SortedFunc(maps.Keys(best), compareValues) {
				t.Add(fmt.Sprintf("%s (%s)", header, v), v+"/"+header+"/"+value, value, best[value]...)
			}
		}
	}
	return t
}

const printedOnly = "printed only"

const pearsonNote = "Pearson × 100. A pair with a sentence of only unknown words gets the lowest score of its set."

func seedsNote(p *profile.Profile) []string {
	return present.SeedsNote("Rows under the paper's settings", p.Seeds.STS)
}

// compareValues orders numbers by size and puts them before words.
func compareValues(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if (errX == nil) != (errY == nil) {
		return map[bool]int{true: -1, false: 1}[errX == nil]
	}
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
}

// summary is Table 1: the year averages and the mean of the test years.
func (s *Result) summary(p *profile.Profile) (*render.Table, error) {
	t := present.Table(p, SummaryTable, "method", "Sentence similarity, averages by group", pearsonNote,
		"Each group is the plain mean of its sets, the average the plain mean of the test groups, as in the paper.")
	for _, g := range s.Groups {
		name := g.Name
		if g.Validation {
			name += " (validation)"
		}
		if g.Unseen {
			name += " (unseen)"
		}
		t.Scores("", 1, name)
	}
	t.Scores("", 1, "average")
	t.Notes = append(t.Notes, seedsNote(p)...)
	matched := map[string]bool{}
	present.ByBlock(t, p.STS.Blocks, s.Rows, func(r int) (cells []render.Cell) {
		row := s.Rows[r]
		for g, group := range s.Groups {
			m, _ := pipeline.Average(s.Measures[r][g])
			cells = append(cells, m.Cell(published.Number(SummaryTable, row.PublishedSummary, group.Published)))
		}
		matched[row.PublishedSummary] = true
		return append(cells, s.Averages[r].Cell(published.Number(SummaryTable, row.PublishedSummary, average)))
	})
	for _, b := range p.STS.Blocks {
		if b.Note != "" {
			t.Notes = append(t.Notes, b.Title+": "+b.Note)
		}
	}
	if !p.Published() {
		return t, nil
	}
	// The rest of the printed table: rows that need vectors, corpora or systems which
	// the profile does not have.
	paper, err := published.Load(SummaryTable)
	if err != nil {
		return nil, err
	}
	for _, row := range paper.Rows {
		if matched[row.Key] {
			continue
		}
		var cells []render.Cell
		printed := func(column string) {
			cells = append(cells, render.Cell{Printed: published.Number(SummaryTable, row.Key, column)})
		}
		for _, group := range s.Groups {
			printed(group.Published)
		}
		printed(average)
		present.PrintedOnly(t, row, "printed/"+row.Key, cells)
	}
	return t, nil
}

// detail is the table of one group: its sets, their plain mean (the paper's average)
// and their mean weighted by pairs.
func (s *Result) detail(p *profile.Profile, g int) *render.Table {
	group := s.Groups[g]
	title := group.Name
	if group.Validation {
		title += ", validation"
	}
	t := present.Table(p, group.Table, "method", title+" by set", pearsonNote,
		"mean: plain mean over the sets, the paper's average; weighted: by number of pairs.")
	t.Notes = append(t.Notes, seedsNote(p)...)
	for _, set := range group.Sets {
		t.Scores("", 1, set.Name)
	}
	t.Scores("", 1, "mean", "weighted")
	present.ByBlock(t, p.STS.Blocks, s.Rows, func(r int) (cells []render.Cell) {
		printed := func(column string) *float64 {
			return published.Number(group.Table, s.Rows[r].PublishedDetail, column)
		}
		for i, m := range s.Measures[r][g] {
			cells = append(cells, m.Cell(printed(group.Sets[i].Name)))
		}
		mean, weighted := pipeline.Average(s.Measures[r][g])
		return append(cells, mean.Cell(printed("Average")), render.Number(weighted))
	})
	return t
}

func settingCells(r profile.Row) []render.Cell {
	weights := cmp.Or(r.Weighting().Weights, profile.Uniform)
	if weights != profile.Uniform {
		weights += ", a = " + present.Number(r.Weighting().A)
	}
	pc, removal := "–", r.Removal()
	if removal.RemovePC && removal.PCBatch == 0 {
		pc = "set"
	} else if removal.RemovePC {
		pc = fmt.Sprintf("batch of %d", removal.PCBatch)
	}
	if shares, _ := method.GroupOf[method.Shares](r.Method); removal.RemovePC && shares.Components > 1 {
		pc += fmt.Sprintf(", %d components", shares.Components)
	}
	unit := "–"
	if scaled, _ := method.GroupOf[method.Scaled](r.Method); scaled.Unit {
		unit = "yes"
	}
	own, _ := method.GroupOf[method.OwnWords](r.Method)
	if own.Own != "" && own.Own != method.NoneOwn {
		unit += ", own ones of words that are " + own.Own
	}
	if own.Beside != "" {
		unit += fmt.Sprintf(", then %s × %s", profile.KindName(own.Beside), present.Number(own.BesideScale))
	}
	if rotated, _ := method.GroupOf[method.Rotated](r.Method); rotated.Rotator > 0 {
		weights += fmt.Sprintf("; less %s WRD with a = %s",
			present.Number(rotated.Rotator), present.Number(rotated.RotatorA))
	}
	return append(present.SettingCells(r, weights, unit), render.Cell{Text: pc})
}

func settingHeaders() []string {
	return append(present.SettingHeaders("weights", "unit vectors"), "PC removed")
}

// settings is Table S5: what each row was run with.
func (s *Result) settings(p *profile.Profile) *render.Table {
	t := present.Table(p, settingsTable, "method", "Settings of the sentence-similarity rows",
		"Rows chosen on the validation group show what was chosen.")
	t.Plain("", 0, settingHeaders()...)
	present.ByBlock(t, p.STS.Blocks, s.Rows, func(r int) []render.Cell { return settingCells(s.Rows[r]) })
	return t
}

// search shows the best settings tried for each chosen row.
func (s *Result) search(p *profile.Profile) *render.Table {
	t := present.Table(p, searchTable, "rank", "Search on the validation group: the best 5 settings of each row")
	t.Plain("", 1, "validation")
	t.Plain("", 0, append([]string{"wins, %"}, settingHeaders()...)...)
	if s.Choices != nil {
		t.Notes = []string{fmt.Sprintf("wins: share of %d bootstrap samples of the validation group in which the "+
			"setting is the best of the %d best.", pipeline.ClaimDraws, rivals)}
	}
	present.Best(t, s.Rows, s.Tried,
		func(row profile.Row) string { return fmt.Sprintf("%s (%s)", row.Label, row.Vectors()) },
		func(place int, c pipeline.Trial[profile.Row]) []render.Cell {
			wins := render.Cell{Text: "–"}
			if choice := s.Choices[c.Row.ID]; choice != nil {
				wins = render.Number(100 * choice.Shares[place])
			}
			return append([]render.Cell{render.Number(c.Value), wins}, settingCells(c.Row)...)
		})
	return t
}
