package geometry

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/present"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
)

// contextsTable is the id of the table of transport between single contexts.
const contextsTable = tableID + "_contexts"

// Every pair of sentences has contexts, and so costs, of its own, and exact transport takes more than the square
// of their number. So only some pairs of a set are solved, and only the heaviest contexts of a sentence are moved.
const (
	movedPairs = 100  // of each set
	scaledBy   = 1000 // contexts between which costs are taken for the constant that all are divided by
)

// keptContexts lists how many contexts of a sentence are moved: the first number
// with every metric, the others, which take most of the time, with the row's.
var keptContexts = []int{100, 300}

// Moved is what some pairs of each set score by transport of averages with each geometry.
type Moved struct {
	Row  profile.Row
	Bins string // "K = 300", "300 contexts", or eachContext
	// Kept is the share of the sentences' mass that these bins have,
	// the mean over sentences of a set, averaged as scores are.
	Kept float64
	// Scores are in the order of geometries, Minus[i] is Scores[i+1] − Scores[0]
	// on the same pairs. For eachContext Scores has the discrete cost's alone.
	Scores, Minus []score.Estimate
}

// A scorer returns the scores of the pairs at those indices of a set.
type scorer func(set profile.Set, at []int) ([]float64, error)

// ComputeMoved scores the profile's rows of averages by exact transport between single contexts, each in the place of
// its own vector. It does so with the row's metric and each other one that the profile lists. Beside them stand the
// same pairs by transport between the row's clusters, and by the total variation of all contexts.
func ComputeMoved(ctx context.Context, w *pipeline.Workspace) (all []Moved, err error) {
	for _, id := range w.Profile.Geometry.Rows {
		row, _ := w.Profile.Row(id)
		if !row.Averages() {
			continue
		}
		clusters := make([]scorer, len(geometries))
		for i, g := range geometries {
			r := row.With("geometry", g)
			clusters[i] = func(set profile.Set, at []int) ([]float64, error) {
				values, _, err := w.Scores(ctx, r, set)
				return pick(values, at), err
			}
		}
		if all, err = appendMoved(ctx, w, all, Moved{
			Row: row, Bins: fmt.Sprintf("K = %d", row.Histograms().Clusters), Kept: 1,
		}, clusters); err != nil {
			return nil, err
		}

		h := row.Histograms()
		metrics := []ground.Metric{h.Metric}
		for _, m := range method.Values[ground.Metric](w.Profile.Geometry.Vary, "metric") {
			if m != h.Metric {
				metrics = append(metrics, m)
			}
		}
		for _, metric := range metrics {
			r, keep := row.With("metric", metric), keptContexts
			if metric != h.Metric {
				keep = keep[:1]
			}
			for n, kept := range keep {
				share, err := testAverage(w, func(set profile.Set) (float64, []float64, error) {
					s, err := store.Get(ctx, w.Store, movedNode(w, r, set, keep))
					if err != nil {
						return 0, nil, err
					}
					return s.kept[n], nil, nil
				})
				if err != nil {
					return nil, fmt.Errorf("row %q, %s, transport between contexts: %w", id, metric, err)
				}
				contexts := make([]scorer, len(geometries))
				for g := range geometries {
					contexts[g] = func(set profile.Set, at []int) ([]float64, error) {
						s, err := store.Get(ctx, w.Store, movedNode(w, r, set, keep))
						if err != nil {
							return nil, err
						}
						return s.of(n, g, len(at)), nil
					}
				}
				if all, err = appendMoved(ctx, w, all, Moved{
					Row: r, Bins: fmt.Sprintf("%d contexts", kept), Kept: share.Value,
				}, contexts); err != nil {
					return nil, err
				}
			}
		}

		each := func(set profile.Set, at []int) ([]float64, error) {
			values, err := store.Get(ctx, w.Store, unclusteredNode(w, row, set))
			return pick(values, at), err // total variation comes first
		}
		if all, err = appendMoved(ctx, w, all, Moved{Row: row, Bins: eachContext, Kept: 1},
			[]scorer{each}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// appendMoved appends m with its scores and their differences from the first.
func appendMoved(ctx context.Context, w *pipeline.Workspace, all []Moved, m Moved, scores []scorer) ([]Moved, error) {
	for _, of := range scores {
		e, err := testAverage(w, func(set profile.Set) (float64, []float64, error) {
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return 0, nil, err
			}
			at := movedOf(w, set, len(pairs.Pairs))
			values, err := of(set, at)
			if err != nil {
				return 0, nil, err
			}
			gold := pick(pairs.Gold, at)
			value, err := score.Pearson(values, gold)
			if err != nil {
				return 0, nil, err
			}
			draws, err := score.PearsonDraws(ctx, values, gold, pipeline.ClaimDraws,
				pipeline.Seed(w.Profile.Seed, "bootstrap of moved pairs "+set.File))
			return 100 * value, draws, err
		})
		if err != nil {
			return nil, fmt.Errorf("row %q, %s, %s: %w", m.Row.ID, m.Row.Histograms().Metric, m.Bins, err)
		}
		if m.Scores = append(m.Scores, e); len(m.Scores) > 1 {
			m.Minus = append(m.Minus, e.Minus(m.Scores[0]))
		}
	}
	return append(all, m), nil
}

// movedOf returns the indices of the pairs of a set that are
// moved, drawn without regard to anything, in ascending order.
func movedOf(w *pipeline.Workspace, set profile.Set, pairs int) []int {
	at := rand.New(rand.NewPCG(pipeline.Seed(w.Profile.Seed, "moved pairs "+set.File), 0)).Perm(pairs)
	at = at[:min(pairs, movedPairs)]
	slices.Sort(at)
	return at
}

// movedScores are the scores of the moved pairs of a set.
type movedScores struct {
	values []float64 // by number of contexts kept, geometry and pair
	kept   []float64 // mean share of the mass by number of contexts kept
}

// of returns the scores of n pairs.
func (s *movedScores) of(kept, geometry, n int) []float64 {
	return s.values[(kept*len(geometries)+geometry)*n:][:n]
}

// movedNode has the scores of the moved pairs of a set by transport between single contexts.
func movedNode(w *pipeline.Workspace, row profile.Row, set profile.Set, keep []int) store.Node[*movedScores] {
	// What total variation of the row depends on, and the costs.
	histograms, h := row.With("compare", string(sentence.TotalVariation)), row.Histograms()
	return store.Node[*movedScores]{
		Name: "context-transport", Version: 1,
		Inputs: []store.Input{w.ScoresNode(histograms, set), w.CountsNode(), w.VectorsNode(row.Vectors())},
		Params: struct {
			Kept          []int   `json:"kept"`
			Pairs         int     `json:"pairs"`
			Metric        string  `json:"metric"`
			Normalisation string  `json:"normalisation"`
			Clip          float64 `json:"clip"`
			method.Transport
			ScaledBy int    `json:"scaled_by"`
			Seed     uint64 `json:"seed"`
		}{
			keep, movedPairs, string(h.Metric), string(h.CostNormalisation), h.Clip, method.Transport{Reg: h.Reg},
			scaledBy, w.Profile.Seed,
		},
		Parts: func(s **movedScores) []store.Part {
			if *s == nil {
				*s = new(movedScores)
			}
			return []store.Part{store.Array("scores.npy", &(*s).values), store.Array("kept.npy", &(*s).kept)}
		},
		Make: func(ctx context.Context) (*movedScores, error) {
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return nil, err
			}
			m, err := store.Get(ctx, w.Store, moverNode(w, row))
			if err != nil {
				return nil, err
			}
			var some []sentence.Pair
			for _, i := range movedOf(w, set, len(pairs.Pairs)) {
				some = append(some, pairs.Pairs[i])
			}
			s := new(movedScores)
			for _, n := range keep {
				values, kept, err := m.score(ctx, some, n)
				if err != nil {
					return nil, err
				}
				s.values, s.kept = append(s.values, values...), append(s.kept, kept)
			}
			return s, nil
		},
	}
}

// A mover transports averages over single contexts.
type mover struct {
	*contexts
	vectors *embedding.Vectors // of the contexts; one that has the vector 0 takes no part
	places  [2][]int32         // which context's vector each has: its own, another's
	cost    ground.Params
}

// moverNode has the mover of a row, in memory.
func moverNode(w *pipeline.Workspace, row profile.Row) store.Node[*mover] {
	return store.Node[*mover]{
		Name: "mover", Version: 1, Params: row,
		Inputs: append(w.MarginalInputs(row.Weighting().Marginal()), w.CountsNode(), w.VectorsNode(row.Vectors())),
		Make:   func(ctx context.Context) (*mover, error) { return newMover(ctx, w, row) },
	}
}

// newMover returns the mover of a row. The constant that its costs are divided by, and
// so where they are clipped, is that of the matrix between scaledBy contexts drawn
// without regard to anything: that between all would have more than 10¹⁰ entries.
func newMover(ctx context.Context, w *pipeline.Workspace, row profile.Row) (m *mover, err error) {
	m = new(mover)
	if m.contexts, err = newContexts(ctx, w, row); err != nil {
		return nil, err
	}
	if m.vectors, err = w.VectorsOf(ctx, row.Vectors()); err != nil {
		return nil, err
	}
	var known []int32
	for k := range int32(m.vectors.Len()) {
		if m.places[0] = append(m.places[0], k); m.has(k) {
			known = append(known, k)
		}
	}
	m.places[1] = slices.Clone(m.places[0])
	drawn := rand.New(rand.NewPCG(pipeline.Seed(w.Profile.Seed, "shuffled contexts"), 0)).Perm(len(known))
	for i, j := range drawn {
		m.places[1][known[i]] = known[j]
	}
	some := known[:0:0]
	for _, i := range drawn[:min(scaledBy, len(drawn))] {
		some = append(some, known[i])
	}
	h := row.Histograms()
	m.cost = h.Cost.Params(h.Reg)
	m.cost.Clip = 0
	g, err := ground.New(m.points(some, m.places[0]), len(some), m.vectors.Dim, m.cost)
	if err != nil {
		return nil, err
	}
	m.cost.Clip = h.Clip * g.Scale
	if g.Scale != 1 {
		m.cost.Normalisation = ground.None // correlations ask for no unit
	}
	return m, nil
}

func (m *mover) has(k int32) bool { return !pipeline.Zero(m.vectors.Row(int(k))) }

// points returns the vectors in whose places contexts are.
func (m *mover) points(of, places []int32) (all []float32) {
	for _, k := range of {
		all = append(all, m.vectors.Row(int(places[k]))...)
	}
	return all
}

// A heavy histogram is what one over all contexts has in its heaviest ones, of sum 1.
type heavy struct {
	index []int32 // ascending
	mass  []float64
	kept  float64 // share of the mass of all contexts
}

// heaviest returns the n heaviest contexts of a sentence, all if it has fewer. sum is 0 for all contexts, and so left.
func (m *mover) heaviest(s sentence.Sentence, sum []float64, n int) (h heavy) {
	all, _ := m.average(s, sum, nil)
	total := 0.0
	for _, k := range all {
		total += sum[k]
		if m.has(k) {
			h.index = append(h.index, k)
		}
	}
	slices.SortFunc(h.index, func(a, b int32) int { return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a, b)) })
	h.index = h.index[:min(n, len(h.index))]
	slices.Sort(h.index)
	kept := 0.0
	for _, k := range h.index {
		kept += sum[k]
	}
	for _, k := range h.index {
		h.mass = append(h.mass, sum[k]/kept)
	}
	for _, k := range all {
		sum[k] = 0
	}
	if total > 0 {
		h.kept = kept / total
	}
	return h
}

