// Package score compares a system's scores with gold ones.
package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"contextmover/internal/parallel"
)

// Pearson returns the linear correlation of x and y,
//
//	r = Σ (x_i−x̄)(y_i−ȳ) / √( Σ (x_i−x̄)² · Σ (y_i−ȳ)² )
//
// in [−1, 1]. It returns an error for fewer than two values, for a value that is
// not finite, and where x or y is constant, since r is then undefined. It panics
// if the lengths differ.
func Pearson(x, y []float64) (float64, error) {
	if err := check(x, y); err != nil {
		return 0, err
	}
	return pearson(x, y), nil
}

// Cosine is that of the angle between two vectors, 0 if either is 0.
func Cosine(x, y []float32) float64 {
	var xy, xx, yy float64
	for i, v := range x {
		xy += float64(float64(v) * float64(y[i]))
		xx += float64(float64(v) * float64(v))
		yy += float64(float64(y[i]) * float64(y[i]))
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// Spearman returns the rank correlation of x and y: Pearson's correlation of their
// ranks, where equal values get the mean of the ranks they take. Its errors are
// those of Pearson.
func Spearman(x, y []float64) (float64, error) {
	if err := check(x, y); err != nil {
		return 0, err
	}
	return pearson(Ranks(x), Ranks(y)), nil
}

var errConstant = errors.New("a correlation with a constant is undefined")

func check(x, y []float64) error {
	if len(x) != len(y) {
		panic(fmt.Sprintf("score: %d and %d values", len(x), len(y)))
	}
	if len(x) < 2 {
		return fmt.Errorf("score: a correlation needs at least 2 pairs of values, there are %d", len(x))
	}
	for _, v := range [][]float64{x, y} {
		constant := true
		for i, a := range v {
			if math.IsNaN(a) || math.IsInf(a, 0) {
				return fmt.Errorf("score: value %d is %v, expected a finite number", i, a)
			}
			constant = constant && a == v[0]
		}
		if constant {
			return fmt.Errorf("score: all %d values are %v: %w", len(v), v[0], errConstant)
		}
	}
	return nil
}

func pearson(x, y []float64) float64 {
	x, y = deviations(x), deviations(y)
	var xy, xx, yy float64
	for i := range x {
		xy += float64(x[i] * y[i])
		xx += float64(x[i] * x[i])
		yy += float64(y[i] * y[i])
	}
	return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy))))
}

// deviations returns the differences of v from its mean, divided by the largest of
// them, so that no square over- or underflows.
func deviations(v []float64) []float64 {
	scale := 0.0
	for _, a := range v {
		scale = max(scale, math.Abs(a))
	}
	mean := 0.0
	for _, a := range v {
		mean += a / scale
	}
	mean /= float64(len(v))
	d := make([]float64, len(v))
	largest := 0.0
	for i, a := range v {
		d[i] = a/scale - mean
		largest = max(largest, math.Abs(d[i]))
	}
	for i := range d {
		d[i] /= largest
	}
	return d
}

// Ranks returns the rank of each value, 1 for the smallest; equal values share the
// mean of the ranks they take. NaNs are not allowed.
func Ranks(v []float64) []float64 {
	ranks, _ := sorted(v, cmp.Compare[float64]).ranks(slices.Repeat([]int32{1}, len(v)))
	return ranks
}

// AveragePrecision returns the area under the steps of precision over recall,
//
//	AP = Σ_n (R_n − R_{n−1}) P_n
//
// over the distinct scores in descending order: equal scores are one block that
// is evaluated at its end [scikit-learn, average_precision_score]. A greater score
// means more likely positive.
//
// It returns an error where no label is positive, and for a score that is NaN. It
// panics if the lengths differ.
func AveragePrecision(positive []bool, scores []float64) (float64, error) {
	r, err := NewRanking(positive, scores)
	if err != nil {
		return 0, err
	}
	if !slices.Contains(positive, true) {
		return 0, fmt.Errorf("score: none of %d labels is positive: the average precision is undefined", len(positive))
	}
	return r.AveragePrecision(slices.Repeat([]int32{1}, len(positive))), nil
}

// Draws returns a statistic on samples of n items drawn with replacement, in their order [Efron and Tibshirani 1993,
// section 13.3]. statistic gets the drawn indices, which it must not keep. With equal n, draws and seed, draw d is the
// same sample for every statistic, so averages over several sets, and differences of systems, are a matter of adding
// draws before Interval is taken. When ctx ends before the last draw its error is returned. Draws panics if n < 1 or
// draws < 1.
func Draws(ctx context.Context, n, draws int, seed uint64, statistic func(sample []int) float64) ([]float64, error) {
	if n < 1 || draws < 1 {
		panic(fmt.Sprintf("score: %d draws of %d items", draws, n))
	}
	sample := make([]int, n)
	values := make([]float64, draws)
	for d := range values {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		draw(sample, seed, d)
		values[d] = statistic(sample)
	}
	return values, nil
}

