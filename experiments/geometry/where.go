package geometry

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/method"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
	"contextmover/experiments/store"
	"contextmover/internal/elementary"
)

// whereTable is the id of the table of where costs and barycenters help.
const whereTable = tableID + "_where"

// A property of a pair of sentences. The pairs of each set are parted at the set's median.
type property struct {
	name string
	// of returns the property of each pair of a set; average is the
	// row of arithmetic means of the histograms that are compared.
	of func(
		ctx context.Context, w *pipeline.Workspace, average profile.Row, set profile.Set, pairs []sentence.Pair,
	) ([]float64, error)
}

var properties = []property{
	{"known words of both sentences", ofPairs(func(_ []float64, p sentence.Pair) float64 {
		return float64(len(p.A) + len(p.B))
	})},
	{"share of the words that both have", ofPairs(func(_ []float64, p sentence.Pair) float64 { return common(p) })},
	{"mean log frequency of the words", ofPairs(func(log []float64, p sentence.Pair) float64 {
		sum, all := 0.0, slices.Concat(p.A, p.B)
		for _, id := range all {
			sum += log[id]
		}
		return sum / float64(max(len(all), 1))
	})},
	{"mass of contexts that both have", func(
		ctx context.Context, w *pipeline.Workspace, average profile.Row, set profile.Set, _ []sentence.Pair,
	) ([]float64, error) {
		shared, _, err := w.Scores(ctx, average.With("compare", string(sentence.TotalVariation)), set)
		return shared, err
	}},
	{"mean entropy of the averages", entropies},
}

// ofPairs makes a property of what a pair and the logarithms of all words' counts tell.
func ofPairs(
	of func(logCounts []float64, p sentence.Pair) float64,
) func(context.Context, *pipeline.Workspace, profile.Row, profile.Set, []sentence.Pair) ([]float64, error) {
	return func(
		ctx context.Context, w *pipeline.Workspace, _ profile.Row, _ profile.Set, pairs []sentence.Pair,
	) ([]float64, error) {
		v, err := w.Vocabulary(ctx)
		if err != nil {
			return nil, err
		}
		logs := make([]float64, len(v.Counts))
		for i, n := range v.Counts {
			logs[i] = elementary.Log(float64(n))
		}
		values := make([]float64, len(pairs))
		for i, p := range pairs {
			values[i] = of(logs, p)
		}
		return values, nil
	}
}

// common is the number of distinct words that both sentences have over that of those that one has; 0 without words.
func common(p sentence.Pair) float64 {
	a, b := map[int32]bool{}, map[int32]bool{}
	for _, id := range p.A {
		a[id] = true
	}
	both := 0
	for _, id := range p.B {
		if a[id] && !b[id] {
			both++
		}
		b[id] = true
	}
	return float64(both) / float64(max(len(a)+len(b)-both, 1))
}

func entropies(
	ctx context.Context, w *pipeline.Workspace, average profile.Row, set profile.Set, pairs []sentence.Pair,
) ([]float64, error) {
	combiner, err := w.Combiner(ctx, average, set)
	if err != nil {
		return nil, err
	}
	var sentences []sentence.Sentence
	for _, p := range pairs {
		sentences = append(sentences, p.A, p.B)
	}
	h, err := combiner.Combine(ctx, sentences)
	if err != nil {
		return nil, err
	}
	values := make([]float64, len(pairs))
	for i := range sentences {
		for _, x := range h.Row(i) {
			if x > 0 {
				values[i/2] -= float64(float64(x) * elementary.Log(float64(x)) / 2)
			}
		}
	}
	return values, nil
}

// A Contrast is how much more one row scores than another, in each half of the pairs by a property.
type Contrast struct {
	Property, Label string
	Row             profile.Row // the one that is contrasted with
	// Below and From are of the pairs below their set's median and of the others, Minus is From − Below.
	Below, From, Minus score.Estimate
}

// leastPairs is what a half of a set must have to be scored.
const leastPairs = 20

// A parting is a property with the halves that it makes of sets, by the stage of the averages' scores.
type parting struct {
	property
	halves map[store.Key][2][]int
}

// part returns the indices of the pairs of a set below their median, and of the others.
func (p parting) part(
	ctx context.Context, w *pipeline.Workspace, average profile.Row, set profile.Set, pairs []sentence.Pair,
) ([2][]int, error) {
	key, err := w.ScoresNode(average, set).InputKey()
	if err != nil {
		return [2][]int{}, err
	}
	if _, ok := p.halves[key]; !ok {
		values, err := p.of(ctx, w, average, set, pairs)
		if err != nil {
			return [2][]int{}, err
		}
		p.halves[key] = halve(values)
	}
	return p.halves[key], nil
}

// ComputeWhere contrasts the profile's rows with themselves under the discrete metric, and barycenters with the
// averages of the same histograms.
func ComputeWhere(ctx context.Context, w *pipeline.Workspace) (all []Contrast, err error) {
	for _, p := range properties {
		p := parting{p, map[store.Key][2][]int{}}
		for _, id := range w.Profile.Geometry.Rows {
			row, _ := w.Profile.Row(id)
			discrete := row.With("geometry", method.Discrete)
			name := fmt.Sprintf("%s, %s", profile.KindName(row.Vectors()), row.Label)
			c, err := contrast(ctx, w, p, row, discrete)
			if err != nil {
				return nil, err
			}
			c.Label = name + ": discrete − true cost"
			if all = append(all, c); row.Averages() {
				continue
			}
			if c, err = contrast(ctx, w, p, row, averageOf(row)); err != nil {
				return nil, err
			}
			c.Label = name + ": average − barycenter"
			all = append(all, c)
		}
	}
	return all, nil
}

