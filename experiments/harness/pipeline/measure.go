package pipeline

import (
	"context"
	"fmt"

	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/show/render"
)

// SpearmanDraws are bootstrap draws, by clusters of all pairs, of the correlation of those that
// count, whose values are given. Draw d weighs the same whatever counts.
func SpearmanDraws(
	ctx context.Context, clusters *score.Pairs, counts func(i int) bool, value, gold []float64, sampling uint64,
) ([]float64, error) {
	correlation, err := score.WeightedSpearman(value, gold)
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
		return correlation(counted)
	})
}

// Draws is the number of bootstrap samples behind an interval that no claim is decided by.
const Draws = 1000

// A Measure is the outcome of one row on one set of pairs of sentences or words, or the average
// over several.
type Measure struct {
	// Estimate is 100 times the correlation of scores and gold: of sentences Pearson's, with draws over pairs; of words
	// Spearman's over the covered pairs, with draws by clusters of words (score.Pairs).
	// Draw d is the same pairs for every row, so that rows can be compared draw by draw.
	score.Estimate
	// Pairs and Covered count the pairs, and those with a known word on both sides.
	Pairs, Covered int
}

// The names of correlations in the files of measures.
const (
	Pearson  = "Pearson"
	Spearman = "Spearman"
)

// Part is the file of a measure by a correlation, without draws.
func (m *Measure) Part(correlation string) store.Part {
	file := struct {
		Pearson, Spearman *float64 `json:",omitempty"` // one of them
		Low, High         *float64
		Pairs, Covered    *int
	}{nil, nil, &m.Low, &m.High, &m.Pairs, &m.Covered}
	if correlation == Pearson {
		file.Pearson = &m.Value
	} else {
		file.Spearman = &m.Value
	}
	return store.JSON("measure.json", &file)
}

// AddValues adds what rows measure in a workspace of another seed or shuffle to their measures, as [row][group][set].
func (w *Workspace) AddValues(ctx context.Context, rows []profile.Row, measures [][][]Measure) error {
	again, err := w.MeasureRows(ctx, rows)
	if err != nil {
		return err
	}
	for r := range measures {
		for g := range measures[r] {
			for s := range measures[r][g] {
				measures[r][g][s].AddSeed(again[r][g][s].Value)
			}
		}
	}
	return nil
}

// MeasureRows measures rows on all sets, as [row][group][set].
func (w *Workspace) MeasureRows(ctx context.Context, rows []profile.Row) ([][][]Measure, error) {
	var nodes []store.Node[Scored]
	for _, row := range rows {
		for _, group := range w.Profile.STS.Groups {
			for _, set := range group.Sets {
				node := w.ScoresNode(row, set)
				node.Subject = fmt.Sprintf("row %q on %s %s", row.ID, group.Name, set.Name)
				nodes = append(nodes, node)
			}
		}
	}
	scored, err := store.All(ctx, w.Store, nodes)
	if err != nil {
		return nil, err
	}
	all := make([][][]Measure, len(rows))
	for r := range rows {
		for _, group := range w.Profile.STS.Groups {
			sets := make([]Measure, len(group.Sets))
			for i := range sets {
				sets[i] = scored[i].Measure
			}
			all[r] = append(all[r], sets)
			scored = scored[len(sets):]
		}
	}
	return all, nil
}

// Average returns the plain mean over the sets of a group, which is the paper's year
// average, and the mean weighted by the number of pairs, over all seeds.
func Average(sets []Measure) (plain Measure, weighted float64) {
	plain = AverageOf(sets)
	for _, m := range sets {
		weighted += float64(m.Mean() * float64(m.Pairs))
	}
	return plain, weighted / float64(plain.Pairs)
}

// AverageOf returns the plain mean of measures, which have equal numbers of draws and of seeds; zero of none.
func AverageOf(all []Measure) (m Measure) {
	if len(all) == 0 {
		return m
	}
	var estimates []score.Estimate
	for _, x := range all {
		estimates = append(estimates, x.Estimate)
		m.Pairs += x.Pairs
		m.Covered += x.Covered
	}
	m.Estimate = score.MeanEstimate(estimates)
	return m
}

