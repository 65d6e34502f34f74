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

	"contextmover/cmdlib/internal/enum"
	"contextmover/cmdlib/internal/parallel"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sparse"
)

// Normalisation says what n_k of (2) is.
type Normalisation string

const (
	// None takes n_k = 1.
	None Normalisation = "none"
	// Total takes n_k = (Σ_w A(w,C_k))^β: the form of the paper's code. The paper
	// displays Σ_w A(w,C_k)^β, which is the same for β = 1. With β = 0 it is None.
	Total Normalisation = "total"
	// ClusterSize takes n_k = |C_k|, the number of contexts in the cluster: what
	// the paper's text says of β = 0.
	ClusterSize Normalisation = "cluster size"
)

var normalisations = []Normalisation{None, Total, ClusterSize}

// Validate returns an error if n is no normalisation.
func (n Normalisation) Validate() error {
	return enum.Validate("estimate: unknown normalisation", n, normalisations)
}

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
func Histograms(ctx context.Context, associations *sparse.Matrix[float32], assignment []int32, k int, p Params) (*Estimates, error) {
	if len(assignment) != associations.Cols {
		panic(fmt.Sprintf("estimate: %d assignments for %d contexts", len(assignment), associations.Cols))
	}
	if k < 1 {
		return nil, fmt.Errorf("estimate: %d clusters, expected at least 1", k)
	}
	if err := p.Normalisation.Validate(); err != nil {
		return nil, err
	}
	if !(p.Beta >= 0 && p.Beta <= 1) {
		return nil, fmt.Errorf("estimate: β = %v is not in [0, 1]", p.Beta)
	}
	size := make([]float64, k)
	bin := make([]int32, len(assignment)) // the assignment, with bin k for none
	for c, cluster := range assignment {
		if cluster < -1 || int(cluster) >= k {
			return nil, fmt.Errorf("estimate: context %d is in cluster %d, expected one in [0, %d), or -1 for none", c, cluster, k)
		}
		if bin[c] = cluster; cluster < 0 {
			bin[c] = int32(k)
		} else {
			size[cluster]++
		}
	}

	n := associations.Rows
	e := &Estimates{
		Histograms: ot.Histograms{K: k, Data: make([]float32, n*k)},
		Known:      make([]bool, n),
		Mass:       make([]float64, n),
	}
	partial := make([][]float64, (n+rowBlock-1)/rowBlock)
	err := parallel.Blocks(ctx, n, rowBlock, func(lo, hi int) error {
		totals := make([]float64, k)
		sums := make([]float64, k+1)
		for w := lo; w < hi; w++ {
			clear(sums)
			index, value := associations.Row(w)
			for i, v := range value {
				if !(v >= 0 && v <= math.MaxFloat32) {
					return fmt.Errorf("estimate: the association of word %d with context %d is %v, expected a finite number ≥ 0", w, index[i], v)
				}
				sums[bin[index[i]]] += float64(v)
			}
			mass := 0.0
			for _, s := range sums {
				mass += s
			}
			e.Mass[w] = mass
			row := e.Row(w)
			for c, s := range sums[:k] {
				totals[c] += s
				// Scaled by the mass, so that no sum is too large for a float32.
				if s > 0 {
					row[c] = float32(s / mass)
				}
			}
		}
		partial[lo/rowBlock] = totals
		return nil
	})
	if err != nil {
		return nil, err
	}

	factor := make([]float64, k)
	for c := range factor {
		var divisor float64
		switch p.Normalisation {
		case None:
			divisor = 1
		case Total:
			for _, totals := range partial {
				divisor += totals[c]
			}
			if divisor > 0 {
				divisor = math.Pow(divisor, p.Beta)
			}
		case ClusterSize:
			divisor = size[c]
		}
		if divisor > 0 {
			factor[c] = 1 / divisor
		}
	}
	err = parallel.Blocks(ctx, n, rowBlock, func(lo, hi int) error {
		for w := lo; w < hi; w++ {
			row := e.Row(w)
			sum := 0.0
			for c, v := range row {
				sum += float64(v) * factor[c]
			}
			if e.Known[w] = sum > 0; !e.Known[w] {
				clear(row)
				continue
			}
			for c, v := range row {
				row[c] = float32(float64(v) * factor[c] / sum)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return e, nil
}
