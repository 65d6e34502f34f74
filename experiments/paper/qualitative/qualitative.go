package qualitative

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"gonum.org/v1/gonum/stat"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/published"
	"contextmover/experiments/harness/results"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// Result is the outcome of the comparison of CoMB and SIF sentence by sentence
// (sections 5.3 and 5.4 of the paper).
type Result struct {
	CoMB, SIF, SIFWords profile.Row
	Pairs               []RankedSet
	Lengths             []SetLength
	// Correlation is that of the sets' effective lengths and gains.
	Correlation score.Estimate
	Neighbours  []QueryNeighbours
}

// RankedSet is a set of sentence pairs, ranked by people and by two methods.
type RankedSet struct {
	profile.RankedPairs
	Pairs []RankedPair // in SentEval's order
}

// RankedPair is a pair with its ranks, 1 for the most similar one; of equal scores the
// pair whose sentences come first in the alphabet is ranked first.
type RankedPair struct {
	A, B                        string // tokens, separated by blanks
	Gold                        float64
	GoldRank, CoMBRank, SIFRank int
}

// better names the method whose rank is closer to the gold rank.
func (p RankedPair) better() string {
	return closer(abs(p.CoMBRank-p.GoldRank), abs(p.SIFRank-p.GoldRank))
}

func abs(x int) int { return max(x, -x) }

// closer names the method with the smaller distance, or neither.
func closer[T int | float64](comb, sif T) string {
	return [...]string{"CoMB", "(equal)", "SIF"}[cmp.Compare(comb, sif)+1]
}

// SetLength tells how long the sentences of a set are, and which method is better on it.
type SetLength struct {
	Group, Set string
	Pairs      int
	// Length is the mean number of tokens of a sentence; Overlap that of tokens of the
	// second sentence which the first has too; Effective their difference.
	Length, Overlap, Effective float64
	CoMB, SIF                  pipeline.Measure
	Gain                       score.Estimate // of CoMB over SIF
}

// better names the method with the higher correlation.
func (s SetLength) better() string { return closer(s.SIF.Value, s.CoMB.Value) }

// QueryNeighbours are the words nearest to a query, by CMD to its barycenter and by the
// cosine to its SIF vector.
type QueryNeighbours struct {
	Query string
	Words map[string][]string // by CoMB and SIF, the nearest first
}

// Compute compares CoMB and SIF as the profile's section [qualitative] says.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	p := w.Profile.Qualitative
	if p.CoMB == "" {
		return nil, fmt.Errorf("profile %s has no section [qualitative], which says what to compare", w.Profile.Name)
	}
	rows, err := w.Profile.RowsOf("qualitative", []string{p.CoMB, p.SIF, p.SIFWords})
	if err != nil {
		return nil, err
	}
	q := &Result{CoMB: rows[0], SIF: rows[1], SIFWords: rows[2]}
	for _, r := range p.Pairs {
		pairs, err := q.rankedPairs(ctx, w, r)
		if err != nil {
			return nil, fmt.Errorf("pairs of %s %s: %w", r.Group, r.Set, err)
		}
		q.Pairs = append(q.Pairs, RankedSet{r, pairs})
	}
	if err := Lengths(ctx, w, q); err != nil {
		return nil, err
	}
	for _, query := range p.Queries {
		words, err := queryNeighbours(ctx, w, q.CoMB, q.SIFWords, query, p.Neighbours)
		if err != nil {
			return nil, fmt.Errorf("neighbours of %q: %w", query, err)
		}
		q.Neighbours = append(q.Neighbours, QueryNeighbours{query, words})
	}
	return q, nil
}

// tokenisedPair is a pair as tokens, with its gold score.
type tokenisedPair struct {
	a, b []string
	gold float64
}

// tokenisedPairs returns the pairs of a set, those that are scored, in the order of the scores in the store.
func tokenisedPairs(ctx context.Context, w *pipeline.Workspace, set profile.Set) ([]tokenisedPair, error) {
	lines, err := w.PairLines(ctx, set)
	if err != nil {
		return nil, err
	}
	pairs := make([]tokenisedPair, len(lines))
	for i, line := range lines {
		pairs[i] = tokenisedPair{corpus.Tokenise(line.A), corpus.Tokenise(line.B), line.Gold}
	}
	return pairs, nil
}

