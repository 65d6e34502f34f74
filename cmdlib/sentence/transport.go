package sentence

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/internal/parallel"
)

// Transport scores a pair by minus the context mover's distance between its
// combined histograms.
//
// With Mix = m > 0 each sentence also has one point, the average of its word vectors. It gets the mass m and leaves
// 1−m to the histogram: the "reduced" mix of the paper's code [wasserstein.py:465], on a support of K+2. The combined
// histogram does not know of the point. Costs to points are normalised by the constant of the K×K block.
type Transport struct {
	Combiner Combiner
	Ground   *ground.Ground
	Engine   ot.Engine
	Settings ot.Settings
	// Mix is m in [0, 1); 0 uses no points.
	Mix    float64
	Points Points
	// RemovePC removes one component, in batches of PCBatch, as VectorAverage does, from the points alone; the
	// centroids stay. The paper's rows have batches of 64 in SentEvalOrder.
	RemovePC bool
	PCBatch  int
	// Progress, if not nil, is told how many pairs are done.
	Progress func(done, total int64)
}

// Score returns minus the distances. A pair is covered if both sides have a word
// with an estimate and, with Mix > 0, one with a vector.
func (t Transport) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if err := t.validate(); err != nil {
		return Scores{}, err
	}
	sentences, first, second := distinct(pairs)
	rows, err := t.Combiner.Combine(ctx, sentences)
	if err != nil {
		return Scores{}, err
	}
	if rows.K != t.Ground.K || len(rows.Data) != len(sentences)*rows.K {
		return Scores{},
			fmt.Errorf("sentence: %d combined histograms of %d bins for %d sentences and a cost of %d bins",
				len(rows.Data)/max(rows.K, 1), rows.K, len(sentences), t.Ground.K)
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	var todo []ot.Pair
	var position []int // of each pair in todo
	for i := range pairs {
		covered[i] = !isZero(rows.Row(int(first[i]))) && !isZero(rows.Row(int(second[i])))
		if covered[i] {
			todo = append(todo, ot.Pair{Source: first[i], Target: second[i]})
			position = append(position, i)
		}
	}
	p := &ot.Problem{Settings: t.Settings, Cost: t.Ground.Cost, Rows: rows, Pairs: todo}
	if t.Mix > 0 {
		err = t.mixed(ctx, pairs, p, value, covered)
	} else if len(todo) > 0 {
		err = t.Engine.Distances(ctx, p, func(first int, results []ot.Result) error {
			for i, r := range results {
				value[position[first+i]] = -r.Cost
			}
			t.progress(first+len(results), len(todo))
			return nil
		})
	}
	if err != nil {
		return Scores{}, err
	}
	return newScores(value, covered), nil
}

func (t Transport) validate() error {
	switch {
	case t.Combiner == nil:
		return errors.New("sentence: transport needs a combiner, there is none")
	case t.Ground == nil:
		return errors.New("sentence: transport needs a ground cost, there is none")
	case t.Engine == nil:
		return errNoEngine
	case !(t.Mix >= 0 && t.Mix < 1):
		return fmt.Errorf("sentence: mix m = %v is not in [0, 1)", t.Mix)
	case t.PCBatch < 0:
		return errBatch
	case t.Mix == 0:
		return nil
	case t.Points.Dim != t.Ground.Dim:
		return fmt.Errorf("sentence: points of dimension %d and a ground cost of dimension %d",
			t.Points.Dim, t.Ground.Dim)
	}
	return t.Points.validate()
}

func (t Transport) progress(done, total int) {
	if t.Progress != nil {
		t.Progress(int64(done), int64(total))
	}
}

// mixed scores the covered pairs with points. all has their histograms, and a pair
// for each of them; value and covered are those of pairs.
func (t Transport) mixed(ctx context.Context, pairs []Pair, all *ot.Problem, value []float64, covered []bool) error {
	dim, k := t.Ground.Dim, t.Ground.K
	components := 0
	if t.RemovePC {
		components = 1
	}
	size := unit(len(pairs), components, t.PCBatch)
	next := 0 // pair of all that the next covered pair is
	for lo := 0; lo < len(pairs); lo += size {
		hi := min(lo+size, len(pairs))
		a, b, known, err := t.Points.sides(ctx, pairs[lo:hi], components, t.PCBatch)
		if err != nil {
			return err
		}
		// Points differ between the sides and batches that a sentence occurs in, so
		// every covered pair gets two rows of its own.
		var position []int
		var use []ot.Pair
		for i := lo; i < hi; i++ {
			if !covered[i] {
				continue
			}
			if covered[i] = known[i-lo]; covered[i] {
				position = append(position, i)
				use = append(use, all.Pairs[next])
			}
			next++
		}
		n := len(position)
		if n == 0 {
			continue
		}
		p := &ot.Problem{
			Settings: all.Settings, Cost: all.Cost,
			Rows:  ot.Histograms{K: k, Data: make([]float32, 2*n*k)},
			Pairs: make([]ot.Pair, n),
		}
		costs, between := make([]float32, 2*n*k), make([]float32, n)
		err = parallel.Blocks(ctx, n, 64, func(start, end int) error {
			points := make([]float32, 2*(end-start)*dim)
			for i := start; i < end; i++ {
				at := (position[i] - lo) * dim
				x, y := points[2*(i-start)*dim:][:dim], points[(2*(i-start)+1)*dim:][:dim]
				for j := range dim {
					x[j], y[j] = float32(a[at+j]), float32(b[at+j])
				}
				between[i] = t.Ground.Between(x, y)
				copy(p.Rows.Row(2*i), all.Rows.Row(int(use[i].Source)))
				copy(p.Rows.Row(2*i+1), all.Rows.Row(int(use[i].Target)))
				p.Pairs[i] = ot.Pair{Source: int32(2 * i), Target: int32(2*i + 1)}
			}
			t.Ground.ToBins(costs[2*start*k:2*end*k], points)
			return nil
		})
		if err != nil {
			return err
		}
		// Costs are symmetric: see validate.
		p.Border = &ot.Border{Mass: t.Mix, FromPoint: costs, ToPoint: costs, Between: between}
		err = t.Engine.Distances(ctx, p, func(first int, results []ot.Result) error {
			for i, r := range results {
				value[position[first+i]] = -r.Cost
			}
			t.progress(next-n+first+len(results), len(all.Pairs))
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
