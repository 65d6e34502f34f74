package uses

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
)

// Settings of vectors that are made of each period's uses alone.
const (
	least     = 5 // occurrences of a word in either period
	window    = 10
	dim       = 100
	smoothing = 0.75
)

// trained returns how far each word moved by vectors that are made of each period's uses alone, singular vectors of
// positive associations: 1 − cosine after an orthogonal Procrustes alignment by all words [Hamilton, Leskovec,
// Jurafsky 2016], and the share of neighbours in the one period that are none in the other [Gonen et al. 2020].
func trained(ctx context.Context, words [][2][]corpus.Occurrence, seed uint64) (apart, unlike []float64, err error) {
	var texts [2][][]string
	counts := make(map[string]*[2]int)
	var known []string // in the order of the text
	for i, periods := range words {
		for side, list := range periods {
			for _, o := range list {
				sentence := slices.Clone(o.Sentence)
				sentence[o.At] = name(i)
				texts[side] = append(texts[side], sentence)
				for _, token := range sentence {
					if counts[token] == nil {
						counts[token] = new([2]int)
						known = append(known, token)
					}
					counts[token][side]++
				}
			}
		}
	}
	ids := make(map[string]int32)
	for _, token := range known {
		if n := counts[token]; min(n[0], n[1]) >= least {
			ids[token] = int32(len(ids))
		}
	}
	var x [2]*mat.Dense // rows have length 1
	for side := range texts {
		counts := cooccurrences(texts[side], ids)
		associations, err := sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: smoothing, Shift: 1})
		if err != nil {
			return nil, nil, err
		}
		p := svd.Params{Dim: min(dim, len(ids)), Oversampling: 20, PowerIterations: 3, Seed: seed}
		r, err := svd.Compute(ctx, associations, p, nil)
		if err != nil {
			return nil, nil, err
		}
		x[side] = mat.NewDense(len(ids), p.Dim, nil)
		for i := range len(ids) {
			row := x[side].RawRowView(i)
			for j := range row {
				row[j] = float64(r.Vectors[i*p.Dim+j])
			}
			normalise(row)
		}
	}
	rotation, err := procrustes(x[0], x[1])
	if err != nil {
		return nil, nil, err
	}
	var rotated, first, second mat.Dense
	rotated.Mul(x[0], rotation)
	first.Mul(x[0], x[0].T())
	second.Mul(x[1], x[1].T())
	for i := range words {
		id, ok := ids[name(i)]
		if !ok {
			return nil, nil, fmt.Errorf("uses: word %d has fewer than %d uses in a period", i+1, least)
		}
		at := int(id)
		apart = append(apart, 1-cosine(rotated.RawRowView(at), x[1].RawRowView(at)))
		unlike = append(unlike, unshared(others(first.RawRowView(at), at), others(second.RawRowView(at), at)))
	}
	return apart, unlike, nil
}

// name is the token that stands for all forms of a word where its use is.
func name(word int) string { return fmt.Sprintf("\x00%d", word) }

// others are the nearest but the word itself.
func others(likeness []float64, self int) []int {
	likeness[self] = -2 // below any cosine
	return largest(likeness)
}

// cooccurrences counts as corpus.Count does, but for words that are left out: these take a place.
func cooccurrences(text [][]string, ids map[string]int32) *sparse.Matrix[float64] {
	rows := make([]map[int32]float64, len(ids))
	for i := range rows {
		rows[i] = make(map[int32]float64)
	}
	for _, sentence := range text {
		for i, token := range sentence {
			a, ok := ids[token]
			for j := max(0, i-window); ok && j < min(len(sentence), i+window+1); j++ {
				if b, ok := ids[sentence[j]]; ok && j != i {
					rows[a][b] += 1 / float64(max(i-j, j-i))
				}
			}
		}
	}
	m := &sparse.Matrix[float64]{Rows: len(ids), Cols: len(ids), Start: []int64{0}}
	for _, row := range rows {
		for _, c := range slices.Sorted(maps.Keys(row)) {
			m.Index, m.Value = append(m.Index, c), append(m.Value, row[c])
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}

// procrustes returns the orthogonal matrix R that minimises ‖x·R − y‖: U·Vᵀ of xᵀy = U·Σ·Vᵀ [Schönemann 1966].
func procrustes(x, y *mat.Dense) (*mat.Dense, error) {
	var product, u, v, r mat.Dense
	product.Mul(x.T(), y)
	var d mat.SVD
	if !d.Factorize(&product, mat.SVDThin) {
		return nil, fmt.Errorf("uses: no singular values of the product of both periods' vectors")
	}
	d.UTo(&u)
	d.VTo(&v)
	r.Mul(&u, v.T())
	return &r, nil
}
