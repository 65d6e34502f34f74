package sentence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/internal/pairwise"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/internal/parallel"
)

// WordMover scores a pair by minus the cost of moving the words of one sentence onto those of the other: the word
// mover's distance [Kusner, Sun, Kolkin, Weinberger 2015],
//
//	min_T Σ T_ij ‖x_i − y_j‖   over T ≥ 0 with the words' shares of each sentence as row and column sums
//
// solved exactly. With Rotator it is the word rotator's distance [Yokoi, Takahashi, Akama, Suzuki, Inui 2020]. Then
// the cost is 1 − cos(x_i, y_j), and a word's share is also proportional to the length of its vector.
type WordMover struct {
	// Points has the words' vectors; Weighting gives their shares, scaled to sum 1 whatever its
	// scheme. A word that occurs twice has twice the share, one whose vector is all zeros none.
	Points  Points
	Rotator bool
	// Engine, if not nil, solves the entropic form instead, with Settings
	// and the regularisation in units of the mean cost of the pair.
	Engine   ot.Engine
	Settings ot.Settings
}

// Score returns minus the distances. A pair is covered if both sides have a word with a vector.
func (w WordMover) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if err := w.Points.validate(); err != nil {
		return Scores{}, err
	}
	sentences, first, second := distinct(pairs)
	clouds, err := w.clouds(ctx, sentences)
	if err != nil {
		return Scores{}, err
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	var moved []int
	for i := range pairs {
		if covered[i] = len(clouds[first[i]].mass) > 0 && len(clouds[second[i]].mass) > 0; covered[i] {
			moved = append(moved, i)
		}
	}
	distances, err := w.distances(ctx, len(moved), func(i int) (x, y cloud) {
		return clouds[first[moved[i]]], clouds[second[moved[i]]]
	})
	if err != nil {
		return Scores{}, fmt.Errorf("sentence: pairs that have vectors: %w", err)
	}
	for i, d := range distances {
		value[moved[i]] = -d
	}
	return newScores(value, covered), nil
}

// A cloud is a sentence as masses, of sum 1, on the vectors of its distinct words.
type cloud struct {
	points  [][]float32
	squares []float64 // ‖x‖² of the points, for the rotator
	mass    []float64
}

// compare orders clouds, by what they are.
func (c cloud) compare(d cloud) int {
	return cmp.Or(slices.CompareFunc(c.points, d.points, slices.Compare), slices.Compare(c.mass, d.mass))
}

// clouds makes a cloud of each sentence, without masses where no word has a vector.
func (w WordMover) clouds(ctx context.Context, sentences []Sentence) ([]cloud, error) {
	p := w.Points
	if err := checkWords(sentences, len(p.Vectors)/p.Dim); err != nil {
		return nil, err
	}
	all := make([]cloud, len(sentences))
	err := parallel.Blocks(ctx, len(sentences), 64, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			c := &all[i]
			for _, word := range p.ordered(sentences[i]) {
				v := p.row(word)
				if isZero(v) {
					continue
				}
				share, square := p.Weighting.weight(word, p.Probability), 0.0
				if w.Rotator {
					square = pairwise.Products(nil, [][]float32{v}, [][]float32{v})[0]
					share *= math.Sqrt(square)
				}
				if last := len(c.points) - 1; last >= 0 && slices.Equal(c.points[last], v) {
					c.mass[last] += share
					continue
				}
				c.points, c.mass = append(c.points, v), append(c.mass, share)
				if w.Rotator {
					c.squares = append(c.squares, square)
				}
			}
			total := 0.0
			for _, m := range c.mass {
				total += m
			}
			for j := range c.mass {
				c.mass[j] /= total
			}
		}
		return nil
	})
	return all, err
}

// load stores the problem of two clouds, the lesser one first: costs are symmetric, and so both directions have the
// same bits.
func (w WordMover) load(r *ot.Rectangle, x, y cloud) {
	if x.compare(y) > 0 {
		x, y = y, x
	}
	r.Source, r.Target = append(r.Source[:0], x.mass...), append(r.Target[:0], y.mass...)
	if !w.Rotator {
		r.BetweenVectors(x.points, y.points)
		return
	}
	r.Cost = pairwise.Products(r.Cost, x.points, y.points)
	for i, square := range x.squares {
		row := r.Cost[i*len(y.squares):][:len(y.squares)]
		for j, c := range row {
			row[j] = max(0, 1-c/math.Sqrt(square*y.squares[j])) // exactly 0 between equal vectors
		}
	}
}

// distances returns those of n pairs of clouds with masses.
func (w WordMover) distances(ctx context.Context, n int, pair func(i int) (x, y cloud)) ([]float64, error) {
	engine, units := w.Engine, make([]float64, n)
	if engine == nil {
		engine = exact.New()
	}
	b := &ot.Batch{Settings: w.Settings, N: n, Load: func(i int, r *ot.Rectangle) error {
		x, y := pair(i)
		w.load(r, x, y)
		units[i] = 1
		if w.Engine == nil {
			return nil
		}
		mean := 0.0
		for _, c := range r.Cost {
			mean += c / float64(len(r.Cost))
		}
		if mean > 0 {
			units[i] = mean
			for j := range r.Cost {
				r.Cost[j] /= mean
			}
		}
		return nil
	}}
	all := make([]float64, 0, n)
	err := ot.Batches(ctx, engine, b, func(first int, results []ot.Result) error {
		for i, result := range results {
			all = append(all, result.Cost*units[first+i])
		}
		return nil
	})
	return all, err
}
