// Package sppmi turns co-occurrence counts into shifted, smoothed, positive
// pointwise mutual information: the association of a word with each of its
// contexts.
//
// With #(w) = Σ_c #(w,c) and #(c) = Σ_w #(w,c),
//
//	SPPMI(w,c) = max( ln[ #(w,c) · Σ_c' #(c')^α / ( #(w) · #(c)^α ) ] − ln s , 0 )      (1)
//
// [Singh et al. 2020, section 6, Levy and Goldberg 2014, and Levy, Goldberg and
// Dagan 2015]. The logarithm is natural, and α smooths contexts only. Pairs that
// were never counted stay 0, whatever α is.
package sppmi

import (
	"context"
	"fmt"
	"math"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Matrix is a sparse association matrix: row = word, column = context.
type Matrix = sparse.Matrix[float32]

// Params are the parameters of (1).
type Params struct {
	// Smoothing is α in [0, 1]: 1 takes contexts at their frequency, less than 1
	// raises the share of rare ones, which lowers their association.
	Smoothing float64 `json:"smoothing"`
	// Shift is s ≥ 1: associations up to ln s are dropped. 1 shifts nothing.
	Shift float64 `json:"shift"`
}

const (
	// rowBlock is a number of rows that take milliseconds.
	rowBlock = 256
	// parts is the number of pieces the column sums are taken in.
	parts = 16
	// noise bounds the rounding error of (1): a sum of five logarithms below 2^10,
	// each with a relative error of 2^-52. Independent counts have an association
	// of 0, and must not get a random sign from it.
	noise = 1e-12
)

// Compute returns the associations of counts: Associations of what New makes of them.
func Compute(ctx context.Context, counts *sparse.Matrix[float64], p Params) (*Matrix, error) {
	c, err := New(ctx, counts)
	if err != nil {
		return nil, err
	}
	return c.Associations(ctx, p)
}

// Counts are co-occurrence counts (row = word, column = context) with their sums, which are the same for all α and s.
type Counts struct {
	*sparse.Matrix[float64]
	words, contexts []float64 // #(w), #(c)
}

// New returns counts with their sums. The counts must not change afterwards.
//
// It returns an error for a matrix that breaks the rules of its type, and for a count that is negative or not finite.
func New(ctx context.Context, counts *sparse.Matrix[float64]) (*Counts, error) {
	if err := counts.Validate(); err != nil {
		return nil, fmt.Errorf("sppmi: counts: %w", err)
	}
	words, err := words(ctx, counts)
	if err != nil {
		return nil, err
	}
	contexts, err := contexts(ctx, counts)
	if err != nil {
		return nil, err
	}
	return &Counts{counts, words, contexts}, nil
}

// Marginals returns the marginals of the counts for a smoothing
// α. It is an error if they sum to more than a float64 holds.
func (c *Counts) Marginals(smoothing float64) (*Marginals, error) {
	m := &Marginals{Contexts: c.contexts}
	return m, m.sum(smoothing)
}

// Associations returns (1) of the counts. Only strictly positive associations are stored. A context that was never
// counted takes no part in the sum over c', whatever α is.
//
// The associations are on the disk of the counts, if those are on one.
//
// It returns an error for parameters out of range, and where counts sum to more than a float64 holds.
func (c *Counts) Associations(ctx context.Context, p Params) (*Matrix, error) {
	if !(p.Smoothing >= 0 && p.Smoothing <= 1) {
		return nil, fmt.Errorf("sppmi: smoothing α = %v is not in [0, 1]", p.Smoothing)
	}
	if !(p.Shift >= 1) || math.IsInf(p.Shift, 1) {
		return nil, fmt.Errorf("sppmi: shift s = %v is not a finite number of at least 1", p.Shift)
	}
	marginals, err := c.Marginals(p.Smoothing)
	if err != nil {
		return nil, err
	}
	column, least := make([]float64, c.Cols), make([]float64, c.Cols)
	for context := range column {
		column[context] = marginals.column(int32(context), p)
		least[context] = elementary.Exp(column[context])
	}
	each := func(w int, see func(context int32, association float32)) {
		offset := marginals.offset(c.words[w], p)
		factor := (1 - apart) * elementary.Exp(-offset)
		index, value := c.Row(w)
		for e, x := range value {
			context := index[e]
			// Most counts are so far below the least one that is associated that no logarithm is needed to tell.
			if limit := float64(factor * least[context]); telling(limit) && x < limit {
				continue
			}
			if v := elementary.Log(x) + offset - column[context]; v > noise {
				see(context, float32(v))
			}
		}
	}
	start := make([]int64, c.Rows+1)
	err = parallel.Blocks(ctx, c.Rows, rowBlock, func(lo, hi int) error {
		for w := lo; w < hi; w++ {
			each(w, func(int32, float32) { start[w+1]++ })
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for w := range c.Rows {
		start[w+1] += start[w]
	}
	m, err := sparse.Make[float32](c.Disk, c.Rows, c.Cols, start)
	if err != nil {
		return nil, fmt.Errorf("sppmi: %w", err)
	}
	err = parallel.Blocks(ctx, c.Rows, rowBlock, func(lo, hi int) error {
		for w := lo; w < hi; w++ {
			at := m.Start[w]
			each(w, func(context int32, association float32) {
				m.Index[at], m.Value[at] = context, association
				at++
			})
		}
		return nil
	})
	if err != nil {
		m.Free()
		return nil, err
	}
	return m, nil
}

// apart is the share by which a count is below the least one that is associated where no logarithm
// is needed to tell them apart: more than what exponentials round and the noise of (1) together.
const apart = 1e-9

// telling tells whether the product of two exponentials is as exact as they are.
func telling(x float64) bool { return x > 0x1p-1000 && x < 0x1p1000 }

// words returns #(w) of each word.
func words(ctx context.Context, counts *sparse.Matrix[float64]) ([]float64, error) {
	word := make([]float64, counts.Rows)
	err := parallel.Blocks(ctx, counts.Rows, rowBlock, func(lo, hi int) error {
		for w := lo; w < hi; w++ {
			index, value := counts.Row(w)
			sum := 0.0
			for e, x := range value {
				if !(x >= 0) || math.IsInf(x, 1) {
					return fmt.Errorf("sppmi: the count of word %d with context %d is %v, expected a finite number ≥ 0",
						w, index[e], x)
				}
				sum += x
			}
			if math.IsInf(sum, 1) {
				return fmt.Errorf("sppmi: the counts of word %d sum to more than a float64 holds", w)
			}
			word[w] = sum
		}
		return nil
	})
	return word, err
}

// contexts returns #(c) of each context.
func contexts(ctx context.Context, counts *sparse.Matrix[float64]) ([]float64, error) {
	n := len(counts.Value)
	size := max((n+parts-1)/parts, 1)
	partial := make([][]float64, (n+size-1)/size)
	err := parallel.Blocks(ctx, n, size, func(lo, hi int) error {
		sums := make([]float64, counts.Cols)
		for e := lo; e < hi; e++ {
			sums[counts.Index[e]] += counts.Value[e]
		}
		partial[lo/size] = sums
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := make([]float64, counts.Cols)
	for c := range all {
		for _, p := range partial {
			all[c] += p[c]
		}
	}
	return all, nil
}

// Marginals are what is to be known of all words' counts for the associations of one more word: see Row.
type Marginals struct {
	// Contexts is #(c) of each context.
	Contexts []float64
	// Total is Σ_c #(c)^α over the contexts that were counted.
	Total float64
}

// sum sets Total for a smoothing α. It is an error if a context's count or the total is not finite.
func (m *Marginals) sum(smoothing float64) error {
	m.Total = 0
	for c, sum := range m.Contexts {
		if math.IsInf(sum, 1) {
			return fmt.Errorf("sppmi: the counts of context %d sum to more than a float64 holds", c)
		}
		if sum > 0 {
			m.Total += elementary.Pow(sum, smoothing)
		}
	}
	if math.IsInf(m.Total, 1) {
		return fmt.Errorf("sppmi: the counts together sum to more than a float64 holds")
	}
	return nil
}

// (1) as a sum of logarithms, which neither overflows nor underflows:
// ln #(w,c) + (ln Σ − ln s − ln #(w)) − α ln #(c).

// offset is the part of (1) that a word with #(w) = sum has for all contexts.
func (m *Marginals) offset(sum float64, p Params) float64 {
	return elementary.Log(m.Total) - elementary.Log(p.Shift) - elementary.Log(sum)
}

// column is α ln #(c), 0 of a context without counts.
func (m *Marginals) column(context int32, p Params) float64 {
	if m.Contexts[context] > 0 {
		return p.Smoothing * elementary.Log(m.Contexts[context])
	}
	return 0
}

// Row returns (1) of one word that is counted with some contexts, in ascending order, against these marginals. It is
// the row that Compute has for the word, where they are those of its counts. Contexts that these marginals do not
// have are left out, as Compute knows of none. α must be that of Total.
func (m *Marginals) Row(contexts []int32, counts []float64, p Params) (associated []int32, associations []float32) {
	sum := 0.0
	for _, x := range counts {
		sum += x
	}
	offset := m.offset(sum, p)
	for e, x := range counts {
		c := contexts[e]
		if m.Contexts[c] <= 0 {
			continue
		}
		if v := elementary.Log(x) + offset - m.column(c, p); v > noise {
			associated, associations = append(associated, c), append(associations, float32(v))
		}
	}
	return associated, associations
}