func (q *Result) rankedPairs(
	ctx context.Context, w *pipeline.Workspace, r profile.RankedPairs,
) ([]RankedPair, error) {
	set, err := w.Profile.Set(r.Group, r.Set)
	if err != nil {
		return nil, err
	}
	tokens, err := tokenisedPairs(ctx, w, set)
	if err != nil {
		return nil, err
	}
	comb, _, err := w.Scores(ctx, q.CoMB, set)
	if err != nil {
		return nil, err
	}
	sif, _, err := w.Scores(ctx, q.SIF, set)
	if err != nil {
		return nil, err
	}
	pairs := make([]RankedPair, len(tokens))
	gold := make([]float64, len(tokens))
	for i, t := range tokens {
		pairs[i] = RankedPair{A: strings.Join(t.a, " "), B: strings.Join(t.b, " "), Gold: t.gold}
		gold[i] = t.gold
	}
	rank(pairs, gold, func(p *RankedPair) *int { return &p.GoldRank })
	rank(pairs, comb, func(p *RankedPair) *int { return &p.CoMBRank })
	rank(pairs, sif, func(p *RankedPair) *int { return &p.SIFRank })
	return pairs, nil
}

// rank sets the ranks of pairs by descending scores.
func rank(pairs []RankedPair, scores []float64, at func(p *RankedPair) *int) {
	order := make([]int, len(pairs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(scores[j], scores[i]), cmp.Compare(pairs[i].A, pairs[j].A),
			cmp.Compare(pairs[i].B, pairs[j].B))
	})
	for r, i := range order {
		*at(&pairs[i]) = r + 1
	}
}

// largest returns the n pairs that the two methods rank most differently, those with
// the highest gold score first.
func (s RankedSet) largest(n int) []RankedPair {
	pairs := slices.Clone(s.Pairs)
	slices.SortStableFunc(pairs, func(a, b RankedPair) int {
		return cmp.Or(cmp.Compare(abs(b.CoMBRank-b.SIFRank), abs(a.CoMBRank-a.SIFRank)),
			cmp.Compare(a.GoldRank, b.GoldRank))
	})
	pairs = pairs[:min(n, len(pairs))]
	slices.SortFunc(pairs, func(a, b RankedPair) int { return cmp.Compare(a.GoldRank, b.GoldRank) })
	return pairs
}

// find returns the pair of a row of the paper's, whatever its tokens are separated by.
func (s RankedSet) find(paper *published.Table, row string) (RankedPair, bool) {
	a, b := bare(paper.Cell(row, "sentence1").Text), bare(paper.Cell(row, "sentence2").Text)
	for _, p := range s.Pairs {
		if bare(p.A) == a && bare(p.B) == b {
			return p, true
		}
	}
	return RankedPair{}, false
}

// bare keeps letters and digits.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// The rows of sumTable: the methods and the sum of their scores.
const (
	sumTable = "comb_and_sif"
	sumRow   = "sum of standardised scores"
)

// together returns the test averages of both methods and of the sum of their scores, each
// standardised over its set. Where the methods err alike, or one is much worse than the
// other, the sum is no better than the better of them.
func together(ctx context.Context, w *pipeline.Workspace, q *Result) (all []results.Quantity, err error) {
	var tests [3][]pipeline.Measure
	for _, group := range w.Profile.STS.Groups {
		if !group.Test() {
			continue
		}
		sets := make([][3]pipeline.Measure, len(group.Sets))
		for i, set := range group.Sets {
			if sets[i], err = q.both(ctx, w, set); err != nil {
				return nil, fmt.Errorf("%s on %s %s: %w", sumRow, group.Name, set.Name, err)
			}
		}
		for r := range tests {
			var own []pipeline.Measure
			for _, measures := range sets {
				own = append(own, measures[r])
			}
			tests[r] = append(tests[r], pipeline.AverageOf(own))
		}
	}
	for r, row := range [...]struct{ name, source string }{
		{"CoMB", q.CoMB.ID}, {"SIF + PC", q.SIF.ID}, {sumRow, sumRow},
	} {
		all = append(all, results.Quantity{
			Table: sumTable, Row: row.name, Column: "Avg_STS12_15", Variant: results.Paper, Source: row.source,
		}.With(pipeline.AverageOf(tests[r]).Estimate))
	}
	return all, nil
}

