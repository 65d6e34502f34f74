package sentence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"contextmover/internal/parallel"
)

// Points makes one point of a sentence, the weighted average of the vectors of its
// words.
type Points struct {
	// Vectors is words×Dim; row i is the vector of word i. A word whose vector is all
	// zeros has none, and is left out of averages and not counted.
	Vectors []float32
	Dim     int
	// Probability is p(w) of each word; uniform weights do not need it.
	Probability []float64
	Weighting   Weighting
}

func (p Points) validate() error {
	if p.Dim < 1 {
		return fmt.Errorf("sentence: vectors of dimension %d, expected at least 1", p.Dim)
	}
	if len(p.Vectors)%p.Dim != 0 {
		return fmt.Errorf("sentence: %d coordinates of vectors, not a multiple of the dimension %d",
			len(p.Vectors), p.Dim)
	}
	return p.Weighting.validate(len(p.Vectors)/p.Dim, p.Probability)
}

// average writes the point of s to dst and tells whether there is one: whether a
// word of s has a vector.
func (p Points) average(dst []float64, s Sentence) bool {
	clear(dst)
	count, total := 0.0, 0.0
	for _, word := range p.ordered(s) {
		v := p.row(word)
		if isZero(v) {
			continue
		}
		w := p.Weighting.weight(word, p.Probability)
		for i, x := range v {
			dst[i] += float64(w * float64(x))
		}
		count++
		total += w
	}
	if count == 0 {
		return false
	}
	if p.Weighting.Scheme == SIF {
		total = count
	}
	for i := range dst {
		dst[i] /= total
	}
	return true
}

// Averages returns the averages of sentences, len(sentences)×Dim, and which have one: others have zeros.
func (p Points) Averages(ctx context.Context, sentences []Sentence) (rows []float64, covered []bool, err error) {
	if err := p.validate(); err != nil {
		return nil, nil, err
	}
	if err := checkWords(sentences, len(p.Vectors)/p.Dim); err != nil {
		return nil, nil, err
	}
	rows, covered = make([]float64, len(sentences)*p.Dim), make([]bool, len(sentences))
	err = parallel.Blocks(ctx, len(sentences), 256, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			covered[i] = p.average(rows[i*p.Dim:(i+1)*p.Dim], sentences[i])
		}
		return nil
	})
	return rows, covered, err
}

func isZero(v []float32) bool { return !slices.ContainsFunc(v, func(x float32) bool { return x != 0 }) }

// sides returns the points of the first and of the second sentences of pairs, each
// len(pairs)×Dim, and for each pair whether both have one. A sentence without has zeros.
// So many principal components of each batch and side are removed; batch 0 makes all pairs one batch.
func (p Points) sides(
	ctx context.Context, pairs []Pair, components, batch int,
) (a, b []float64, covered []bool, err error) {
	first, second := make([]Sentence, len(pairs)), make([]Sentence, len(pairs))
	for i, pair := range pairs {
		first[i], second[i] = pair.A, pair.B
	}
	if a, covered, err = p.Averages(ctx, first); err != nil {
		return nil, nil, nil, err
	}
	b, other, err := p.Averages(ctx, second)
	for i, ok := range other {
		covered[i] = covered[i] && ok
	}
	if err != nil || components == 0 || len(pairs) == 0 {
		return a, b, covered, err
	}
	if batch == 0 {
		batch = len(pairs)
	}
	for lo := 0; lo < len(pairs); lo += batch {
		hi := min(lo+batch, len(pairs))
		for _, side := range [][]float64{a, b} {
			if err := removeDirections(ctx, side[lo*p.Dim:hi*p.Dim], p.Dim, components); err != nil {
				return nil, nil, nil, err
			}
		}
	}
	return a, b, covered, nil
}

// unit is the number of pairs that are looked at together: all that share a
// principal components, and not too few.
func unit(pairs, components, batch int) int {
	const enough = 4096
	switch {
	case components == 0:
		return enough
	case batch == 0:
		return max(pairs, 1)
	default:
		batch = min(batch, max(pairs, 1))
		return (enough + batch - 1) / batch * batch
	}
}

var errBatch = errors.New(
	"sentence: the batch of the principal component is negative, expected a number of pairs, or 0 for all of them",
)

// VectorAverage scores a pair by the cosine of its points. With uniform weights this is a mean of word vectors
// (NBoW), with SIF weights it is SIF [Arora, Liang, Ma 2017], with one of Components SIF+PC, with five near
// uSIF [Ethayarajh 2018]. The paper's NBoW row, made by the code of SIF, has SIF weights with a = 1.
type VectorAverage struct {
	Points
	// Components is the number m of principal components that are removed, 0 or more. With v_i the
	// right singular vectors of the matrix of points, which is not centred, of the first sentences of
	// the data set, and separately of the second ones, and σ_i its singular values, a point x becomes
	//
	//	x − Σ_i≤m σ_i²/(σ_1² + … + σ_m²) (x·v_i) v_i
	//
	// so that one component is removed altogether, and of several each by its
	// share [Ethayarajh 2018, Unsupervised Random Walk Sentence Embeddings].
	Components int
	// PCBatch, if not 0, removes them per batch of that many consecutive pairs instead
	// of per data set. A batch of a single pair loses its points altogether.
	PCBatch int
	// Fixed, if not nil, are components that are removed from all points, whatever the pairs.
	Fixed *Components
	// Terms, if not nil, returns what a sentence is averaged of, such as its words and bigrams, by their
	// rows in Vectors. It is called from one goroutine.
	Terms func(s Sentence) Sentence
}

// Score returns the cosines, in [−1, 1]; 0 where a point is the zero vector, which
// may be all that the principal components leave. A pair is covered if both sides have a
// word with a vector.
func (v VectorAverage) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if err := v.validate(); err != nil {
		return Scores{}, err
	}
	if v.PCBatch < 0 {
		return Scores{}, errBatch
	}
	if v.Components < 0 {
		return Scores{}, fmt.Errorf("sentence: %d principal components to remove, expected 0 or more", v.Components)
	}
	if v.Terms != nil {
		terms := make([]Pair, len(pairs))
		for i, pair := range pairs {
			terms[i] = Pair{v.Terms(pair.A), v.Terms(pair.B)}
		}
		pairs = terms
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	size := unit(len(pairs), v.Components, v.PCBatch)
	for lo := 0; lo < len(pairs); lo += size {
		hi := min(lo+size, len(pairs))
		a, b, known, err := v.sides(ctx, pairs[lo:hi], v.Components, v.PCBatch)
		if err != nil {
			return Scores{}, err
		}
		copy(covered[lo:], known)
		if v.Fixed != nil {
			v.Fixed.removeAll(a, v.Dim)
			v.Fixed.removeAll(b, v.Dim)
		}
		for i := range known {
			value[lo+i] = Similarity(a[i*v.Dim:(i+1)*v.Dim], b[i*v.Dim:(i+1)*v.Dim])
		}
	}
	return newScores(value, covered), nil
}

// Similarity returns the cosine of x and y, in [−1, 1]: exactly 1 of equal ones, 0 where one is all zeros.
func Similarity(x, y []float64) float64 {
	var xy, xx, yy float64
	for i := range x {
		xy += float64(x[i] * y[i])
		xx += float64(x[i] * x[i])
		yy += float64(y[i] * y[i])
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	if xx == yy {
		return max(-1, min(1, xy/xx)) // a product of two roots would round
	}
	return max(-1, min(1, xy/(math.Sqrt(xx)*math.Sqrt(yy))))
}
