package alignment

import (
	"context"
	"fmt"
	"slices"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// Files lists the files that a profile has the experiment read.
func Files(p *profile.Profile) (files []string) {
	for _, set := range p.Alignment.Sets {
		files = append(files, set.Development, set.Test)
		for _, s := range set.Systems {
			files = append(files, s.File)
		}
	}
	return files
}

// Result is the outcome of the experiment.
type Result struct {
	// Rows are those of the profile, then those of other systems, which have no aligner.
	Rows []profile.AlignmentRow
	// Outcomes[r][s] is row r on set s; nil where a system has no links of it.
	Outcomes [][]*Outcome
	// Examples are drawn of the test parts whose words are linked, with links of the first row that has one setting
	// for all sets; none without such a row.
	Examples []Example
}

// Outcome is a row on the test part of a set.
type Outcome struct {
	Scores
	// F1 and NullF1 have draws of the pairs, the same for all rows.
	F1, NullF1 score.Estimate
	// Setting is what was chosen, Development its F1 on the development part, Tried how many settings were tried; zero
	// of other systems.
	Setting     Setting
	Development float64
	Tried       int
}

// othersBlock has the rows of other systems.
const othersBlock = "others"

// Compute chooses the settings of each row on development parts, and scores test parts with them.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	d, err := newData(w)
	if err != nil {
		return nil, err
	}
	defer d.space.Close()
	sets := w.Profile.Alignment.Sets
	r := &Result{}
	counts := make([][][]Counts, len(sets)) // [set][row]
	for _, row := range w.Profile.Alignment.Rows {
		outcomes, err := d.choose(ctx, row)
		if err != nil {
			return nil, err
		}
		r.Rows, r.Outcomes = append(r.Rows, row), append(r.Outcomes, outcomes)
		for s, set := range sets {
			numbers, err := store.Get(ctx, d.Store, d.linksNode(row, set.Test, outcomes[s].Setting))
			if err != nil {
				return nil, err
			}
			counts[s] = append(counts[s], countsOf(numbers))
		}
	}
	for s, set := range sets {
		for _, system := range set.Systems {
			at := slices.IndexFunc(r.Rows, func(x profile.AlignmentRow) bool { return x.ID == system.Name })
			if at < 0 {
				at = len(r.Rows)
				r.Rows = append(r.Rows, profile.AlignmentRow{ID: system.Name, Label: system.Name, Block: othersBlock})
				r.Outcomes = append(r.Outcomes, make([]*Outcome, len(sets)))
			}
			for i := range counts {
				for len(counts[i]) < len(r.Rows) {
					counts[i] = append(counts[i], nil)
				}
			}
			r.Outcomes[at][s] = new(Outcome)
			if counts[s][at], err = d.system(ctx, set.Test, system); err != nil {
				return nil, err
			}
		}
	}
	if r.Examples, err = d.examples(ctx, r); err != nil {
		return nil, err
	}
	for s, set := range sets {
		of := func(row int) *Outcome { return r.Outcomes[row][s] }
		if err := draw(ctx, w.Sampling(set.Test), counts[s], of); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// choose returns what is best of a row's settings on the development part of each set; of a row for all sets what is
// best on the mean of those whose words are linked. The first of equals counts.
func (d *data) choose(ctx context.Context, row profile.AlignmentRow) ([]*Outcome, error) {
	settings := d.Profile.Alignment.Settings(row)
	mean := make([]float64, len(settings))
	var trials [][]float64
	for _, set := range d.Profile.Alignment.Sets {
		f1, err := store.Get(ctx, d.Store, d.trialsNode(row, set.Development))
		if err != nil {
			return nil, fmt.Errorf("row %q on %s: %w", row.ID, set.Name, err)
		}
		trials = append(trials, f1)
		pairs, err := d.read(ctx, set.Development)
		if err != nil {
			return nil, err
		}
		if pairs[0].SourceChunks != nil {
			continue
		}
		for i, x := range f1 {
			mean[i] += x
		}
	}
	var outcomes []*Outcome
	for _, f1 := range trials {
		by := f1
		if row.Common {
			by = mean
		}
		best := 0
		for i, x := range by {
			if x > by[best] {
				best = i
			}
		}
		outcomes = append(outcomes, &Outcome{Setting: settings[best], Development: f1[best], Tried: len(settings)})
	}
	return outcomes, nil
}

// system counts what another system linked of a test part, whose pairs its file has in the same order.
func (d *data) system(ctx context.Context, test string, s profile.AlignmentSystem) (counts []Counts, err error) {
	gold, err := d.read(ctx, test)
	if err != nil {
		return nil, err
	}
	said, err := d.read(ctx, s.File)
	if err != nil {
		return nil, err
	}
	if len(said) != len(gold) {
		return nil, &dataset.FormatError{
			File: s.File, Problem: fmt.Sprintf("%d pairs, expected %d as in %s", len(said), len(gold), test),
		}
	}
	for i := range gold {
		if len(said[i].Source) != len(gold[i].Source) || len(said[i].Target) != len(gold[i].Target) {
			return nil, &dataset.FormatError{
				File: s.File, Problem: fmt.Sprintf("pair %d has other numbers of words than in %s", i+1, test),
			}
		}
		counts = append(counts, count(&gold[i], said[i].Sure))
	}
	return counts, nil
}

// draw sets the scores of the rows that have counts, with draws of the same pairs.
func draw(ctx context.Context, sampling uint64, counts [][]Counts, outcome func(row int) *Outcome) error {
	n := 0
	for r, c := range counts {
		if o := outcome(r); o != nil {
			o.Scores, n = scores(c, upTo(len(c))), len(c)
		}
	}
	f1, nulls := make([][]float64, len(counts)), make([][]float64, len(counts))
	_, err := score.Draws(ctx, n, pipeline.ClusterDraws, sampling, func(sample []int) float64 {
		for r, c := range counts {
			if c != nil {
				s := scores(c, sample)
				f1[r], nulls[r] = append(f1[r], s.F1), append(nulls[r], s.NullF1)
			}
		}
		return 0
	})
	if err != nil {
		return err
	}
	for r := range counts {
		if o := outcome(r); o != nil {
			o.F1 = score.NewEstimate(o.Scores.F1, f1[r], nil)
			o.NullF1 = score.NewEstimate(o.Scores.NullF1, nulls[r], nil)
		}
	}
	return nil
}

// row returns the number of a row.
func (r *Result) row(id string) int {
	return slices.IndexFunc(r.Rows, func(x profile.AlignmentRow) bool { return x.ID == id })
}

// minus returns the differences in F1 of two rows on each set; nil where one of them has no links.
func (r *Result) minus(m profile.AlignmentMinus) (all []*score.Estimate) {
	a, b := r.Outcomes[r.row(m.Row)], r.Outcomes[r.row(m.Subtrahend)]
	for s := range a {
		if a[s] == nil || b[s] == nil {
			all = append(all, nil)
			continue
		}
		e := a[s].F1.Minus(b[s].F1)
		all = append(all, &e)
	}
	return all
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string { return []string{tableID, minusID, choiceID, examplesID} }

// Run makes the tables, the figure and the quantities; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Alignment.Sets) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{
		Tables: r.Tables(w.Profile), Figures: r.Figures(w), Quantities: r.quantities(w.Profile),
	}, nil
}

// quantities returns scores and differences for the verdict.
func (r *Result) quantities(p *profile.Profile) (all []results.Quantity) {
	add := func(table, row, column, variant string, tried int, e score.Estimate) {
		q := results.Quantity{Table: table, Row: row, Column: column, Variant: variant, Source: row, Tried: tried}
		all = append(all, q.Bounded(e))
	}
	for i, row := range r.Rows {
		for s, set := range p.Alignment.Sets {
			if o := r.Outcomes[i][s]; o != nil {
				add(tableID, row.ID, set.Name+" F1", row.Block, o.Tried, o.F1)
				add(tableID, row.ID, set.Name+" F1 of nulls", row.Block, o.Tried, o.NullF1)
			}
		}
	}
	for _, m := range p.Alignment.Minus {
		for s, e := range r.minus(m) {
			if e != nil {
				row := r.Rows[r.row(m.Row)]
				add(minusID, m.Row+" − "+m.Subtrahend, p.Alignment.Sets[s].Name, row.Block, 0, *e)
			}
		}
	}
	return all
}