// averageOf is the arithmetic mean of the histograms that a row combines.
func averageOf(row profile.Row) profile.Row {
	row.Method = method.Average{Histograms: row.Histograms()}
	return row
}

// contrast scores other less row in both halves of the test sets by a property.
func contrast(ctx context.Context, w *pipeline.Workspace, p parting, row, other profile.Row) (Contrast, error) {
	var halves [2][]score.Estimate // of the test groups
	for _, group := range w.Profile.STS.Groups {
		if !group.Test() {
			continue
		}
		var sets [2][]score.Estimate
		for _, set := range group.Sets {
			pairs, err := w.ReadPairs(ctx, set)
			if err != nil {
				return Contrast{}, err
			}
			parts, err := p.part(ctx, w, averageOf(row), set, pairs.Pairs)
			if err != nil {
				return Contrast{}, err
			}
			var scores [2][]float64 // of row and other
			for i, r := range []profile.Row{row, other} {
				if scores[i], _, err = w.Scores(ctx, r, set); err != nil {
					return Contrast{}, err
				}
			}
			if min(len(parts[0]), len(parts[1])) < leastPairs {
				continue
			}
			for h, part := range parts {
				sampling := pipeline.Seed(w.Profile.Seed, fmt.Sprintf("bootstrap %s, %s, half %d", set.File, p.name, h))
				var both [2]score.Estimate
				gold := pick(pairs.Gold, part)
				for i := range both {
					some := pick(scores[i], part)
					r, err := score.Pearson(some, gold)
					if err != nil {
						return Contrast{}, fmt.Errorf("row %q on %s, pairs parted by the %s: %w",
							row.ID, set.Name, p.name, err)
					}
					draws, err := score.PearsonDraws(ctx, some, gold, pipeline.Draws, sampling)
					if err != nil {
						return Contrast{}, err
					}
					both[i] = score.NewEstimate(100*r, draws, nil)
				}
				sets[h] = append(sets[h], both[1].Minus(both[0]))
			}
		}
		for h, some := range sets {
			if len(some) > 0 {
				halves[h] = append(halves[h], score.MeanEstimate(some))
			}
		}
	}
	if len(halves[0]) == 0 {
		return Contrast{}, fmt.Errorf("row %q: no set has %d pairs on either side of the median of the %s",
			row.ID, leastPairs, p.name)
	}
	c := Contrast{Property: p.name, Row: row, Below: score.MeanEstimate(halves[0]), From: score.MeanEstimate(halves[1])}
	c.Minus = c.From.Minus(c.Below)
	return c, nil
}

// halve returns the indices of values below their median, and of the others.
func halve(values []float64) (parts [2][]int) {
	median := slices.Sorted(slices.Values(values))[len(values)/2]
	for i, v := range values {
		h := 0
		if v >= median {
			h = 1
		}
		parts[h] = append(parts[h], i)
	}
	return parts
}

func pick(values []float64, at []int) []float64 {
	some := make([]float64, len(at))
	for i, k := range at {
		some[i] = values[k]
	}
	return some
}

// whereTables returns the table of contrasts.
func whereTables(all []Contrast, p *profile.Profile) []*render.Table {
	t := &render.Table{
		ID: whereTable, Label: "difference",
		Title: fmt.Sprintf("Where the ground cost and the barycenter help, by halves of the pairs (profile %s)",
			p.Name),
		Notes: []string{
			fmt.Sprintf("Differences of Pearson × 100 over the same pairs, mean of the test groups. The pairs of "+
				"every set are split at its own median of the property that the block names; a set with fewer than "+
				"%d pairs on one side is left out. Rows have the settings of the paper. Above 0 the discrete cost, "+
				"or the average of the histograms, is better.", leastPairs),
		},
	}
	t.Plain("", 1, "below the median", "from the median on", "difference")
	for _, c := range all {
		t.Add(c.Property, render.Row{
			Key: c.Property + "/" + c.Label, Label: c.Label,
			Cells: []render.Cell{pipeline.Cell(c.Below), pipeline.Cell(c.From), pipeline.Cell(c.Minus)},
		})
	}
	return []*render.Table{t}
}

// whereQuantities returns the contrasts for the verdict.
func whereQuantities(all []Contrast) (quantities []results.Quantity) {
	for _, c := range all {
		for _, x := range []struct {
			column string
			score.Estimate
		}{{"below the median", c.Below}, {"from the median on", c.From}, {"difference", c.Minus}} {
			quantities = append(quantities, results.Quantity{
				Table: whereTable, Row: c.Property + "/" + c.Label, Column: x.column, Variant: c.Row.Block,
				Source: c.Row.ID,
			}.Bounded(x.Estimate))
		}
	}
	return quantities
}
