package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
	"contextmover/internal/parallel"
)

// SpearmanDraws are bootstrap draws, by clusters of all pairs, of the correlation of those that
// count, whose values are given. Draw d weighs alike whatever counts.
func SpearmanDraws(ctx context.Context, clusters *score.Pairs, counts func(i int) bool, value, gold []float64, sampling uint64) ([]float64, error) {
	correlation, err := score.NewWeightedRanks(value, gold)
	if err != nil {
		return nil, err
	}
	return clusters.Draws(ctx, ClusterDraws, sampling, func(_ int, weights []int32) float64 {
		counted := make([]int32, 0, len(value))
		for i, w := range weights {
			if counts(i) {
				counted = append(counted, w)
			}
		}
		return correlation.Spearman(counted)
	})
}

// Draws is the number of bootstrap samples behind an interval that no claim is decided by.
const Draws = 1000

// A Measure is the outcome of one row on one set of sentence pairs, or the average
// over several.
type Measure struct {
	// Estimate is 100 times Pearson's correlation of scores and gold; its draws are over pairs.
	// Draw d is the same pairs for every row, so that rows can be compared draw by draw.
	score.Estimate
	// Pairs and Covered count the pairs, and those with a known word on both sides.
	Pairs, Covered int
}

// storedMeasure is a Measure in the store.
type storedMeasure struct {
	Pearson, Low, High float64
	Pairs, Covered     int
}

// MarshalJSON encodes all but the draws.
func (m Measure) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedMeasure{m.Value, m.Low, m.High, m.Pairs, m.Covered})
}

// UnmarshalJSON sets all but the draws.
func (m *Measure) UnmarshalJSON(data []byte) error {
	s := storedMeasure{m.Value, m.Low, m.High, m.Pairs, m.Covered}
	err := json.Unmarshal(data, &s)
	m.Value, m.Low, m.High, m.Pairs, m.Covered = s.Pearson, s.Low, s.High, s.Pairs, s.Covered
	return err
}

// MeasureRows measures rows on all sets, as [row][group][set].
func (w *Workspace) MeasureRows(ctx context.Context, rows []profile.Row) ([][][]Measure, error) {
	// Rows that share estimates follow one another, so that these are made once.
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return CompareEstimates(w.RowEstimates(rows[a]), w.RowEstimates(rows[b]))
	})
	all := make([][][]Measure, len(rows))
	for _, r := range order {
		row := rows[r]
		for _, group := range w.Profile.STS.Groups {
			measures, err := w.MeasureGroup(ctx, row, group)
			if err != nil {
				return nil, fmt.Errorf("row %q on %w", row.ID, err)
			}
			all[r] = append(all[r], measures)
		}
	}
	return all, nil
}

// MeasureGroup measures a row on the sets of a group, some at a time: while the scores of one are drawn from and written to the store, those
// of another are made. Errors name the group and the set.
func (w *Workspace) MeasureGroup(ctx context.Context, row profile.Row, group profile.Group) ([]Measure, error) {
	measures := make([]Measure, len(group.Sets))
	return measures, eachSet(ctx, group, func(s int, set profile.Set) (err error) {
		_, measures[s], err = w.Scores(ctx, row, set)
		return err
	})
}

// eachSet calls f for the sets of a group, some at a time.
func eachSet(ctx context.Context, group profile.Group, f func(s int, set profile.Set) error) error {
	return parallel.Blocks(ctx, len(group.Sets), 1, func(s, _ int) error {
		set := group.Sets[s]
		if err := f(s, set); err != nil {
			return fmt.Errorf("%s %s: %w", group.Name, set.Name, err)
		}
		return nil
	})
}

// Average returns the plain mean over the sets of a group, which is the paper's year
// average, and the mean weighted by the number of pairs.
func Average(sets []Measure) (plain Measure, weighted float64) {
	plain.Draws = make([]float64, Draws)
	for _, m := range sets {
		plain.Value += m.Value / float64(len(sets))
		weighted += float64(m.Value * float64(m.Pairs))
		plain.Pairs += m.Pairs
		plain.Covered += m.Covered
		for d := range m.Draws {
			plain.Draws[d] += m.Draws[d] / float64(len(sets))
		}
	}
	plain.Bound()
	return plain, weighted / float64(plain.Pairs)
}