// Sampled is what bootstrap draws depend on, in addition to what is drawn from.
type Sampled struct {
	Draws int    `json:"draws"`
	Seed  uint64 `json:"seed"`
}

// ScoredParams is what scores and their draws depend on.
type ScoredParams struct {
	Method MethodParams `json:"method"`
	Sampled
}

// Scored has the score of each pair of a set by a row, in SentEval's order, and their outcome.
type Scored struct {
	Values []float64
	Measure
}

// Sampling is the seed of the bootstrap of a file's pairs, which all rows share.
func (w *Workspace) Sampling(file string) uint64 { return Seed(w.Profile.Seed, "bootstrap "+file) }

// ScoresNode has the scores of a row on a set.
func (w *Workspace) ScoresNode(row profile.Row, set profile.Set) store.Node[Scored] {
	return store.Node[Scored]{
		Name: "sts-scores", Version: 4, Inputs: w.Inputs(row.Method, set), Shared: w.RowShared(row),
		Subject: fmt.Sprintf("row %q on %s", row.ID, set.Name),
		Params:  ScoredParams{w.MethodParams(row.Method), Sampled{Draws, w.Sampling(set.File)}},
		Parts: func(s *Scored) []store.Part {
			return []store.Part{
				s.Measure.Part(Pearson), store.Array("scores.npy", &s.Values), store.Array("draws.npy", &s.Draws),
			}
		},
		Make: func(ctx context.Context) (s Scored, err error) {
			scores, pairs, err := w.Score(ctx, row, set)
			if err != nil {
				return s, err
			}
			s.Values, s.Pairs = scores.Value, len(pairs.Pairs)
			for _, c := range scores.Covered {
				if c {
					s.Covered++
				}
			}
			r, err := score.Pearson(scores.Value, pairs.Gold)
			if err != nil {
				return s, err
			}
			sampler, err := w.Sampler(ctx, len(pairs.Gold), w.Sampling(set.File))
			if err != nil {
				return s, err
			}
			draws, err := sampler.PearsonDraws(ctx, scores.Value, pairs.Gold, Draws)
			s.Estimate = score.NewEstimate(100*r, draws, nil)
			return s, err
		},
	}
}

// Scores returns the score of each pair of a set by a row, in SentEval's order, and their
// outcome.
func (w *Workspace) Scores(ctx context.Context, row profile.Row, set profile.Set) ([]float64, Measure, error) {
	s, err := store.Get(ctx, w.Store, w.ScoresNode(row, set))
	return s.Values, s.Measure, err
}

// The numbers of bootstrap samples that claims are decided by: ClaimDraws of sentence pairs, and
// ClusterDraws of pairs by clusters of terms, of which a sample weighs up to 50,000. The smallest
// p-value that the latter can show, 2/2001, still stands after Holm's correction for all claims.
const (
	ClaimDraws   = 10_000
	ClusterDraws = 2_000
)

// Variant names the settings of a row in claims: the paper's,
// of a row that stands for a printed one, or else its block.
func Variant(row profile.Row) string {
	if row.PublishedSummary != "" {
		return results.Paper
	}
	return row.Block
}

// Quantity puts a measure of a row next to the printed cell that it reproduces, without its draws,
// which are too few for claims.
func (m Measure) Quantity(row profile.Row, table, paperRow, column string) results.Quantity {
	m.Draws = nil
	return results.Quantity{
		Table: table, Row: paperRow, Column: column, Variant: Variant(row), Source: row.ID,
	}.With(m.Estimate)
}

