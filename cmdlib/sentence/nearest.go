package sentence

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/internal/pairwise"
	"contextmover/internal/parallel"
)

// NearestWords scores a pair by how near each word is to the nearest word of the other side: with the weights w of
// Points,
//
//	F = 2PR/(P + R),  P = Σ_i w_i max_j cos(x_i, y_j) / Σ_i w_i
//
// and R the same from the words y_j to the x_i; F is the lesser of P and R where one of them is not above 0. This is
// the greedy matching of Rus and Lintean [2012], with the harmonic mean of BERTScore [Zhang et al. 2020], or a word
// mover's distance that is relaxed on both sides. A word that occurs twice counts twice, one whose vector is all zeros
// not at all.
type NearestWords struct{ Points Points }

// Score returns F. A pair is covered if both sides have a word with a vector.
func (n NearestWords) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if err := n.Points.validate(); err != nil {
		return Scores{}, err
	}
	sentences, first, second := distinct(pairs)
	if err := checkWords(sentences, len(n.Points.Vectors)/n.Points.Dim); err != nil {
		return Scores{}, err
	}
	bags := make([]*Bag, len(sentences))
	err := parallel.Blocks(ctx, len(sentences), 64, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			bags[i] = n.Points.bag(sentences[i])
		}
		return nil
	})
	if err != nil {
		return Scores{}, err
	}

	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	err = parallel.Blocks(ctx, len(pairs), 64, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			x, y := bags[first[i]], bags[second[i]]
			value[i], covered[i] = x.Similarity(y), len(x.weights) > 0 && len(y.weights) > 0
		}
		return nil
	})
	if err != nil {
		return Scores{}, fmt.Errorf("sentence: pairs by nearest words: %w", err)
	}
	return newScores(value, covered), nil
}

// bag returns the words of a sentence that have a vector.
func (p Points) bag(s Sentence) *Bag {
	var vectors [][]float32
	var weights []float64
	for _, word := range s {
		vectors, weights = append(vectors, p.row(word)), append(weights, p.Weighting.weight(word, p.Probability))
	}
	return NewBag(vectors, weights)
}

// Bag is the words of a sentence as NearestWords takes them: vectors and weights, in an order that does not depend on
// that of the sentence, so that equal bags give equal bits.
type Bag struct {
	place   []int // of each word in the sentence
	vectors [][]float32
	lengths []float64
	weights []float64
	weight  float64 // the sum of weights
}

// NewBag returns the words with these vectors, all of one length, and weights > 0. Words whose vector is all zeros are
// left out. The vectors are kept, and must not be changed.
func NewBag(vectors [][]float32, weights []float64) *Bag {
	b := new(Bag)
	for i, v := range vectors {
		if !isZero(v) {
			b.place = append(b.place, i)
		}
	}
	slices.SortStableFunc(b.place, func(i, j int) int {
		return cmp.Or(slices.Compare(vectors[i], vectors[j]), cmp.Compare(weights[i], weights[j]))
	})
	for _, i := range b.place {
		square := 0.0
		for _, x := range vectors[i] {
			square += float64(float64(x) * float64(x))
		}
		b.vectors, b.lengths = append(b.vectors, vectors[i]), append(b.lengths, math.Sqrt(square))
		b.weights = append(b.weights, weights[i])
		b.weight += weights[i]
	}
	return b
}

// Similarity returns F of two bags as NearestWords scores them, 0 where one has no word.
func (b *Bag) Similarity(other *Bag) float64 {
	if len(b.weights) == 0 || len(other.weights) == 0 {
		return 0
	}
	to, from := b.match(other)
	return harmonic(b.mean(to), other.mean(from))
}

// Parts returns what each word of a sentence brings to the Similarity with another one: parts[i][j] of its word i and
// the other's word j, whose sum is F up to rounding. With c_i the largest cosine of x_i, at y_j, and d_j that of y_j,
//
//	F = R/(P + R) Σ_i w_i c_i / Σ_i w_i + P/(P + R) Σ_j w_j d_j / Σ_j w_j
//
// n and m are the numbers of words of the sentences, also those that the bags left out.
func (b *Bag) Parts(other *Bag, n, m int) [][]float64 {
	parts := make([][]float64, n)
	for i := range parts {
		parts[i] = make([]float64, m)
	}
	if len(b.weights) == 0 || len(other.weights) == 0 {
		return parts
	}
	to, from := b.match(other)
	p, r := b.mean(to), other.mean(from)
	forth, back := r/(p+r), p/(p+r)
	if p <= 0 || r <= 0 { // the lesser of them alone
		forth, back = 1, 0
		if r < p {
			forth, back = 0, 1
		}
	}
	for i, w := range b.weights {
		parts[b.place[i]][other.place[to[i].word]] += forth * w * to[i].cosine / b.weight
	}
	for j, w := range other.weights {
		parts[b.place[from[j].word]][other.place[j]] += back * w * from[j].cosine / other.weight
	}
	return parts
}

// nearWord is the word that is nearest to another one, the first of equally near ones.
type nearWord struct {
	word   int
	cosine float64
}

// match returns the nearest word of the other bag to each word, and to each word of the other.
func (b *Bag) match(other *Bag) (to, from []nearWord) {
	to, from = make([]nearWord, len(b.weights)), make([]nearWord, len(other.weights))
	for i := range to {
		to[i].cosine = math.Inf(-1)
	}
	for j := range from {
		from[j].cosine = math.Inf(-1)
	}
	products := pairwise.Products(nil, b.vectors, other.vectors)
	for i, x := range b.lengths {
		for j, y := range other.lengths {
			c := min(1, products[i*len(other.lengths)+j]/(x*y))
			if slices.Equal(b.vectors[i], other.vectors[j]) {
				c = 1 // whatever rounding makes of it
			}
			if c > to[i].cosine {
				to[i] = nearWord{j, c}
			}
			if c > from[j].cosine {
				from[j] = nearWord{i, c}
			}
		}
	}
	return to, from
}

// mean returns the weighted mean of the cosines.
func (b *Bag) mean(nearest []nearWord) float64 {
	sum := 0.0
	for i, w := range b.weights {
		sum += float64(w * nearest[i].cosine)
	}
	return sum / b.weight
}

// harmonic returns the harmonic mean of two numbers, the lesser of them where one is not above 0.
func harmonic(p, r float64) float64 {
	if p <= 0 || r <= 0 {
		return min(p, r)
	}
	return 2 * p * r / (p + r)
}
