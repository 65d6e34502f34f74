package geometry

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/present"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
	"contextmover/internal/elementary"
)

// limitTable is the id of the table of histograms with ever more bins.
const limitTable = tableID + "_limit"

// A Limit is a row of averaged histograms with some number of
// bins, and what they score by each of sentence.Divergences.
type Limit struct {
	Row    profile.Row
	Bins   string // "K = 300", or eachContext
	Scores []score.Estimate
	Minus  []score.Estimate // minus those with a bin for each context, over the same pairs; none of these themselves
}

// eachContext names histograms without clusters.
const eachContext = "one cluster per context"

// ComputeLimit scores the profile's rows of averages with each number of clusters
// that it lists, and with every context a bin of its own: the limit of many clusters.
func ComputeLimit(ctx context.Context, w *pipeline.Workspace) (all []Limit, err error) {
	for _, id := range w.Profile.Geometry.Rows {
		row, _ := w.Profile.Row(id)
		if !row.Averages() {
			continue
		}
		limit := Limit{Row: row, Bins: eachContext}
		if limit.Scores, err = unclustered(ctx, w, row); err != nil {
			return nil, err
		}
		clusters := append([]int{row.Histograms().Clusters}, method.Values[int](w.Profile.Geometry.Vary, "clusters")...)
		slices.Sort(clusters)
		for _, k := range slices.Compact(clusters) {
			l := Limit{Row: row.With("clusters", k), Bins: fmt.Sprintf("K = %d", k)}
			for d, divergence := range sentence.Divergences() {
				l.Row = l.Row.With("compare", string(divergence))
				measures, err := w.MeasureRows(ctx, []profile.Row{l.Row})
				if err != nil {
					return nil, err
				}
				m, err := pipeline.TestAverage(w.Profile.STS.Groups, measures[0],
					func(g profile.Group) ([]float64, error) { return w.GroupDraws(ctx, l.Row, g) })
				if err != nil {
					return nil, err
				}
				l.Scores, l.Minus = append(l.Scores, m.Estimate), append(l.Minus, m.Estimate.Minus(limit.Scores[d]))
			}
			all = append(all, l)
		}
		all = append(all, limit)
	}
	return all, nil
}