// both has the measures on a set of CoMB, of SIF and of the sum of their scores, with the draws that claims are decided
// by.
func (q *Result) both(
	ctx context.Context, w *pipeline.Workspace, set profile.Set,
) (m [3]pipeline.Measure, err error) {
	var sum []float64
	for r, row := range []profile.Row{q.CoMB, q.SIF} {
		var scores []float64
		if scores, m[r], err = scored(ctx, w, row, set); err != nil {
			return m, err
		}
		if sum == nil {
			sum = make([]float64, len(scores))
		}
		mean, deviation := stat.MeanStdDev(scores, nil)
		for i, v := range scores {
			if deviation > 0 {
				sum[i] += (v - mean) / deviation
			}
		}
	}
	pairs, err := w.ReadPairs(ctx, set)
	if err != nil {
		return m, err
	}
	r, err := score.Pearson(sum, pairs.Gold)
	if err != nil {
		return m, err
	}
	m[2].Value = 100 * r
	m[2].Draws, err = store.Get(ctx, w.Store, w.CorrelationDraws(store.Node[[]float64]{
		Name: "sts-sum-draws", Version: 1, Inputs: []store.Input{w.ScoresNode(q.CoMB, set), w.ScoresNode(q.SIF, set)},
		Params: pipeline.Sampled{Draws: pipeline.ClaimDraws, Seed: w.Sampling(set.File)},
	}, set, func(context.Context) ([]float64, error) { return sum, nil }))
	return m, err
}

// scored has the scores of a row on a set and their measure, with the draws that claims are decided by.
func scored(
	ctx context.Context, w *pipeline.Workspace, row profile.Row, set profile.Set,
) ([]float64, pipeline.Measure, error) {
	scores, m, err := w.Scores(ctx, row, set)
	if err == nil {
		m.Draws, err = store.Get(ctx, w.Store, w.DrawsNode(row, set))
	}
	return scores, m, err
}

// Lengths fills in the lengths of the test sets, and what they have to do with the gain of q.CoMB
// over q.SIF.
func Lengths(ctx context.Context, w *pipeline.Workspace, q *Result) error {
	var effective []float64
	for _, group := range w.Profile.STS.Groups {
		if !group.Test() {
			continue
		}
		for _, set := range group.Sets {
			l, err := q.setLength(ctx, w, group, set)
			if err != nil {
				return fmt.Errorf("lengths of %s %s: %w", group.Name, set.Name, err)
			}
			q.Lengths = append(q.Lengths, *l)
			effective = append(effective, l.Effective)
		}
	}
	if len(effective) < 3 {
		return nil
	}
	gains := make([]float64, len(effective))
	correlation := func(gain func(l SetLength) float64) float64 {
		for i, l := range q.Lengths {
			gains[i] = gain(l)
		}
		r, err := score.Pearson(effective, gains)
		if err != nil {
			return math.NaN()
		}
		return r
	}
	r := correlation(func(l SetLength) float64 { return l.Gain.Value })
	if math.IsNaN(r) {
		r = 0
	}
	samples := make([]float64, pipeline.ClaimDraws)
	for d := range samples {
		samples[d] = correlation(func(l SetLength) float64 { return l.Gain.Draws[d] })
	}
	q.Correlation = score.NewEstimate(r, samples, nil)
	return nil
}

func (q *Result) setLength(
	ctx context.Context, w *pipeline.Workspace, group profile.Group, set profile.Set,
) (*SetLength, error) {
	tokens, err := tokenisedPairs(ctx, w, set)
	if err != nil {
		return nil, err
	}
	l := &SetLength{Group: group.Name, Set: set.Name, Pairs: len(tokens)}
	l.measure(tokens)
	if _, l.CoMB, err = scored(ctx, w, q.CoMB, set); err != nil {
		return nil, err
	}
	if _, l.SIF, err = scored(ctx, w, q.SIF, set); err != nil {
		return nil, err
	}
	l.Gain = l.CoMB.Minus(l.SIF.Estimate)
	return l, nil
}