// draw makes sample d of a seed: each has a random stream of its own, so that they can be made in any order.
func draw(sample []int, seed uint64, d int) {
	random := rand.New(rand.NewPCG(seed, uint64(d)))
	for i := range sample {
		sample[i] = random.IntN(len(sample))
	}
}

// A Sampler keeps the samples that Draws takes of n items with a seed, 2n bytes each, for callers that need many
// statistics of them. Of more than 65,536 items it makes them again each time. Its methods may be called concurrently.
type Sampler struct {
	n    int
	seed uint64
	mu   sync.Mutex
	kept [][]uint16
}

// NewSampler makes no sample yet.
func NewSampler(n int, seed uint64) *Sampler { return &Sampler{n: n, seed: seed} }

// samples returns the first samples, none if they are not kept.
func (s *Sampler) samples(ctx context.Context, draws int) ([][]uint16, error) {
	if s.n > 1<<16 {
		return nil, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if more := draws - len(s.kept); more > 0 {
		made := make([][]uint16, more)
		err := parallel.Blocks(ctx, more, 64, func(lo, hi int) error {
			all, sample := make([]uint16, (hi-lo)*s.n), make([]int, s.n)
			for d := lo; d < hi; d++ {
				draw(sample, s.seed, len(s.kept)+d)
				made[d], all = all[:s.n:s.n], all[s.n:]
				for i, item := range sample {
					made[d][i] = uint16(item)
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		s.kept = append(s.kept, made...)
	}
	return s.kept[:draws:draws], nil
}

// PearsonDraws returns what Draws does for the statistic 100·Pearson of x and y, NaN where a sample of one of them is
// constant, on all processors. Its errors are those of Pearson for values that are too few or not finite, and that of
// ctx. It panics unless x and y have n values.
func (s *Sampler) PearsonDraws(ctx context.Context, x, y []float64, draws int) ([]float64, error) {
	if len(x) != s.n || len(y) != s.n {
		panic(fmt.Sprintf("score: %d and %d values, samples of %d", len(x), len(y), s.n))
	}
	values := make([]float64, draws)
	switch err := check(x, y); {
	case errors.Is(err, errConstant):
		for d := range values {
			values[d] = math.NaN()
		}
		return values, nil
	case err != nil:
		return nil, err
	}
	samples, err := s.samples(ctx, draws)
	if err != nil {
		return nil, err
	}
	// Of differences from the mean, sums of products lose next to nothing.
	dx, dy := deviations(x), deviations(y)
	err = parallel.Blocks(ctx, draws, 64, func(lo, hi int) error {
		sample := make([]int, s.n)
		for d := lo; d < hi; d++ {
			var value float64
			var enough bool
			if samples != nil {
				value, enough = percentBySums(dx, dy, samples[d])
			} else {
				draw(sample, s.seed, d)
				value, enough = percentBySums(dx, dy, sample)
			}
			if !enough {
				draw(sample, s.seed, d)
				value = percentOf(x, y, sample)
			}
			values[d] = value
		}
		return nil
	})
	return values, err
}

// percentBySums is 100·Pearson of a sample, and whether sums of products are enough to tell it.
func percentBySums[I int | uint16](dx, dy []float64, sample []I) (percent float64, enough bool) {
	var sx, sy, xx, yy, xy float64
	for _, i := range sample {
		a, b := dx[i], dy[i]
		sx += a
		sy += b
		xx += float64(a * a)
		yy += float64(b * b)
		xy += float64(a * b)
	}
	n := float64(len(sample))
	varX, varY := xx-sx*sx/n, yy-sy*sy/n
	if varX < almostConstant*xx || varY < almostConstant*yy {
		return 0, false
	}
	return 100 * max(-1, min(1, (xy-sx*sy/n)/math.Sqrt(varX*varY))), true
}

// almostConstant is the part of its sum of squares that a sample's variance must be for sums of products to
// tell it within 1e-10.
const almostConstant = 1e-5

// percentOf is 100·Pearson of a sample, NaN if x or y is constant there.
func percentOf(x, y []float64, sample []int) float64 {
	a, b := make([]float64, len(sample)), make([]float64, len(sample))
	for i, at := range sample {
		a[i], b[i] = x[at], y[at]
	}
	r, err := Pearson(a, b)
	if err != nil {
		return math.NaN()
	}
	return 100 * r
}

// Interval returns the 2.5th and the 97.5th percentile of draws, those that are NaN
// left out; (−∞, +∞) if none is left.
func Interval(draws []float64) (low, high float64) {
	values := slices.DeleteFunc(slices.Clone(draws), math.IsNaN)
	if len(values) == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	slices.Sort(values)
	return percentile(values, 0.025), percentile(values, 0.975)
}

// percentile interpolates linearly between the two nearest of the sorted values.
func percentile(sorted []float64, p float64) float64 {
	at := float64(p * float64(len(sorted)-1))
	i := int(at)
	if i+1 == len(sorted) || sorted[i] == sorted[i+1] {
		return sorted[i]
	}
	return sorted[i] + float64((at-float64(i))*(sorted[i+1]-sorted[i]))
}
