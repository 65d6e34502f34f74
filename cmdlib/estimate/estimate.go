// Package estimate makes the distributional estimate of each word: a histogram
// over K clusters of contexts, from the associations of the word with its
// contexts.
//
// With the association A(w,c) of word w with context c and clusters C_1 … C_K,
//
//	A(w,C_k) = Σ_{c ∈ C_k} A(w,c)                                    (1)
//	H̄_k(w)   = A(w,C_k) / n_k                                        (2)
//	H_k(w)   = H̄_k(w) / Σ_l H̄_l(w)                                   (3)
//
// where n_k is given by the Normalisation [Singh et al. 2020, section 6].
package estimate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sparse"
	"contextmover/internal/elementary"
	"contextmover/internal/enum"
	"contextmover/internal/parallel"
)

// Normalisation says what n_k of (2) is.
type Normalisation string

const (
	// None takes n_k = 1.
	None Normalisation = "none"
	// Total takes n_k = (Σ_w A(w,C_k))^β: the form of the paper's code [histograms.py:225]. The paper
	// displays Σ_w A(w,C_k)^β, which is the same for β = 1. With β = 0 it is None.
	Total Normalisation = "total"
	// ClusterSize takes n_k = |C_k|, the number of contexts in the cluster: what
	// the paper's text says of β = 0.
	ClusterSize Normalisation = "cluster size"
)

var normalisations = []Normalisation{None, Total, ClusterSize}

// Params are the parameters of an estimate.
type Params struct {
	Normalisation Normalisation `json:"normalisation"`
	// Beta is β in [0, 1]; only Total uses it.
	Beta float64 `json:"beta"`
}

// Estimates has one histogram per word, in the order of the words.
type Estimates struct {
	// Histograms is |V|×K. A row sums to 1, or is all zeros where Known is false.
	ot.Histograms
	// Known tells of each word whether it is associated with any clustered context.
	// A word that is not has no estimate, and is to be treated as unknown.
	Known []bool
	// Mass is Σ_c A(w,c) of each word, over all contexts, clustered or not.
	Mass []float64
	// Divisors are the n_k of (2), K of them; 0 of a cluster without any association.
	Divisors []float64
}

// rowBlock is a number of rows that take milliseconds.
const rowBlock = 256

