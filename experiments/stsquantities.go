package experiments

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/score"
	"contextmover/experiments/profile"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// claimDraws is the number of bootstrap samples that claims are decided by.
const claimDraws = 10_000

// counterpart returns the paper's rows that a row reproduces, in Table 1 and in the
// tables of the groups. A row that names none, because its settings were chosen or its
// vectors are of another kind, is the counterpart of the named row with the same
// method, mix and removal of the principal component.
func (s *STS) counterpart(row profile.Row) (summary, detail string) {
	if row.PublishedSummary != "" {
		return row.PublishedSummary, row.PublishedDetail
	}
	for _, r := range s.Rows {
		if r.PublishedSummary != "" && r.Block != row.Block && r.Method == row.Method && (r.Mix > 0) == (row.Mix > 0) && r.RemovePC == row.RemovePC {
			return r.PublishedSummary, r.PublishedDetail
		}
	}
	return "", ""
}

// quantities returns our numbers beside the printed ones that they reproduce, those of
// averages with their bootstrap draws. The first row of a block with a counterpart
// stands for it.
func (s *STS) quantities(ctx context.Context, w *Workspace) ([]results.Quantity, error) {
	var all []results.Quantity
	taken := map[string]bool{}
	for r, row := range s.Rows {
		if row.Block == ablationBlock {
			q, err := s.ablation(ctx, w, r)
			if err != nil {
				return nil, err
			}
			all = append(all, q)
			continue
		}
		summary, detail := s.counterpart(row)
		if summary == "" || taken[row.Block+"\n"+summary] {
			continue
		}
		taken[row.Block+"\n"+summary] = true
		first := len(all)
		var tests []Measure
		for g, group := range s.Groups {
			plain, _ := Average(s.Measures[r][g])
			var err error
			if plain.Draws, err = s.groupDraws(ctx, w, row, group); err != nil {
				return nil, err
			}
			if !group.Validation {
				tests = append(tests, plain)
			}
			q := plain.quantity(row, summaryTable, summary, group.Published)
			if group.Validation {
				q.Draws = plain.Draws
			}
			all = append(all, q, plain.quantity(row, group.Table, detail, "Average"))
			for i, m := range s.Measures[r][g] {
				all = append(all, m.quantity(row, group.Table, detail, group.Sets[i].Name))
			}
		}
		average := testAverage(tests)
		average.Table, average.Row, average.Column = summaryTable, summary, "Avg_STS12_15"
		average.Variant, average.Source = row.Block, row.ID
		all = append(all, average)
		if row.PublishedDetail != "" {
			all = append(all, settingQuantities(row)...)
		}
		if choice := s.Choices[row.ID]; choice != nil {
			for i := range all[first:] {
				all[first+i].Tried = choice.Tried
			}
		}
	}
	if !w.Profile.Published() || w.further() {
		return all, nil
	}
	support, err := w.supportShare(ctx)
	if err != nil {
		return nil, err
	}
	all = append(append(all, settingNumbers(w.Profile)...), support)
	lengths, err := s.effectiveLengths(ctx, w)
	return append(all, lengths...), err
}

// ablationBlock is the block of rows that change one setting of the paper's CoMB each;
// their labels name them in claims.
const ablationBlock = "ablation"

// ablation is the test average of a row of the ablation block.
func (s *STS) ablation(ctx context.Context, w *Workspace, r int) (results.Quantity, error) {
	var tests []Measure
	for g, group := range s.Groups {
		if group.Validation {
			continue
		}
		m, _ := Average(s.Measures[r][g])
		var err error
		if m.Draws, err = w.groupDraws(ctx, s.Rows[r], group); err != nil {
			return results.Quantity{}, err
		}
		tests = append(tests, m)
	}
	q := testAverage(tests)
	q.Table, q.Row, q.Column = "sts_ablations", s.Rows[r].Label, "Avg_STS12_15"
	q.Variant, q.Source = results.Paper, s.Rows[r].ID
	return q, nil
}

// testAverage is the plain mean of the test groups.
func testAverage(tests []Measure) results.Quantity {
	m := averageOf(tests)
	return results.Quantity{Value: m.Pearson, Low: &m.Low, High: &m.High, Draws: m.Draws}
}

func (m Measure) quantity(row profile.Row, table, paperRow, column string) results.Quantity {
	return results.Quantity{
		Table: table, Row: paperRow, Column: column, Variant: row.Block, Source: row.ID,
		Value: m.Pearson, Low: &m.Low, High: &m.High,
	}
}