// ScoresStage is the stage of the scores of a row on a set; sampling is the seed of its
// bootstrap.
func (w *Workspace) ScoresStage(row profile.Row, set profile.Set) (stage store.Stage, sampling uint64, err error) {
	inputs, err := w.ScoreInputs(row, set)
	sampling = Seed(w.Profile.Seed, "bootstrap "+set.File)
	return store.Stage{Name: "sts-scores", Version: 3, Inputs: inputs, Params: struct {
		Score ScoreParams `json:"score"`
		Draws int         `json:"draws"`
		Seed  uint64      `json:"seed"`
	}{w.ScoreParams(row), Draws, sampling}}, sampling, err
}

// Scores returns the score of each pair of a set by a row, in SentEval's order, and their
// outcome, from the store if they are there.
func (w *Workspace) Scores(ctx context.Context, row profile.Row, set profile.Set) (values []float64, m Measure, err error) {
	stage, sampling, err := w.stageAlone(row, set)
	if err != nil {
		return nil, m, err
	}
	err = w.Store.Keep(ctx, stage, []store.Part{
		store.JSON("measure.json", &m), store.Array("scores.npy", &values), store.Array("draws.npy", &m.Draws),
	}, func(ctx context.Context) error {
		scores, pairs, err := w.scoreAlone(ctx, row, set)
		if err != nil {
			return err
		}
		values, m.Pairs = scores.Value, len(pairs.Pairs)
		for _, c := range scores.Covered {
			if c {
				m.Covered++
			}
		}
		r, err := score.Pearson(scores.Value, pairs.Gold)
		if err != nil {
			return err
		}
		draws, err := w.Sampler(len(pairs.Gold), sampling).PearsonDraws(ctx, scores.Value, pairs.Gold, Draws)
		if err != nil {
			return err
		}
		m.Estimate = score.NewEstimate(100*r, draws, nil)
		return nil
	})
	return values, m, err
}

// stageAlone is ScoresStage with the lock.
func (w *Workspace) stageAlone(row profile.Row, set profile.Set) (stage store.Stage, sampling uint64, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ScoresStage(row, set)
}

// scoreAlone is Score with the lock, which a panic, too, gives back: else who waits for it would wait for ever.
func (w *Workspace) scoreAlone(ctx context.Context, row profile.Row, set profile.Set) (sentence.Scores, *SentencePairs, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Score(ctx, row, set)
}

// AverageOf is the plain mean of the test groups, from ClaimDraws draws of each.
func AverageOf(tests []Measure) Measure {
	m := Measure{Estimate: score.Estimate{Draws: make([]float64, ClaimDraws)}}
	for _, t := range tests {
		m.Value += t.Value / float64(len(tests))
		m.Pairs += t.Pairs
		m.Covered += t.Covered
		for d := range t.Draws {
			m.Draws[d] += t.Draws[d] / float64(len(tests))
		}
	}
	m.Bound()
	return m
}

// The numbers of bootstrap samples that claims are decided by: ClaimDraws of sentence pairs, and
// ClusterDraws of pairs by clusters of terms, of which a sample weighs up to 50,000. The smallest
// p-value that the latter can show, 2/2001, still stands after Holm's correction for all claims.
const (
	ClaimDraws   = 10_000
	ClusterDraws = 2_000
)

// Variant names the settings of a row in claims: the paper's, of a row that stands for a printed one, or else its block.
func Variant(row profile.Row) string {
	if row.PublishedSummary != "" {
		return results.Paper
	}
	return row.Block
}

// Quantity puts a measure of a row beside the printed cell that it reproduces, without its draws,
// which are too few for claims.
func (m Measure) Quantity(row profile.Row, table, paperRow, column string) results.Quantity {
	m.Draws = nil
	return results.Quantity{Table: table, Row: paperRow, Column: column, Variant: Variant(row), Source: row.ID}.With(m.Estimate)
}

