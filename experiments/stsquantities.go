package experiments

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/score"
	"contextmover/experiments/dataset"
	profile "contextmover/experiments/profiles"
	"contextmover/experiments/published"
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
		var tests []Measure
		for g, group := range s.Groups {
			plain, _ := Average(s.Measures[r][g])
			var err error
			if plain.Draws, err = w.groupDraws(ctx, row, group); err != nil {
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
	}
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
	q := results.Quantity{Draws: make([]float64, claimDraws)}
	for _, m := range tests {
		q.Value += m.Pearson / float64(len(tests))
		for d := range m.Draws {
			q.Draws[d] += m.Draws[d] / float64(len(tests))
		}
	}
	low, high := score.Interval(q.Draws)
	q.Low, q.High = &low, &high
	return q
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

// groupDraws returns bootstrap draws of the plain mean over the sets of a group.
func (w *Workspace) groupDraws(ctx context.Context, row profile.Row, group profile.Group) ([]float64, error) {
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
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		// measure made the scores just before.
		from, ok := w.Store.Find(scores.Key())
		if !ok {
			return fmt.Errorf("the scores were removed from the store while they were in use")
		}
		_, values, err := npy.Read[float64](filepath.Join(from, "scores.npy"))
		if err != nil {
			return err
		}
		pairs, err := w.pairs(ctx, set)
		if err != nil {
			return err
		}
		x, y := make([]float64, len(values)), make([]float64, len(values))
		draws := score.Draws(len(values), claimDraws, sampling, func(sample []int) float64 {
			for i, s := range sample {
				x[i], y[i] = values[s], pairs.gold[s]
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

// effectiveLengths returns, for each block, the mean effective length of the test sets on
// which plain CoMB is better than SIF without its principal component, and of those on
// which it is not (the footnote on Table S8): plain means over sets, as there. In each
// bootstrap draw the sets are divided anew.
func (s *STS) effectiveLengths(ctx context.Context, w *Workspace) ([]results.Quantity, error) {
	const comb, sif = "a_unsup_glove_tbc/CoMB", "a_unsup_glove_tbc/SIF (PC removed)"
	rows := map[string][2]int{} // of CoMB and SIF in a block, from 1
	var blocks []string
	for r, row := range s.Rows {
		if row.Block == ablationBlock {
			continue
		}
		summary, _ := s.counterpart(row)
		found := rows[row.Block]
		if k := slices.Index([]string{comb, sif}, summary); k >= 0 && found[k] == 0 {
			found[k] = r + 1
		}
		if rows[row.Block] = found; !slices.Contains(blocks, row.Block) {
			blocks = append(blocks, row.Block)
		}
	}
	var all []results.Quantity
	for _, block := range blocks {
		found := rows[block]
		if found[1] == 0 && strings.HasPrefix(block, results.Chosen) { // SIF has no settings to choose
			found[1] = rows[results.Paper+strings.TrimPrefix(block, results.Chosen)][1]
		}
		if found[0] == 0 || found[1] == 0 {
			continue
		}
		one, other := newLengths("effective length where CoMB is better"), newLengths("effective length where SIF + PC is better")
		for g, group := range s.Groups {
			if group.Validation {
				continue
			}
			for i, set := range group.Sets {
				length, err := w.effectiveLength(ctx, set)
				if err != nil {
					return nil, err
				}
				a, err := w.setDraws(ctx, s.Rows[found[0]-1], set)
				if err != nil {
					return nil, err
				}
				b, err := w.setDraws(ctx, s.Rows[found[1]-1], set)
				if err != nil {
					return nil, err
				}
				pick := func(combBetter bool) *lengths {
					if combBetter {
						return one
					}
					return other
				}
				pick(s.Measures[found[0]-1][g][i].Pearson > s.Measures[found[1]-1][g][i].Pearson).value.add(length)
				for d := range a {
					pick(a[d] > b[d]).draws[d].add(length)
				}
			}
		}
		if one.value.n == 0 || other.value.n == 0 {
			continue // one is better everywhere: there is nothing to compare
		}
		for _, l := range []*lengths{one, other} {
			q := results.Quantity{
				Table: published.TextTable, Row: l.name, Column: "tokens", Variant: block,
				Source: s.Rows[found[0]-1].ID, Value: l.value.mean(), Draws: make([]float64, claimDraws),
			}
			for d := range q.Draws {
				q.Draws[d] = l.draws[d].mean()
			}
			all = append(all, q)
		}
		for row, l := range map[string]*lengths{
			"sentence length: average effective length where CoMB wins": one, "sentence length: average effective length where SIF wins": other,
		} {
			all = append(all, results.Quantity{
				Table: published.TextTable, Row: row, Column: "value", Variant: block, Source: s.Rows[found[0]-1].ID, Value: l.value.mean(),
			})
		}
	}
	return all, nil
}

type running struct{ sum, n float64 }

func (r *running) add(x float64) { r.sum, r.n = r.sum+x, r.n+1 }

// mean is NaN if nothing was added: such a draw is left out.
func (r running) mean() float64 { return r.sum / r.n }

type lengths struct {
	name  string
	value running
	draws []running
}

func newLengths(name string) *lengths {
	return &lengths{name: name, draws: make([]running, claimDraws)}
}

// effectiveLength is the mean over the pairs of a set of the length in tokens, averaged
// over both sides, less the tokens of the second sentence that occur in the first.
func (w *Workspace) effectiveLength(ctx context.Context, set profile.Set) (float64, error) {
	path, err := w.File(ctx, set.File)
	if err != nil {
		return 0, err
	}
	pairs, err := dataset.ReadPairs(path)
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, p := range pairs {
		a, b := corpus.Tokenise(p.A), corpus.Tokenise(p.B)
		total += float64(len(a)+len(b)) / 2
		for _, t := range b {
			if slices.Contains(a, t) {
				total--
			}
		}
	}
	return total / float64(len(pairs)), nil
}