// score returns minus the distances of all pairs, by geometry and pair, and the mean share of mass of the n
// contexts of a sentence that are kept. A pair with a side that has none is as far apart as the set's farthest.
func (m *mover) score(ctx context.Context, pairs []sentence.Pair, n int) (all []float64, kept float64, err error) {
	sum := make([]float64, m.associations.Cols)
	sides := make([][2]heavy, len(pairs))
	covered := 0
	for i, p := range pairs {
		for s, words := range []sentence.Sentence{p.A, p.B} {
			h := m.heaviest(words, sum, n)
			if sides[i][s] = h; len(h.index) > 0 {
				kept += h.kept
				covered++
			}
		}
	}
	kept /= float64(max(covered, 1))
	all = make([]float64, len(geometries)*len(pairs))
	var at []int // of the pairs with contexts on both sides
	for i, s := range sides {
		if len(s[0].index) > 0 && len(s[1].index) > 0 {
			at = append(at, i)
			all[2*len(pairs)+i] = -totalVariation(s[0], s[1])
		}
	}
	for g, places := range m.places {
		b := &ot.Batch{N: len(at), Load: func(i int, r *ot.Rectangle) error {
			return m.load(r, sides[at[i]], places)
		}}
		err = ot.Batches(ctx, exact.New(), b, func(first int, results []ot.Result) error {
			for i, r := range results {
				all[g*len(pairs)+at[first+i]] = -r.Cost
			}
			return nil
		})
		if err != nil {
			return nil, 0, err
		}
	}
	for g := range geometries {
		of := all[g*len(pairs):][:len(pairs)]
		worst := slices.Min(of)
		for i, s := range sides {
			if len(s[0].index) == 0 || len(s[1].index) == 0 {
				of[i] = worst
			}
		}
	}
	return all, kept, nil
}