// TestAverage returns the plain mean over the test groups of a row's measures, as [group][set]. Its
// interval is that of the draws, which claims are decided by.
func TestAverage(groups []profile.Group, measures [][]Measure, draws func(profile.Group) ([]float64, error)) (Measure, error) {
	var tests []Measure
	for g, group := range groups {
		if !group.Test() {
			continue
		}
		m, _ := Average(measures[g])
		var err error
		if m.Draws, err = draws(group); err != nil {
			return Measure{}, err
		}
		tests = append(tests, m)
	}
	return AverageOf(tests), nil
}

// GroupDraws returns bootstrap draws of the plain mean over the sets of a group; none in a
// workspace of a further seed.
func (w *Workspace) GroupDraws(ctx context.Context, row profile.Row, group profile.Group) ([]float64, error) {
	if w.Further() {
		return nil, nil
	}
	sets := make([][]float64, len(group.Sets))
	err := eachSet(ctx, group, func(s int, set profile.Set) (err error) {
		sets[s], err = w.SetDraws(ctx, row, set)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("row %q on %w", row.ID, err)
	}
	mean := make([]float64, ClaimDraws)
	for _, draws := range sets {
		for d, v := range draws {
			mean[d] += v / float64(len(sets))
		}
	}
	return mean, nil
}

// SetDraws returns bootstrap draws of a row on a set, more of them than measure keeps.
// Draw d is the same pairs for every row.
func (w *Workspace) SetDraws(ctx context.Context, row profile.Row, set profile.Set) ([]float64, error) {
	scores, sampling, err := w.stageAlone(row, set)
	if err != nil {
		return nil, err
	}
	stage := drawsStage(scores, sampling)
	return w.CorrelationDraws(ctx, stage, sampling, func() (values, gold []float64, err error) {
		if values, _, err = w.Scores(ctx, row, set); err != nil {
			return nil, nil, err
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		pairs, err := w.ReadPairs(ctx, set)
		if err != nil {
			return nil, nil, err
		}
		return values, pairs.Gold, nil
	})
}

// drawsStage is the stage of the bootstrap draws of scores.
func drawsStage(scores store.Stage, sampling uint64) store.Stage {
	return store.Stage{Name: "sts-draws", Version: 2, Inputs: []store.Key{scores.Key()}, Params: struct {
		Draws int    `json:"draws"`
		Seed  uint64 `json:"seed"`
	}{ClaimDraws, sampling}}
}

// samples are those of so many items with a seed.
type samples struct {
	items int
	seed  uint64
}

// Sampler returns the bootstrap samples of so many items, which all rows share.
func (w *Workspace) Sampler(items int, seed uint64) *score.Sampler {
	w.mu.Lock()
	defer w.mu.Unlock()
	of := samples{items, seed}
	s := w.samplers[of]
	if s == nil {
		if w.samplers == nil {
			w.samplers = map[samples]*score.Sampler{}
		}
		s = score.NewSampler(items, seed)
		w.samplers[of] = s
	}
	return s
}

// CorrelationDraws returns bootstrap draws of the correlation between values and gold scores, from
// the store if they are there.
func (w *Workspace) CorrelationDraws(ctx context.Context, stage store.Stage, sampling uint64, load func() (values, gold []float64, err error)) ([]float64, error) {
	var draws []float64
	err := w.Store.Keep(ctx, stage, []store.Part{store.Array("draws.npy", &draws)}, func(ctx context.Context) error {
		values, gold, err := load()
		if err != nil {
			return err
		}
		draws, err = w.Sampler(len(gold), sampling).PearsonDraws(ctx, values, gold, ClaimDraws)
		return err
	})
	return draws, err
}

// Cell shows a value with its interval.
func Cell(e score.Estimate) render.Cell {
	return render.Cell{Value: &e.Value, Interval: &render.Interval{Low: e.Low, High: e.High}}
}

// Cell shows a measure beside the printed number, if there is one.
func (m Measure) Cell(printed *float64) render.Cell {
	c := Cell(m.Estimate)
	c.Printed, c.Coverage = printed, &render.Coverage{Covered: m.Covered, Total: m.Pairs}
	return c
}