// TestAverages returns for each row the plain mean over the test groups of its measures, as [row][group][set]. Its
// interval is that of the draws of groups, which claims are decided by.
func (w *Workspace) TestAverages(ctx context.Context, rows []profile.Row, measures [][][]Measure,
	draws func(context.Context, profile.Row, profile.Group) ([]float64, error)) (all []Measure, err error) {
	for r, row := range rows {
		var tests []Measure
		for g, group := range w.Profile.STS.Groups {
			if !group.Test() {
				continue
			}
			m, _ := Average(measures[r][g])
			if m.Draws, err = draws(ctx, row, group); err != nil {
				return nil, err
			}
			tests = append(tests, m)
		}
		all = append(all, AverageOf(tests))
	}
	return all, nil
}

// GroupDraws returns bootstrap draws of the plain mean over the sets of a group; none in a
// workspace of a further seed.
func (w *Workspace) GroupDraws(ctx context.Context, row profile.Row, group profile.Group) ([]float64, error) {
	if w.Further() {
		return nil, nil
	}
	nodes := make([]store.Node[[]float64], len(group.Sets))
	for i, set := range group.Sets {
		nodes[i] = w.DrawsNode(row, set)
		nodes[i].Subject = fmt.Sprintf("row %q on %s %s", row.ID, group.Name, set.Name)
	}
	sets, err := store.All(ctx, w.Store, nodes)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, ClaimDraws)
	for _, draws := range sets {
		for d, v := range draws {
			mean[d] += v / float64(len(sets))
		}
	}
	return mean, nil
}

// DrawsNode has bootstrap draws of a row on a set, more of them than its scores keep.
// Draw d is the same pairs for every row.
func (w *Workspace) DrawsNode(row profile.Row, set profile.Set) store.Node[[]float64] {
	scores := w.ScoresNode(row, set)
	node := store.Node[[]float64]{
		Name: "sts-draws", Version: 2, Inputs: []store.Input{scores}, Shared: scores.Shared, Subject: scores.Subject,
		Params: Sampled{ClaimDraws, w.Sampling(set.File)},
	}
	return w.CorrelationDraws(node, set, func(ctx context.Context) ([]float64, error) {
		s, err := store.Get(ctx, w.Store, scores)
		return s.Values, err
	})
}

// CorrelationDraws completes a node of bootstrap draws of the correlation between a set's gold scores and what values
// returns for its pairs.
func (w *Workspace) CorrelationDraws(node store.Node[[]float64], set profile.Set,
	values func(ctx context.Context) ([]float64, error)) store.Node[[]float64] {
	node.Parts = func(draws *[]float64) []store.Part { return []store.Part{store.Array("draws.npy", draws)} }
	node.Make = func(ctx context.Context) ([]float64, error) {
		pairs, err := w.ReadPairs(ctx, set)
		if err != nil {
			return nil, err
		}
		x, err := values(ctx)
		if err != nil {
			return nil, err
		}
		sampler, err := w.Sampler(ctx, len(x), w.Sampling(set.File))
		if err != nil {
			return nil, err
		}
		return sampler.PearsonDraws(ctx, x, pairs.Gold, ClaimDraws)
	}
	return node
}

// Sampler returns the bootstrap samples of so many items, which all rows share.
func (w *Workspace) Sampler(ctx context.Context, items int, seed uint64) (*score.Sampler, error) {
	return store.Get(ctx, w.Store, store.Node[*score.Sampler]{
		Name: "samples", Version: 1, Params: []any{items, seed},
		Make: func(context.Context) (*score.Sampler, error) { return score.NewSampler(items, seed), nil },
	})
}

// Cell shows the mean over seeds with the interval.
func Cell(e score.Estimate) render.Cell {
	value := e.Mean()
	return render.Cell{Value: &value, Interval: &render.Interval{Low: e.Low, High: e.High}}
}

// Cell shows a measure next to the printed number, if there is one.
func (m Measure) Cell(printed *float64) render.Cell {
	c := Cell(m.Estimate)
	c.Printed, c.Coverage = printed, &render.Coverage{Covered: m.Covered, Total: m.Pairs}
	return c
}