// Histograms returns (3) for each row of the associations. assignment gives the
// cluster of each column in [0, k), or −1 for a context that is in none, which is
// dropped. A cluster without any association (n_k = 0) stays empty.
//
// It returns an error for k < 1, for β outside [0, 1], for an assignment that is
// out of range, and for an association that is negative or not finite. It panics
// if the length of assignment is not the number of columns.
func Histograms(
	ctx context.Context, associations *sparse.Matrix[float32], assignment []int32, k int, p Params,
) (*Estimates, error) {
	if len(assignment) != associations.Cols {
		panic(fmt.Sprintf("estimate: %d assignments for %d contexts", len(assignment), associations.Cols))
	}
	if k < 1 {
		return nil, fmt.Errorf("estimate: %d clusters, expected at least 1", k)
	}
	if err := enum.Validate("estimate: unknown normalisation", p.Normalisation, normalisations); err != nil {
		return nil, err
	}
	if !(p.Beta >= 0 && p.Beta <= 1) {
		return nil, fmt.Errorf("estimate: β = %v is not in [0, 1]", p.Beta)
	}
	bin, err := bins(assignment, k)
	if err != nil {
		return nil, err
	}
	size := make([]float64, k+1)
	for _, b := range bin {
		size[b]++
	}

	n := associations.Rows
	e := &Estimates{
		Histograms: ot.Histograms{K: k, Data: make([]float32, n*k)},
		Known:      make([]bool, n),
		Mass:       make([]float64, n),
	}
	partial := make([][]float64, (n+rowBlock-1)/rowBlock)
	err = parallel.Blocks(ctx, n, rowBlock, func(lo, hi int) error {
		totals := make([]float64, k)
		sums := make([]float64, k+1)
		for w := lo; w < hi; w++ {
			index, value := associations.Row(w)
			for i, v := range value {
				if !(v >= 0 && v <= math.MaxFloat32) {
					return fmt.Errorf("estimate: the association of word %d with context %d is %v, expected a finite "+
						"number ≥ 0", w, index[i], v)
				}
			}
			e.Mass[w] = aggregate(index, value, bin, sums, e.Row(w))
			for c, s := range sums[:k] {
				totals[c] += s
			}
		}
		partial[lo/rowBlock] = totals
		return nil
	})
	if err != nil {
		return nil, err
	}

	e.Divisors = make([]float64, k)
	for c := range e.Divisors {
		var divisor float64
		switch p.Normalisation {
		case None:
			divisor = 1
		case Total:
			for _, totals := range partial {
				divisor += totals[c]
			}
			if divisor > 0 {
				divisor = elementary.Pow(divisor, p.Beta)
			}
		case ClusterSize:
			divisor = size[c]
		}
		e.Divisors[c] = divisor
	}
	factor := reciprocals(e.Divisors)
	err = parallel.Blocks(ctx, n, rowBlock, func(lo, hi int) error {
		for w := lo; w < hi; w++ {
			e.Known[w] = normalise(e.Row(w), factor)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}

// bins returns the bin of each context: its cluster, or k for none. A cluster that is none of k is an error.
func bins(assignment []int32, k int) ([]int32, error) {
	bin := slices.Clone(assignment)
	for c, cluster := range assignment {
		if cluster < -1 || int(cluster) >= k {
			return nil, fmt.Errorf("estimate: context %d is in cluster %d, expected one in [0, %d), or -1 for none",
				c, cluster, k)
		}
		if cluster < 0 {
			bin[c] = int32(k)
		}
	}
	return bin, nil
}

// aggregate sets sums, of k+1 elements, to (1) of a word, and
// row to the first k as shares of the mass, which it returns.
func aggregate(contexts []int32, values []float32, bin []int32, sums []float64, row []float32) (mass float64) {
	clear(sums)
	for i, v := range values {
		sums[bin[contexts[i]]] += float64(v)
	}
	for _, s := range sums {
		mass += s
	}
	for c, s := range sums[:len(row)] {
		// Scaled by the mass, so that no sum is too large for a float32.
		if s > 0 {
			row[c] = float32(s / mass)
		}
	}
	return mass
}

// reciprocals are the factors of the bins in (2).
func reciprocals(divisors []float64) []float64 {
	factor := make([]float64, len(divisors))
	for c, d := range divisors {
		if d > 0 {
			factor[c] = 1 / d
		}
	}
	return factor
}

// normalise makes (1) of a word, up to a factor, (3) of it; it tells whether there is any.
func normalise(row []float32, factor []float64) bool {
	sum := 0.0
	for c, v := range row {
		sum += float64(float64(v) * factor[c])
	}
	if !(sum > 0) {
		clear(row)
		return false
	}
	for c, v := range row {
		row[c] = float32(float64(v) * factor[c] / sum)
	}
	return true
}

// Clusters are the clusters of contexts of estimates that have been made; they make those of further words.
type Clusters struct {
	bin    []int32
	factor []float64
}

// NewClusters returns the clusters of an assignment of contexts, as Histograms takes it, and of the divisors that it
// returned. A context in no such cluster is an error.
func NewClusters(assignment []int32, divisors []float64) (*Clusters, error) {
	bin, err := bins(assignment, len(divisors))
	if err != nil {
		return nil, err
	}
	return &Clusters{bin, reciprocals(divisors)}, nil
}

// Histogram returns (3) of a word with these associations, contexts in ascending order and values ≥ 0: that which
// Histograms has for it where the associations are those of a row. It returns nil for a word that is associated
// with no clustered context.
func (c *Clusters) Histogram(contexts []int32, values []float32) []float32 {
	row := make([]float32, len(c.factor))
	aggregate(contexts, values, c.bin, make([]float64, len(row)+1), row)
	if !normalise(row, c.factor) {
		return nil
	}
	return row
}
