package hypernymy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/published"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
)

const whyTable = "hypernymy_why"

// quartiles is how many parts of equal size the covered pairs are dealt into by the frequency of their first term.
const quartiles = 4

// Why takes the scores of one set apart: what coverage allows,
// what frequency alone brings, and what is left of CMD without it.
type Why struct {
	Set   string
	Parts []whyPart
	Rows  []whyRow
	// Differences are of rows above, over the same draws and seeds.
	Differences []whyRow
}

// A whyPart is some of the pairs.
type whyPart struct {
	name            string
	pairs, positive int
	low, high       int64 // corpus counts of the first terms; 0 where they do not make the part
	index           []int
}

// A whyRow has a score for every pair; AP has its average
// precision on each part, in per cent, nil where no pair is true.
type whyRow struct {
	Key, Label string
	AP         []*score.Estimate
}

// The rows that differences are taken of.
const (
	whyTied = iota
	whyBest
	whyFrequency
	whyHenderson
	whyCMD
	whyDiscrete
	whyPartial
	whyDiscretePartial
)

// why takes the profile's set apart, nil where it names none.
func why(ctx context.Context, w *pipeline.Workspace) (*Why, error) {
	p := w.Profile.Hypernymy
	at := slices.IndexFunc(p.Sets, func(s profile.HypernymySet) bool { return s.Name == p.Why })
	if at < 0 {
		return nil, nil
	}
	set := p.Sets[at]
	pairs, terms, err := ReadPairs(ctx, w, set)
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	count := func(word int32) int64 { return v.Counts[word] }
	labels, first, second := make([]bool, len(pairs)), make([]string, len(pairs)), make([]string, len(pairs))
	for i, p := range pairs {
		labels[i], first[i], second[i] = p.True, p.A, p.B
	}
	cmd := paperRows(w)[1]
	sources := []Row{baselineRows(w)[1], paperRows(w)[0], cmd, cmd.withGeometry(method.Discrete)}
	var covered []int // by all of them

	// scores returns those of every row, in the order of the constants above.
	scores := func(w *pipeline.Workspace) ([][]float64, error) {
		var known []*Measure
		for _, row := range sources {
			m, err := measureSet(ctx, w, row, set)
			if err != nil {
				return nil, fmt.Errorf("row %q on %s: %w", row.Key, set.Name, err)
			}
			known = append(known, m)
		}
		if covered == nil {
			marks := slices.Repeat([]bool{true}, len(pairs))
			for _, m := range known {
				for i, c := range m.covered() {
					marks[i] = marks[i] && c
				}
			}
			for i, c := range marks {
				if c {
					covered = append(covered, i)
				}
			}
		}
		// spread puts values of the covered pairs above all others.
		spread := func(values []float64) []float64 {
			all, marks := make([]float64, len(pairs)), make([]bool, len(pairs))
			for n, i := range covered {
				all[i], marks[i] = values[n], true
			}
			belowAll(all, marks)
			return all
		}
		of := func(f func(i int) float64) []float64 {
			values := make([]float64, len(covered))
			for n, i := range covered {
				values[n] = f(i)
			}
			return values
		}
		narrow := of(func(i int) float64 { return float64(count(terms[i].Narrow)) })
		wide := of(func(i int) float64 { return float64(count(terms[i].Wide)) })
		partial := func(m *Measure) []float64 {
			return spread(residuals(score.Ranks(of(func(i int) float64 {
				return m.Scores[i]
			})), score.Ranks(narrow), score.Ranks(wide)))
		}
		return [][]float64{
			whyTied: spread(of(func(int) float64 { return 0 })),
			whyBest: spread(of(func(i int) float64 {
				if labels[i] {
					return 1
				}
				return 0
			})),
			whyFrequency: known[0].Scores, whyHenderson: known[1].Scores, whyCMD: known[2].Scores,
			whyDiscrete: known[3].Scores,
			whyPartial:  partial(known[2]), whyDiscretePartial: partial(known[3]),
		}, nil
	}
	values, err := scores(w)
	if err != nil {
		return nil, err
	}
	x := &Why{Set: set.Name, Parts: whyParts(labels, covered, func(i int) int64 { return count(terms[i].Narrow) })}
	for r, name := range [][2]string{
		whyTied: {"tied", "all covered pairs tied"}, whyBest: {"best", "true pairs first, as far as covered"},
		whyFrequency: {sources[0].Key, sources[0].Label}, whyHenderson: {sources[1].Key, sources[1].Label},
		whyCMD: {sources[2].Key, sources[2].Label}, whyDiscrete: {sources[3].Key, sources[3].Label},
		whyPartial:         {sources[2].Key + " without frequency", sources[2].Label + ", frequency partialled out"},
		whyDiscretePartial: {sources[3].Key + " without frequency", sources[3].Label + ", frequency partialled out"},
	} {
		row := whyRow{Key: name[0], Label: name[1]}
		if row.AP, err = x.precisions(ctx, w, labels, values[r], score.NewPairs(first, second),
			pipeline.Seed(w.Profile.Seed, "bootstrap "+set.File)); err != nil {
			return nil, err
		}
		x.Rows = append(x.Rows, row)
	}
	err = w.ForSeeds(w.Profile.Seeds.Hypernymy, func(further *pipeline.Workspace) error {
		values, err := scores(further)
		if err != nil {
			return err
		}
		for r := whyHenderson; r < len(x.Rows); r++ { // above nothing is random
			for n, part := range x.Parts {
				if e := x.Rows[r].AP[n]; e != nil {
					ap, err := score.AveragePrecision(pick(labels, part.index), pick(values[r], part.index))
					if err != nil {
						return err
					}
					e.AddSeed(100 * ap)
				}
			}
		}
		return nil
	})
	for _, d := range []struct {
		of, less int
		label    string
	}{
		{whyCMD, whyTied, "CMD − tied"}, {whyCMD, whyFrequency, "CMD − frequency"},
		{whyCMD, whyHenderson, "CMD − " + hendersonKey},
		{whyCMD, whyDiscrete, "CMD − discrete cost"}, {whyPartial, whyTied, "partialled out − tied"},
		{whyPartial, whyDiscretePartial, "partialled out − discrete cost, partialled out"},
	} {
		a, b := x.Rows[d.of], x.Rows[d.less]
		row := whyRow{Key: a.Key + " − " + b.Key, Label: d.label}
		for n := range x.Parts {
			var e *score.Estimate
			if a.AP[n] != nil {
				difference := a.AP[n].Minus(*b.AP[n])
				e = &difference
			}
			row.AP = append(row.AP, e)
		}
		x.Differences = append(x.Differences, row)
	}
	return x, err
}

