package sentence

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/internal/pairwise"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	search "contextmover/internal/nearest"
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

// A Neighbour is a sentence by its index, with its distance.
type Neighbour struct {
	Index    int
	Distance float64
}

// Nearest returns the k sentences nearest to a query, or all that have a distance if they are fewer: the nearest
// first, of equal ones that which comes first. solved is the number of distances that had to be computed. As in the
// paper, sentences are taken in the order of the distance of their centroids, which is a lower bound, until that
// exceeds the k-th distance. Those are left out whose relaxed distance (without the one or the other of the
// marginals) does. For the rotator the first bound is half the square of the distance of the centroids of directions.
//
// It panics if k < 1. A query without vectors has no neighbours;
// the entropic form has none of these bounds and is an error.
func (w WordMover) Nearest(
	ctx context.Context, query Sentence, among []Sentence, k int,
) (nearest []Neighbour, solved int, err error) {
	if k < 1 {
		panic("sentence: less than one neighbour")
	}
	if w.Engine != nil {
		return nil, 0, errors.New(
			"sentence: neighbours by the entropic form, which has no lower bounds; expected none of Engine",
		)
	}
	if err := w.Points.validate(); err != nil {
		return nil, 0, err
	}
	clouds, err := w.clouds(ctx, append([]Sentence{query}, among...))
	if err != nil || len(clouds[0].mass) == 0 {
		return nil, 0, err
	}
	from := clouds[0]
	centre, bounds := w.centre(from), make([]float64, len(among))
	err = parallel.Blocks(ctx, len(among), 64, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			bounds[i] = w.centroidBound(centre, w.centre(clouds[1+i]))
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	list := make([]candidate, 0, len(among))
	for i, c := range clouds[1:] {
		if len(c.mass) > 0 {
			list = append(list, candidate{Position: int64(i), Value: bounds[i]})
		}
	}
	// The first distances rule most out; then enough are solved at once for all processors.
	run := search.Search[struct{}]{
		N: k, First: 1, Most: mostSolved, Limit: func(nth float64) float64 { return nth * (1 + slack) },
	}
	costs := make([][]float64, mostSolved) // memory for those of candidates that are refined together
	run.Refine = func(ctx context.Context, some []candidate, _ float64) error {
		return parallel.Blocks(ctx, len(some), 1, func(i, _ int) error {
			to := clouds[1+some[i].Position]
			costs[i] = w.costs(costs[i], from, to)
			some[i].Value = relaxed(from, to, costs[i])
			return nil
		})
	}
	run.Solve = func(ctx context.Context, some []candidate) ([]candidate, error) {
		b := &ot.Batch{N: len(some), Load: func(i int, r *ot.Rectangle) error {
			w.load(r, from, clouds[1+some[i].Position])
			return nil
		}}
		solved += len(some)
		return some, ot.Batches(ctx, exact.New(), b, func(first int, results []ot.Result) error {
			for i, result := range results {
				some[first+i].Value = result.Cost
			}
			return nil
		})
	}
	if err := run.Run(ctx, list); err != nil {
		return nil, 0, err
	}
	for _, c := range run.Nearest {
		nearest = append(nearest, Neighbour{int(c.Position), c.Value})
	}
	return nearest, solved, nil
}

// mostSolved is how many distances are computed at once in a search.
const mostSolved = 16

type candidate = search.Candidate[struct{}]

// slack is more than rounding makes bounds and distances differ by.
const slack = 1e-9

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
				share, square := p.Weighting.of(word, p.Probability), 0.0
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
	r.Cost = w.costs(r.Cost, x, y)
}

// costs returns the costs from the points of x to those of y, in the memory of cost.
func (w WordMover) costs(cost []float64, x, y cloud) []float64 {
	if !w.Rotator {
		r := ot.Rectangle{Cost: cost}
		r.BetweenVectors(x.points, y.points)
		return r.Cost
	}
	cost = pairwise.Products(cost, x.points, y.points)
	for i, square := range x.squares {
		row := cost[i*len(y.squares):][:len(y.squares)]
		for j, c := range row {
			row[j] = max(0, 1-c/math.Sqrt(square*y.squares[j])) // exactly 0 between equal vectors
		}
	}
	return cost
}

// centre returns the mean of the points of a cloud, or of their directions for the rotator.
func (w WordMover) centre(c cloud) []float64 {
	centre := make([]float64, w.Points.Dim)
	for j, v := range c.points {
		scale := c.mass[j]
		if w.Rotator {
			scale /= math.Sqrt(c.squares[j])
		}
		for k, x := range v {
			centre[k] += float64(scale * float64(x))
		}
	}
	return centre
}

// centroidBound is at most the distance of clouds with centres x and y: costs are
// convex functions of x_i − y_j, of directions for the rotator.
func (w WordMover) centroidBound(x, y []float64) float64 {
	square := 0.0
	for k, c := range x {
		d := c - y[k]
		square += float64(d * d)
	}
	if w.Rotator {
		return square / 2
	}
	return math.Sqrt(square)
}

// relaxed is the larger of the costs that moving each point to the nearest of the other side takes, a lower bound.
func relaxed(x, y cloud, cost []float64) float64 {
	n := len(y.points)
	forth, back := 0.0, 0.0
	for i, m := range x.mass {
		forth += float64(m * slices.Min(cost[i*n:(i+1)*n]))
	}
	for j, m := range y.mass {
		least := math.Inf(1)
		for i := range x.mass {
			least = min(least, cost[i*n+j])
		}
		back += float64(m * least)
	}
	return max(forth, back)
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