// unclustered returns the mean over the test groups of a row of averages
// where every context is a bin, by each of sentence.Divergences.
func unclustered(ctx context.Context, w *pipeline.Workspace, row profile.Row) (all []score.Estimate, err error) {
	for d := range sentence.Divergences() {
		e, err := testAverage(w, func(set profile.Set) (float64, []float64, error) {
			return measureUnclustered(ctx, w, row, set, d)
		})
		if err != nil {
			return nil, fmt.Errorf("row %q without clusters: %w", row.ID, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// testAverage returns the mean over the test groups of the mean over a group's
// sets; of returns a set's value, and its draws, ClaimDraws of them or none.
func testAverage(
	w *pipeline.Workspace, of func(profile.Set) (value float64, draws []float64, err error),
) (score.Estimate, error) {
	measures := make([][]pipeline.Measure, len(w.Profile.STS.Groups))
	draws := map[string][]float64{} // of each group
	for g, group := range w.Profile.STS.Groups {
		if !group.Test() {
			continue
		}
		mean := make([]float64, pipeline.ClaimDraws)
		for _, set := range group.Sets {
			value, of, err := of(set)
			if err != nil {
				return score.Estimate{}, fmt.Errorf("%s %s: %w", group.Name, set.Name, err)
			}
			measures[g] = append(measures[g], pipeline.Measure{Estimate: score.Estimate{Value: value}, Pairs: 1})
			for i, x := range of {
				mean[i] += x / float64(len(group.Sets))
			}
		}
		draws[group.Name] = mean
	}
	m, err := pipeline.TestAverage(w.Profile.STS.Groups, measures, func(g profile.Group) ([]float64, error) {
		return draws[g.Name], nil
	})
	return m.Estimate, err
}

// measureUnclustered returns the correlation × 100 of a set by the divergence of
// that number, and its bootstrap draws, of the same pairs as those of every row.
func measureUnclustered(
	ctx context.Context, w *pipeline.Workspace, row profile.Row, set profile.Set, divergence int,
) (value float64, draws []float64, err error) {
	pairs, err := w.ReadPairs(ctx, set)
	if err != nil {
		return 0, nil, err
	}
	scores := unclusteredNode(w, row, set)
	all, err := store.Get(ctx, w.Store, scores)
	if err != nil {
		return 0, nil, err
	}
	n := len(pairs.Pairs)
	of := all[divergence*n : (divergence+1)*n]
	if value, err = score.Pearson(of, pairs.Gold); err != nil {
		return 0, nil, err
	}
	draws, err = store.Get(ctx, w.Store, w.CorrelationDraws(store.Node[[]float64]{
		Name: "unclustered-draws", Version: 1, Inputs: []store.Input{scores},
		Params: struct {
			Divergence sentence.Divergence `json:"divergence"`
			Draws      int                 `json:"draws"`
			Seed       uint64              `json:"seed"`
		}{sentence.Divergences()[divergence], pipeline.ClaimDraws, w.Sampling(set.File)},
	}, set, func(context.Context, *pipeline.SentencePairs) ([]float64, error) { return of, nil }))
	return 100 * value, draws, err
}

// unclusteredNode has the scores of a set by divergence and pair.
func unclusteredNode(w *pipeline.Workspace, row profile.Row, set profile.Set) store.Node[[]float64] {
	own := row.With("compare", string(sentence.TotalVariation))
	return store.Node[[]float64]{
		Name: "unclustered-scores", Version: 1, Inputs: []store.Input{w.ScoresNode(own, set), w.CountsNode()},
		Parts: func(scores *[]float64) []store.Part { return []store.Part{store.Array("scores.npy", scores)} },
		Make: func(ctx context.Context) ([]float64, error) {
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return nil, err
			}
			c, err := newContexts(ctx, w, row)
			if err != nil {
				return nil, err
			}
			return c.score(ctx, pairs.Pairs)
		},
	}
}

// contexts average the associations of words with single contexts, as sentence.HistogramAverage does their
// histograms over clusters. They stay sparse: hundreds of thousands of bins for each sentence are too many.
type contexts struct {
	associations *sppmi.Matrix
	divisor      []float64 // n_k of estimate, where each context is a cluster
	weighting    sentence.Weighting
	probability  []float64
}

func newContexts(ctx context.Context, w *pipeline.Workspace, row profile.Row) (*contexts, error) {
	h := row.Histograms()
	c := &contexts{weighting: h.Weighting.Of()}
	var err error
	if c.probability, err = w.Probability(ctx, h.Weighting.Marginal()); err != nil {
		return nil, err
	}
	if c.associations, err = w.Associations(ctx, sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift}); err != nil {
		return nil, err
	}
	c.divisor = make([]float64, c.associations.Cols)
	if h.Normalisation == estimate.Total {
		for i, k := range c.associations.Index {
			c.divisor[k] += float64(c.associations.Value[i])
		}
	}
	for k, total := range c.divisor {
		c.divisor[k] = 1 // a cluster of one context has the size 1
		if total > 0 {
			c.divisor[k] = elementary.Pow(total, h.Beta)
		}
	}
	return c, nil
}

// average adds the histogram of a sentence to sum, all contexts long, and returns touched
// with the contexts where that was 0 before; false if no word has an association.
func (c *contexts) average(s sentence.Sentence, sum []float64, touched []int32) ([]int32, bool) {
	mass, total := make([]float64, len(s)), 0.0
	for i, word := range s {
		index, value := c.associations.Row(int(word))
		for j, k := range index {
			mass[i] += float64(value[j]) / c.divisor[k]
		}
		if mass[i] > 0 {
			total += c.weighting.Of(c.probability[word])
		}
	}
	for i, word := range s {
		if mass[i] == 0 {
			continue
		}
		share := c.weighting.Of(c.probability[word]) / (total * mass[i])
		index, value := c.associations.Row(int(word))
		for j, k := range index {
			if sum[k] == 0 {
				touched = append(touched, k)
			}
			sum[k] += share * float64(value[j]) / c.divisor[k]
		}
	}
	return touched, total > 0
}

// score returns minus the divergences of all pairs, by divergence and pair. A
// pair with a side that has no word with an association has the set's worst.
func (c *contexts) score(ctx context.Context, pairs []sentence.Pair) ([]float64, error) {
	n := len(pairs)
	all := make([]float64, len(sentence.Divergences())*n)
	covered := make([]bool, n)
	a, b := make([]float64, c.associations.Cols), make([]float64, c.associations.Cols)
	var p, q []float32
	for i, pair := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		both, first := c.average(pair.A, a, nil)
		both, second := c.average(pair.B, b, both)
		slices.Sort(both)
		p, q = p[:0], q[:0]
		for _, k := range slices.Compact(both) {
			p, q = append(p, float32(a[k])), append(q, float32(b[k]))
			a[k], b[k] = 0, 0
		}
		if covered[i] = first && second; !covered[i] {
			continue
		}
		for d, divergence := range sentence.Divergences() {
			all[d*n+i] = -divergence.Between(p, q)
		}
	}
	for d := range sentence.Divergences() {
		of := all[d*n : (d+1)*n]
		worst := slices.Min(of) // distances are at least 0, and so are minus the ones of pairs that are not covered
		for i := range of {
			if !covered[i] {
				of[i] = worst
			}
		}
	}
	return all, nil
}

// limitTables returns the table of scores by the number of bins.
func limitTables(all []Limit, p *profile.Profile) []*render.Table {
	if len(all) == 0 {
		return nil
	}
	t := &render.Table{
		ID: limitTable, Label: "method",
		Title: fmt.Sprintf("Sentence similarity without transport, by the number of clusters and without any "+
			"(profile %s)", p.Name),
		Notes: []string{
			"Pearson × 100, mean of the test groups. Averages of the words' histograms, by distances that do not " +
				"use the positions of clusters; total variation is exact transport where every move costs the same. " +
				"With " + eachContext +
				" nothing is clustered, and vectors are not used. − each context: the difference from that, on the " +
				"same pairs.",
		},
	}
	for _, d := range sentence.Divergences() {
		t.Plain(string(d), 1, "score", "− each context")
	}
	rows := make([]profile.Row, len(all))
	for i, l := range all {
		rows[i] = l.Row
		rows[i].ID, rows[i].Label = l.Row.ID+", "+l.Bins, l.Row.Label+", "+l.Bins
	}
	t.Blocks = present.ByBlock(p.STS.Blocks, rows, func(i int) (cells []render.Cell) {
		for d, s := range all[i].Scores {
			minus := render.Cell{Text: "–"}
			if all[i].Minus != nil {
				minus = pipeline.Cell(all[i].Minus[d])
			}
			cells = append(cells, pipeline.Cell(s), minus)
		}
		return cells
	})
	return []*render.Table{t}
}

// limitQuantities returns scores and differences for the verdict.
func limitQuantities(all []Limit) (quantities []results.Quantity) {
	add := func(l Limit, column string, e score.Estimate) {
		quantities = append(quantities, results.Quantity{
			Table: limitTable, Row: l.Row.ID, Column: column + ", " + l.Bins, Variant: l.Row.Block, Source: l.Row.ID,
		}.Bounded(e))
	}
	for _, l := range all {
		for d, name := range sentence.Divergences() {
			add(l, string(name), l.Scores[d])
			if l.Minus != nil {
				add(l, string(name)+" − each context", l.Minus[d])
			}
		}
	}
	return quantities
}