// whyParts are all pairs, the covered ones, and the quarters of these
// by the counts of first terms; pairs with one count stay together.
func whyParts(labels []bool, covered []int, count func(i int) int64) []whyPart {
	all := make([]int, len(labels))
	for i := range all {
		all[i] = i
	}
	parts := []whyPart{{name: "all pairs", index: all}, {name: "covered pairs", index: covered}}
	sorted := slices.Clone(covered)
	slices.SortStableFunc(sorted, func(a, b int) int { return cmp.Compare(count(a), count(b)) })
	lo := 0
	for q := 1; q <= quartiles; q++ {
		hi := q * len(sorted) / quartiles
		for hi > 0 && hi < len(sorted) && count(sorted[hi]) == count(sorted[hi-1]) {
			hi++
		}
		hi = max(hi, lo)
		part := whyPart{name: fmt.Sprintf("quartile %d", q), index: sorted[lo:hi]}
		if lo < hi {
			part.low, part.high = count(sorted[lo]), count(sorted[hi-1])
		}
		parts, lo = append(parts, part), hi
	}
	for n := range parts {
		parts[n].pairs, parts[n].positive = len(parts[n].index), countTrue(pick(labels, parts[n].index))
	}
	return parts
}

// precisions are the average precisions of the parts' pairs, with
// draws that weigh the pairs as those of the section's tables do.
func (x *Why) precisions(
	ctx context.Context, w *pipeline.Workspace, labels []bool, scores []float64, clusters *score.Pairs, sampling uint64,
) ([]*score.Estimate, error) {
	rankings, all := make([]*score.Ranking, len(x.Parts)), make([]*score.Estimate, len(x.Parts))
	for n, part := range x.Parts {
		if part.positive == 0 {
			continue
		}
		y, s := pick(labels, part.index), pick(scores, part.index)
		ap, err := score.AveragePrecision(y, s)
		if err != nil {
			return nil, err
		}
		if rankings[n], err = score.NewRanking(y, s); err != nil {
			return nil, err
		}
		all[n] = &score.Estimate{Value: 100 * ap, Draws: make([]float64, pipeline.ClusterDraws)}
	}
	_, err := clusters.Draws(ctx, pipeline.ClusterDraws, sampling, func(d int, weights []int32) float64 {
		for n, r := range rankings {
			if r != nil {
				all[n].Draws[d] = 100 * r.AveragePrecision(pick(weights, x.Parts[n].index))
			}
		}
		return math.NaN() // kept above
	})
	for _, e := range all {
		if e != nil {
			e.Bound()
		}
	}
	return all, err
}

