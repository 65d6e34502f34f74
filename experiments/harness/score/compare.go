package score

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Weighted is a correlation that is taken again and again, with item i
// weights[i] times; NaN where it is undefined. Calls must not overlap.
type Weighted func(weights []int32) float64

// WeightedCorrelation makes a Weighted of two lists of values; its errors are those of Pearson.
type WeightedCorrelation func(x, y []float64) (Weighted, error)

// WeightedPearson is the Pearson correlation.
func WeightedPearson(x, y []float64) (Weighted, error) {
	if err := check(x, y); err != nil {
		return nil, err
	}
	dx, dy := deviations(x), deviations(y)
	return func(weights []int32) float64 {
		var n, sx, sy float64
		for i, w := range weights {
			n += float64(w)
			sx += float64(float64(w) * dx[i])
			sy += float64(float64(w) * dy[i])
		}
		var xx, yy, xy float64
		for i, w := range weights {
			if w == 0 {
				continue
			}
			a, b, w := dx[i]-sx/n, dy[i]-sy/n, float64(w)
			xx += float64(w * a * a)
			yy += float64(w * b * b)
			xy += float64(w * a * b)
		}
		// deviations are at most 1, and what is constant has differences of the order of the rounding of its mean.
		if tiny := 0x1p-100 * n; xx <= tiny || yy <= tiny {
			return math.NaN()
		}
		return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy))))
	}, nil
}

// Contest is a set of items on which two systems meet. An item has the two terms or texts that were compared, the
// gold score, and the scores of the systems A and B. All lists have one length.
type Contest struct {
	Name          string
	First, Second []string
	Gold, A, B    []float64
}

// Outcome is how two systems fare on a set of items, or on average over sets.
type Outcome struct {
	Name string
	// Items is their number, over all sets for an average.
	Items int
	// A and B are the correlations with the gold scores, in [−1, 1].
	A, B float64
	// Difference is B − A with its 95 % interval and its draws.
	Difference Estimate
	// P is the two-sided p-value of no difference, Adjusted that
	// after Holm's correction for all outcomes of the comparison.
	P, Adjusted float64
}

// Better returns 1 where B is better, −1 where A is, and 0 where that cannot
// be told: at 95 %, after Holm's correction for the number of outcomes.
func (o Outcome) Better() int {
	const level = 0.05
	switch {
	case o.Adjusted > level || o.Difference.Low <= 0 && o.Difference.High >= 0:
		return 0
	case o.Difference.Value > 0:
		return 1
	}
	return -1
}

// Compare decides which of two systems correlates better with gold scores, by the paired bootstrap. Each draw weighs
// the items once, for both systems, as Pairs does, which knows items that share a term. It returns an outcome for
// each set and, where there are several, a last one of the plain mean of correlations over the sets, named Mean. Draw
// d of it is the mean of draws d of all sets, which are drawn independently. A p-value comes from n draws d of the
// difference, 2·min(#{d ≤ 0}, #{d ≥ 0}) with 1 added to each count and to n (Sides).
//
// The draws depend on the sets and the seed alone. The errors are those of Pearson, with the set's name, one for a
// set of which no draw has a correlation, and that of ctx. It panics if lists differ in length, and if draws < 1.
func Compare(
	ctx context.Context, contests []Contest, of WeightedCorrelation, draws int, seed uint64,
) ([]Outcome, error) {
	var all []Outcome
	mean := Outcome{Name: Mean}
	sum := make([]float64, draws)
	for s, c := range contests {
		if len(c.A) != len(c.Gold) || len(c.B) != len(c.Gold) || len(c.First) != len(c.Gold) {
			panic(fmt.Sprintf("score: set %s has %d gold scores, %d of A, %d of B and %d pairs",
				c.Name, len(c.Gold), len(c.A), len(c.B), len(c.First)))
		}
		a, err := of(c.A, c.Gold)
		if err != nil {
			return nil, fmt.Errorf("%s: A: %w", c.Name, err)
		}
		b, err := of(c.B, c.Gold)
		if err != nil {
			return nil, fmt.Errorf("%s: B: %w", c.Name, err)
		}
		once := slices.Repeat([]int32{1}, len(c.Gold))
		o := Outcome{Name: c.Name, Items: len(c.Gold), A: a(once), B: b(once)}
		values, err := NewPairs(c.First, c.Second).Draws(ctx, draws, seed+uint64(s),
			func(_ int, weights []int32) float64 { return b(weights) - a(weights) })
		if err != nil {
			return nil, err
		}
		if o.Difference = NewEstimate(o.B-o.A, values, nil); math.IsInf(o.Difference.Low, 0) {
			return nil, fmt.Errorf("%s: of %d items no draw has a correlation: give more", c.Name, len(c.Gold))
		}
		all = append(all, o)
		n := float64(len(contests))
		mean.Items += o.Items
		mean.A, mean.B = mean.A+o.A/n, mean.B+o.B/n
		for d, x := range values {
			sum[d] += x / n
		}
	}
	if len(contests) > 1 {
		mean.Difference = NewEstimate(mean.B-mean.A, sum, nil)
		all = append(all, mean)
	}
	p := make([]float64, len(all))
	for i, o := range all {
		below, above := Sides(o.Difference.Draws, 0)
		p[i] = min(below, above)
	}
	for i, adjusted := range Holm(p) {
		all[i].P, all[i].Adjusted = p[i], adjusted
	}
	return all, nil
}

// Mean is the name of the average over sets.
const Mean = "mean of the sets"

// Sides returns from the bootstrap draws of a statistic the two-sided p-values of
// the hypotheses that it is at most the bound and that it is at least the bound,
//
//	2 (#{x ≤ bound} + 1) / (n + 1)   and   2 (#{x ≥ bound} + 1) / (n + 1)
//
// at most 1 (Davison and Hinkley 1997, Bootstrap Methods and their Application, 4.2), of the n draws that are not NaN.
func Sides(draws []float64, bound float64) (atMost, atLeast float64) {
	below, above, n := 1, 1, 1
	for _, x := range draws {
		if math.IsNaN(x) {
			continue
		}
		n++
		if x <= bound {
			below++
		}
		if x >= bound {
			above++
		}
	}
	return min(1, 2*float64(below)/float64(n)), min(1, 2*float64(above)/float64(n))
}
