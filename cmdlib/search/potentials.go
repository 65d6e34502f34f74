package search

import (
	"cmp"
	"context"
	"math"
	"slices"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/internal/parallel"
)

// Potentials are looked at in stages of width; mostStages stages are made.
const (
	width      = 8
	mostStages = 8
)

// potentials bound the cost of transport from a query to any sentence below. A pair
// (f, g) with f_i + g_j ≤ C_ij is a solution of the dual problem of every sentence, so
// that the sentence b, an average of words H_w with the weights η_w, costs at least
//
//	⟨f, a⟩ + ⟨g, b⟩ = ⟨f, a⟩ + Σ_w η_w ⟨g, H_w⟩ / Σ_w η_w                                            (1)
//
// which is a number a word. The largest of many pairs is taken; each
// is optimal for the mean of a group of the sentences of the index.
type potentials struct {
	offsets [][width]float64 // ⟨f, a⟩, by stage
	tables  [][]float32      // by stage, of each word η_w ⟨g, H_w⟩ for each pair of it
}

// stiffness says how sharp the problems are that potentials come from: λ is that part of the largest
// cost. It and their iterations decide how good the bounds are, not whether they are bounds.
const (
	stiffness  = 0.02
	iterations = 60
)

// potentialsFor makes pairs for a query that are optimal for samples; K bins each, a multiple of width.
func (x *Index) potentialsFor(ctx context.Context, query []float32, samples []float32) (*potentials, error) {
	k, words := x.space.Cost.K, len(x.weights)
	n := len(samples) / k
	offsets, g := make([]float64, n), make([]float32, n*k)
	p := &ot.Problem{
		Settings: ot.Settings{Reg: stiffness * x.largest, MaxIter: iterations}, Cost: x.space.Cost,
		Rows: ot.Histograms{K: k, Data: slices.Concat(query, samples)},
	}
	for i := range n {
		p.Pairs = append(p.Pairs, ot.Pair{Source: 0, Target: int32(i + 1)})
	}
	err := ot.StreamPotentials(ctx, cpu.New(), p, func(first int, results []ot.Potentials) error {
		return parallel.Blocks(ctx, len(results), 1, func(i, _ int) error {
			at := first + i
			offsets[at] = feasible(x.space.Cost, query, results[i].F, g[at*k:(at+1)*k])
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	all := make([]float32, words*n)
	gemm.Mul(gemm.Matrix[float32]{Rows: words, Cols: n, Stride: n, Data: all},
		gemm.Matrix[float32]{Rows: words, Cols: k, Stride: k, Data: x.words.Estimates.Data},
		gemm.Matrix[float32]{Rows: k, Cols: n, Stride: k, Data: g, Transposed: true})
	q := &potentials{offsets: make([][width]float64, n/width), tables: make([][]float32, n/width)}
	for stage := range q.tables {
		copy(q.offsets[stage][:], offsets[stage*width:])
		table := make([]float32, words*width)
		for word, weight := range x.weights {
			for i := range width {
				table[word*width+i] = weight * all[word*n+stage*width+i]
			}
		}
		q.tables[stage] = table
	}
	return q, ctx.Err()
}

// feasible sets g to g_j = min C_ij − f_i over the bins i with mass of the query, and
// returns ⟨f', a⟩ with f'_i = min_j C_ij − g_j, the best there is for that g: a
// solution of the dual problem whatever f is. A pair with a number that is none is 0.
func feasible(c ot.Cost, query []float32, f []float64, g []float32) (offset float64) {
	for j := range g {
		least := math.Inf(1)
		for i, mass := range query {
			if mass > 0 {
				least = min(least, float64(c.Data[i*c.K+j])-f[i])
			}
		}
		g[j] = float32(least)
	}
	for i, mass := range query {
		if mass > 0 {
			least := math.Inf(1)
			for j := range g {
				least = min(least, float64(c.Data[i*c.K+j])-float64(g[j]))
			}
			offset += float64(float64(mass) * least)
		}
	}
	if math.IsNaN(offset) || math.IsInf(offset, 0) {
		clear(g)
		return 0
	}
	return offset
}

// longest is the number of words up to which the sums of float32 in a bound are exact enough:
// errors of longest·2⁻²⁴ of the largest cost, a part of leastSlack. Longer ones are made of parts.
const longest = 2000

// bound returns (1) for a sentence or document whose weights sum to total > 0, or a part of it beyond enough.
func (q *potentials) bound(ids []int32, total, enough float64) (bound float64) {
	for stage, table := range q.tables {
		var sums [width]float64
		for rest := ids; len(rest) > 0; {
			part := rest[:min(len(rest), longest)]
			rest = rest[len(part):]
			var s0, s1, s2, s3, s4, s5, s6, s7 float32
			for _, id := range part {
				row := (*[width]float32)(table[int(id)*width:])
				s0 += row[0]
				s1 += row[1]
				s2 += row[2]
				s3 += row[3]
				s4 += row[4]
				s5 += row[5]
				s6 += row[6]
				s7 += row[7]
			}
			for i, sum := range [width]float32{s0, s1, s2, s3, s4, s5, s6, s7} {
				sums[i] += float64(sum)
			}
		}
		for i, sum := range sums {
			bound = max(bound, q.offsets[stage][i]+sum/total)
		}
		if bound > enough {
			break
		}
	}
	return bound
}

// sort brings the stages into the order of how much they rule out, by the bounds of some sentences:
// first that with the largest mean bound, then the one that makes it largest with those before.
func (q *potentials) sort(sentences [][]int32, totals []float64) {
	n := len(q.tables)
	bounds := make([][]float64, n)
	for stage := range n {
		one := &potentials{offsets: q.offsets[stage : stage+1], tables: q.tables[stage : stage+1]}
		for i, ids := range sentences {
			bounds[stage] = append(bounds[stage], one.bound(ids, totals[i], math.Inf(1)))
		}
	}
	best := make([]float64, len(sentences))
	left := make([]int, n)
	for i := range left {
		left[i] = i
	}
	sum := func(stage int) (s float64) {
		for i, b := range bounds[stage] {
			s += max(b, best[i])
		}
		return s
	}
	sorted := &potentials{}
	for len(left) > 0 {
		first := slices.MaxFunc(left, func(a, b int) int {
			return cmp.Or(cmp.Compare(sum(a), sum(b)), cmp.Compare(b, a))
		})
		left = slices.DeleteFunc(left, func(stage int) bool { return stage == first })
		for i, b := range bounds[first] {
			best[i] = max(best[i], b)
		}
		sorted.offsets, sorted.tables = append(sorted.offsets, q.offsets[first]), append(sorted.tables, q.tables[first])
	}
	*q = *sorted
}