// residuals returns what a least-squares fit of y by a constant and the columns leaves of it. A column that those
// before it explain adds nothing.
func residuals(y []float64, columns ...[]float64) []float64 {
	dot := func(a, b []float64) (sum float64) {
		for i := range a {
			sum += float64(a[i] * b[i])
		}
		return sum
	}
	ones := slices.Repeat([]float64{1}, len(y))
	left := slices.Clone(y)
	var basis [][]float64 // orthogonal
	for _, column := range append([][]float64{ones}, columns...) {
		b := slices.Clone(column)
		for _, before := range basis {
			subtract(b, dot(b, before)/dot(before, before), before)
		}
		if size := dot(b, b); size > 1e-12*dot(column, column) {
			basis = append(basis, b)
			subtract(left, dot(left, b)/size, b)
		}
	}
	return left
}

// subtract takes f times b from a.
func subtract(a []float64, f float64, b []float64) {
	for i := range a {
		a[i] -= float64(f * b[i])
	}
}

// pick returns the values at the places given.
func pick[T any](values []T, index []int) []T {
	picked := make([]T, len(index))
	for n, i := range index {
		picked[n] = values[i]
	}
	return picked
}

// table shows all rows, the paper's number beside the one that it is of.
func (x *Why) table(p *profile.Profile) *render.Table {
	t := &render.Table{
		ID: whyTable, Label: "scores",
		Title: fmt.Sprintf("Hypernymy: where the average precision on %s comes from (profile %s)", x.Set, p.Name),
		Notes: []string{
			"AP × 100. All pairs: as in " + mainTable + ", pairs without a score below all others. Covered pairs: " +
				"those alone. Quartiles: of the covered pairs, by how often the corpus has the first term, the " +
				"narrow one.",
			"tied: no order at all, the AP of chance; true pairs first: the most that coverage allows.",
			"frequency partialled out: the ranks of CMD among the covered pairs, less their least-squares fit by a " +
				"constant, the ranks of the first term's count and the ranks of the second's; what is left orders " +
				"the pairs.",
			"discrete cost: every move between two clusters costs the mean of the true costs and staying costs " +
				"nothing: total variation, up to the entropy.",
			intervalNote + " Differences are over the same draws and seeds.",
		},
	}
	for _, part := range x.Parts {
		t.Plain("", 1, part.name)
		about := fmt.Sprintf("%s: %d, %d true", part.name, part.pairs, part.positive)
		if part.high > 0 {
			about += fmt.Sprintf(", first terms that occur %d to %d times", part.low, part.high)
		}
		t.Notes = append(t.Notes, about+".")
	}
	for b, rows := range [][]whyRow{x.Rows, x.Differences} {
		for _, row := range rows {
			out := render.Row{Key: row.Key, Label: row.Label}
			for n, e := range row.AP {
				var c render.Cell
				if e != nil {
					c = pipeline.Cell(*e)
				}
				if n == 0 && p.Hypernymy.Published {
					c.Printed = published.Number(fullTable, row.Key, x.Set)
				}
				out.Cells = append(out.Cells, c)
			}
			t.Add([]string{"", "differences"}[b], out)
		}
	}
	return t
}

// quantities are the numbers of the table.
func (x *Why) quantities() (all []results.Quantity) {
	for _, row := range slices.Concat(x.Rows, x.Differences) {
		for n, e := range row.AP {
			if e != nil {
				all = append(all, results.Quantity{
					Table: whyTable, Row: row.Key, Column: x.Parts[n].name, Variant: results.Paper, Source: row.Key,
				}.Bounded(*e))
			}
		}
	}
	return all
}