// settingQuantities are the settings that a row of the paper's ran with, as its Table S5
// has them.
func settingQuantities(row profile.Row) []results.Quantity {
	_, name, _ := strings.Cut(row.PublishedDetail, "/")
	values := map[string]float64{"sif_a": row.A}
	if !row.IsAverage() {
		values = map[string]float64{"alpha": row.Smoothing, "beta": row.Beta, "s": row.Shift, "K": float64(row.Clusters)}
		if row.Mix > 0 {
			values["mixing_m"] = row.Mix
		}
	}
	var all []results.Quantity
	for _, column := range []string{"sif_a", "alpha", "beta", "s", "K", "mixing_m"} {
		if v, ok := values[column]; ok && row.Method != profile.NBoW {
			all = append(all, results.Quantity{Table: settingsTable, Row: name, Column: column, Variant: row.Block, Source: row.ID, Value: v})
		}
	}
	return all
}

// groupDraws returns bootstrap draws of the plain mean over the sets of a group; none in a
// workspace of a further seed.
func (w *Workspace) groupDraws(ctx context.Context, row profile.Row, group profile.Group) ([]float64, error) {
	if w.further() {
		return nil, nil
	}
	mean := make([]float64, claimDraws)
	for _, set := range group.Sets {
		draws, err := w.setDraws(ctx, row, set)
		if err != nil {
			return nil, fmt.Errorf("row %q on %s %s: %w", row.ID, group.Name, set.Name, err)
		}
		for d, v := range draws {
			mean[d] += v / float64(len(group.Sets))
		}
	}
	return mean, nil
}

// setDraws returns bootstrap draws of a row on a set, more of them than measure keeps.
// Draw d is the same pairs for every row.
func (w *Workspace) setDraws(ctx context.Context, row profile.Row, set profile.Set) ([]float64, error) {
	scores, sampling, err := w.scoresStage(row, set)
	if err != nil {
		return nil, err
	}
	stage := store.Stage{Name: "sts-draws", Version: 1, Inputs: []store.Key{scores.Key()}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{claimDraws, sampling}}
	return w.draws(ctx, stage, sampling, func() (values, gold []float64, err error) {
		// measure made the scores just before.
		from, ok := w.Store.Find(scores)
		if !ok {
			return nil, nil, fmt.Errorf("the scores were removed from the store while they were in use")
		}
		if _, values, err = npy.Read[float64](filepath.Join(from, "scores.npy")); err != nil {
			return nil, nil, err
		}
		pairs, err := w.pairs(ctx, set)
		if err != nil {
			return nil, nil, err
		}
		return values, pairs.gold, nil
	})
}

// draws returns bootstrap draws of the correlation between values and gold scores, from
// the store if they are there.
func (w *Workspace) draws(ctx context.Context, stage store.Stage, sampling uint64, load func() (values, gold []float64, err error)) ([]float64, error) {
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		values, gold, err := load()
		if err != nil {
			return err
		}
		x, y := make([]float64, len(values)), make([]float64, len(values))
		draws := score.Draws(len(values), claimDraws, sampling, func(sample []int) float64 {
			for i, s := range sample {
				x[i], y[i] = values[s], gold[s]
			}
			r, err := score.Pearson(x, y)
			if err != nil {
				return math.NaN() // a constant sample
			}
			return 100 * r
		})
		return npy.Write(filepath.Join(dir, "draws.npy"), []int{claimDraws}, draws)
	})
	if err != nil {
		return nil, err
	}
	_, draws, err := npy.Read[float64](filepath.Join(dir, "draws.npy"))
	return draws, err
}

// effectiveLengths returns, for each block but the paper's, the mean effective lengths of
// the test sets on which plain CoMB is better than SIF without its principal component,
// and of the others (the footnote on Table S8). Those of the paper's block belong to the
// comparison sentence by sentence.
func (s *STS) effectiveLengths(ctx context.Context, w *Workspace) ([]results.Quantity, error) {
	find := func(block, method string, removePC bool) *profile.Row {
		for r, row := range s.Rows {
			if row.Block == block && row.Method == method && row.Mix == 0 && row.RemovePC == removePC {
				return &s.Rows[r]
			}
		}
		return nil
	}
	var all []results.Quantity
	for _, b := range w.Profile.STS.Blocks {
		comb, sif := find(b.ID, profile.Barycenter, false), find(b.ID, profile.SIF, true)
		if b.ID == results.Paper || b.ID == ablationBlock || comb == nil || sif == nil {
			continue
		}
		q := &Qualitative{CoMB: *comb, SIF: *sif}
		if err := w.lengths(ctx, q); err != nil {
			return nil, err
		}
		all = append(all, q.effectiveLengths(b.ID)...)
	}
	return all, nil
}