// measure sets the lengths from the pairs of the set.
func (l *SetLength) measure(pairs []tokenisedPair) {
	for _, p := range pairs {
		first := make(map[string]bool, len(p.a))
		for _, word := range p.a {
			first[word] = true
		}
		for _, word := range p.b {
			if first[word] {
				l.Overlap++
			}
		}
		l.Length += float64(float64(len(p.a)+len(p.b)) / 2)
	}
	l.Length /= float64(len(pairs))
	l.Overlap /= float64(len(pairs))
	l.Effective = l.Length - l.Overlap
}

// meanEffective returns the mean effective length of the sets on which each method is
// better, by the gain that is given of each; NaN for a method without a set.
func (q *Result) meanEffective(gain func(l SetLength) float64) (comb, sif float64) {
	var n, m int
	for _, l := range q.Lengths {
		switch g := gain(l); {
		case g > 0:
			comb += l.Effective
			n++
		case g < 0:
			sif += l.Effective
			m++
		}
	}
	return comb / float64(n), sif / float64(m)
}

// queryNeighbours returns the n words nearest to a query by either method.
func queryNeighbours(
	ctx context.Context, w *pipeline.Workspace, comb, sif profile.Row, query string, n int,
) (map[string][]string, error) {
	return store.Get(ctx, w.Store, store.Node[map[string][]string]{
		Name: "query-neighbours", Version: 4,
		Inputs: append([]store.Input{w.SpaceNode(comb), w.VectorsNode(sif.Vectors())},
			w.MarginalInputs(sif.Weighting().Marginal())...),
		Params: struct {
			Query string                `json:"query"`
			N     int                   `json:"n"`
			CoMB  pipeline.MethodParams `json:"comb"`
			SIF   pipeline.MethodParams `json:"sif"`
		}{query, n, w.MethodParams(comb.Method), w.MethodParams(sif.Method)},
		Parts: func(words *map[string][]string) []store.Part {
			return []store.Part{store.JSON("neighbours.json", words)}
		},
		Make: func(ctx context.Context) (map[string][]string, error) {
			v, err := w.Vocabulary(ctx)
			if err != nil {
				return nil, err
			}
			words := pipeline.KnownWords(v, corpus.Tokenise(query))
			if len(words) == 0 {
				return nil, fmt.Errorf("none of its words is in the vocabulary of profile %s", w.Profile.Name)
			}
			byCMD, err := nearestByCMD(ctx, w, comb, query, n)
			if err != nil {
				return nil, err
			}
			byCosine, err := nearestByCosine(ctx, w, sif, words, n)
			return map[string][]string{"CoMB": byCMD, "SIF": byCosine}, err
		},
	})
}

// nearestByCMD returns the words with the smallest distance from the barycenter of a
// query's words.
func nearestByCMD(ctx context.Context, w *pipeline.Workspace, row profile.Row, query string, n int) ([]string, error) {
	space, _, err := w.OpenSpaceOf(ctx, row)
	if err != nil {
		return nil, err
	}
	defer space.Close()
	_, finish := w.Step(fmt.Sprintf("neighbours of %q", query))
	defer finish()
	found, err := space.ByTransport().Neighbours(ctx, query, n)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, neighbour := range found.Nearest {
		words = append(words, neighbour.Word)
	}
	return words, nil
}

// nearestByCosine returns the words whose vectors have the largest cosine to the
// weighted average of those of a query.
func nearestByCosine(
	ctx context.Context, w *pipeline.Workspace, row profile.Row, words sentence.Sentence, n int,
) ([]string, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return nil, err
	}
	probability, err := w.Probability(ctx, row.Weighting().Marginal())
	if err != nil {
		return nil, err
	}
	query := make([]float32, vectors.Dim)
	for _, id := range words {
		weight := row.Weighting().Sentence().Weight(probability[id]) // its scale does not change a cosine
		for k, x := range vectors.Row(int(id)) {
			query[k] += float32(float32(weight) * x)
		}
	}
	similarity := make([]float64, v.Len())
	order := make([]int, v.Len())
	for i := range order {
		order[i], similarity[i] = i, score.Cosine(query, vectors.Row(i))
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(similarity[j], similarity[i]) })
	var nearest []string
	for _, i := range order[:min(n, len(order))] {
		nearest = append(nearest, v.Words[i])
	}
	return nearest, nil
}
