package alignment

import (
	"context"
	"fmt"
	"slices"

	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
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
	counts      []Counts // of the pairs
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
	for _, row := range w.Profile.Alignment.Rows {
		outcomes, err := d.choose(ctx, row)
		if err != nil {
			return nil, err
		}
		r.Rows, r.Outcomes = append(r.Rows, row), append(r.Outcomes, outcomes)
		for s, o := range outcomes {
			numbers, err := store.Get(ctx, d.Store, d.linksNode(row, sets[s].Test, o.Setting))
			if err != nil {
				return nil, err
			}
			o.counts = countsOf(numbers)
		}
	}
	for s, set := range sets {
		for _, system := range set.Systems {
			at := r.row(system.Name)
			if at < 0 {
				at = len(r.Rows)
				r.Rows = append(r.Rows, profile.AlignmentRow{ID: system.Name, Label: system.Name, Block: othersBlock})
				r.Outcomes = append(r.Outcomes, make([]*Outcome, len(sets)))
			}
			counts, err := d.system(ctx, set.Test, system)
			if err != nil {
				return nil, err
			}
			r.Outcomes[at][s] = &Outcome{counts: counts}
		}
	}
	for s, set := range sets {
		var outcomes []*Outcome
		for _, all := range r.Outcomes {
			if all[s] != nil {
				outcomes = append(outcomes, all[s])
			}
		}
		if err := draw(ctx, w.Sampling(set.Test), outcomes); err != nil {
			return nil, err
		}
	}
	r.Examples, err = d.examples(ctx, r)
	return r, err
}

// choose returns what is best of a row's settings on the development part of each set; of a row for all sets what is
// best on the mean of those whose words are linked. The first of equals counts.
func (d *data) choose(ctx context.Context, row profile.AlignmentRow) (outcomes []*Outcome, err error) {
	settings := d.Profile.Alignment.Settings(row)
	sets := d.Profile.Alignment.Sets
	mean := make([]float64, len(settings))
	trials := make([][]float64, len(sets))
	for s, set := range sets {
		if trials[s], err = store.Get(ctx, d.Store, d.trialsNode(row, set.Development)); err != nil {
			return nil, fmt.Errorf("row %q on %s: %w", row.ID, set.Name, err)
		}
		chunks, err := d.chunks(ctx, set.Development)
		if err != nil {
			return nil, err
		}
		for i, x := range trials[s] {
			if !chunks {
				mean[i] += x
			}
		}
	}
	for _, f1 := range trials {
		by := f1
		if row.Common {
			by = mean
		}
		best := slices.Index(by, slices.Max(by))
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

// draw sets the scores of rows on a set, with draws of the same pairs.
func draw(ctx context.Context, sampling uint64, outcomes []*Outcome) error {
	pairs := len(outcomes[0].counts)
	_, err := score.Draws(ctx, pairs, pipeline.ClusterDraws, sampling, func(sample []int) float64 {
		for _, o := range outcomes {
			s := scores(o.counts, sample)
			o.F1.Draws, o.NullF1.Draws = append(o.F1.Draws, s.F1), append(o.NullF1.Draws, s.NullF1)
		}
		return 0
	})
	for _, o := range outcomes {
		o.Scores = scores(o.counts, upTo(pairs))
		o.F1 = score.NewEstimate(o.Scores.F1, o.F1.Draws, nil)
		o.NullF1 = score.NewEstimate(o.Scores.NullF1, o.NullF1.Draws, nil)
	}
	return err
}

// row returns the number of a row, −1 without it.
func (r *Result) row(id string) int {
	return slices.IndexFunc(r.Rows, func(x profile.AlignmentRow) bool { return x.ID == id })
}

// IDs lists the tables and figures that Run may make for a profile.
func IDs(*profile.Profile) []string { return []string{tableID, minusID, choiceID, examplesID} }

// Run makes the tables and the figure; nothing for a profile without the experiment.
func Run(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error) {
	if len(w.Profile.Alignment.Sets) == 0 {
		return &pipeline.Output{}, nil
	}
	r, err := Compute(ctx, w)
	if err != nil {
		return nil, err
	}
	return &pipeline.Output{Tables: r.Tables(w.Profile), Figures: r.Figures(w)}, nil
}