// load makes r the problem of moving one histogram to another.
func (m *mover) load(r *ot.Rectangle, sides [2]heavy, places []int32) error {
	a, b := sides[0], sides[1]
	g, err := ground.New(m.points(b.index, places), len(b.index), m.vectors.Dim, m.cost)
	if err != nil {
		return err
	}
	cost := make([]float32, len(a.index)*len(b.index))
	g.ToBins(cost, m.points(a.index, places))
	r.Source, r.Target, r.Cost = append(r.Source[:0], a.mass...), append(r.Target[:0], b.mass...), r.Cost[:0]
	for _, c := range cost {
		r.Cost = append(r.Cost, float64(c))
	}
	return nil
}

// totalVariation is the least cost where every move costs 1.
func totalVariation(a, b heavy) float64 {
	stays := 0.0
	for i, k := range a.index {
		if j, both := slices.BinarySearch(b.index, k); both {
			stays += min(a.mass[i], b.mass[j])
		}
	}
	return max(0, 1-stays)
}

// movedTables returns the table of scores by bins and geometry.
func movedTables(all []Moved, p *profile.Profile) []*render.Table {
	if len(all) == 0 {
		return nil
	}
	t := &render.Table{
		ID: contextsTable, Label: "method", Columns: []render.Column{{Name: "mass kept, %", Digits: 0, Unmarked: true}},
		Title: fmt.Sprintf("Sentence similarity by transport between single contexts, with true, shuffled and "+
			"discrete ground costs (profile %s)", p.Name),
		Notes: []string{
			fmt.Sprintf("Pearson × 100, mean of the test groups, of %d pairs of each set, drawn at random. N "+
				"contexts: of each sentence's average over all contexts its N heaviest, scaled to sum 1; transport "+
				"is exact, between the contexts' own vectors (true), with the vectors of contexts shuffled "+
				"(shuffled), or by the total variation of the same histograms (discrete). Costs are clipped like "+
				"those of the row, in units of their constant between %d contexts. With %s nothing is left out. − "+
				"true: the difference from the true cost on the same pairs.", movedPairs, scaledBy, eachContext),
			"K = : the row's clusters of all contexts, by its own λ.",
		},
	}
	differences(t, geometries)
	rows := make([]profile.Row, len(all))
	for i, m := range all {
		rows[i] = m.Row
		rows[i].ID, rows[i].Label = m.Row.ID+", "+m.name(p), m.Row.Label+", "+m.name(p)
	}
	t.Blocks = present.ByBlock(p.STS.Blocks, rows, func(i int) []render.Cell {
		m, none := all[i], render.Cell{Text: "–"}
		kept := 100 * m.Kept
		if m.Minus == nil {
			return []render.Cell{{Value: &kept}, none, none, none, pipeline.Cell(m.Scores[0]), none}
		}
		return []render.Cell{
			{Value: &kept}, pipeline.Cell(m.Scores[0]), pipeline.Cell(m.Scores[1]), pipeline.Cell(m.Minus[0]),
			pipeline.Cell(m.Scores[2]), pipeline.Cell(m.Minus[1]),
		}
	})
	return []*render.Table{t}
}

// name tells the bins, and the metric where it is not the row's own.
func (m Moved) name(p *profile.Profile) string {
	if own, _ := p.Row(m.Row.ID); m.Row.Histograms().Metric != own.Histograms().Metric {
		return m.Bins + ", " + string(m.Row.Histograms().Metric)
	}
	return m.Bins
}

// movedQuantities returns scores and differences for the verdict.
func movedQuantities(all []Moved, p *profile.Profile) (quantities []results.Quantity) {
	add := func(m Moved, column string, e score.Estimate) {
		quantities = append(quantities, results.Quantity{
			Table: contextsTable, Row: m.Row.ID, Column: column + ", " + m.name(p), Variant: m.Row.Block,
			Source: m.Row.ID,
		}.Bounded(e))
	}
	for _, m := range all {
		if m.Minus == nil {
			add(m, method.Discrete, m.Scores[0])
			continue
		}
		for g, name := range geometries {
			if add(m, name, m.Scores[g]); g > 0 {
				add(m, name+" − true", m.Minus[g-1])
			}
		}
	}
	return quantities
}
