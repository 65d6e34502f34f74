package sentence

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/internal/elementary"
)

// WordMoverFeatures scores a pair by the cosine of what each sentence's word mover's distances to random
// documents make: word mover's embeddings [Wu, Yen, Xu, Xu, Balakrishnan, Chen, Ravikumar, Witbrock 2018],
//
//	φ_r(s) = exp(−Gamma·WMD(s, document r)),   r = 1 … Documents
//
// A document has 1 to Length words of the same share. Their number and their vectors are uniform, the latter between
// the least and the greatest value of each component of the vocabulary's.
type WordMoverFeatures struct {
	Points    Points
	Documents int // at least 1
	Length    int // at least 1
	// Gamma > 0, for distances in units of the root mean square length of the vocabulary's vectors.
	Gamma float64
	Seed  uint64
	// Kept, if not nil, returns what costs computes, or computed before from the same sentences,
	// points, documents, lengths and seed: all γ share it, and it takes longer than all else.
	Kept func(ctx context.Context, costs func(ctx context.Context) ([]float64, error)) ([]float64, error)
}

// Score returns the cosines of features, in [0, 1]. A pair is covered if both sides have a word with a vector.
func (f WordMoverFeatures) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if err := f.Points.validate(); err != nil {
		return Scores{}, err
	}
	if f.Documents < 1 || f.Length < 1 || !(f.Gamma > 0) || math.IsInf(f.Gamma, 1) {
		return Scores{}, fmt.Errorf("sentence: %d random documents of up to %d words with γ = %v, expected at least "+
			"one of each and a positive number", f.Documents, f.Length, f.Gamma)
	}
	sentences, first, second := distinct(pairs)
	mover := WordMover{Points: f.Points}
	clouds, err := mover.clouds(ctx, sentences)
	if err != nil {
		return Scores{}, err
	}
	documents, unit, err := f.documents()
	if err != nil {
		return Scores{}, err
	}
	costs := func(ctx context.Context) ([]float64, error) { return f.costs(ctx, clouds, documents) }
	var moved []float64
	if f.Kept != nil {
		moved, err = f.Kept(ctx, costs)
	} else {
		moved, err = costs(ctx)
	}
	if err != nil {
		return Scores{}, err
	}
	n := len(documents)
	if len(moved) != len(clouds)*n {
		return Scores{}, fmt.Errorf("sentence: %d costs were kept for %d sentences and %d documents",
			len(moved), len(clouds), n)
	}
	features := make([][]float64, len(clouds))
	for i, c := range clouds {
		if len(c.mass) == 0 {
			continue
		}
		features[i] = make([]float64, n)
		for r, cost := range moved[i*n : (i+1)*n] {
			features[i][r] = elementary.Exp(-f.Gamma * cost / unit)
		}
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	for i := range pairs {
		a, b := features[first[i]], features[second[i]]
		if covered[i] = a != nil && b != nil; covered[i] {
			value[i] = Similarity(a, b)
		}
	}
	return newScores(value, covered), nil
}

// costs returns the cost from each sentence to each document, a row for each sentence; 0 for one without words.
func (f WordMoverFeatures) costs(ctx context.Context, clouds, documents []cloud) ([]float64, error) {
	mover, n := WordMover{Points: f.Points}, len(documents)
	all := make([]float64, len(clouds)*n)
	var moved []int
	for i := range clouds {
		if len(clouds[i].mass) > 0 {
			moved = append(moved, i)
		}
	}
	distances, err := mover.distances(ctx, len(moved)*n, func(i int) (x, y cloud) {
		return clouds[moved[i/n]], documents[i%n]
	})
	if err != nil {
		return nil, fmt.Errorf("sentence: random documents: %w", err)
	}
	for i, d := range distances {
		all[moved[i/n]*n+i%n] = d
	}
	return all, nil
}

// documents draws the random documents, and returns the root mean square length of the vocabulary's vectors.
func (f WordMoverFeatures) documents() (documents []cloud, unit float64, err error) {
	p := f.Points
	least, greatest := make([]float32, p.Dim), make([]float32, p.Dim)
	n := 0
	for at := 0; at < len(p.Vectors); at += p.Dim {
		v := p.Vectors[at : at+p.Dim]
		if isZero(v) {
			continue
		}
		for k, x := range v {
			if n == 0 {
				least[k], greatest[k] = x, x
			}
			least[k], greatest[k] = min(least[k], x), max(greatest[k], x)
			unit += float64(float64(x) * float64(x))
		}
		n++
	}
	if n == 0 {
		return nil, 0, errors.New("sentence: no word has a vector, expected at least one")
	}
	random := rand.New(rand.NewPCG(f.Seed, 0))
	for range f.Documents {
		words := 1 + random.IntN(f.Length)
		var d cloud
		for range words {
			v := make([]float32, p.Dim)
			for k := range v {
				v[k] = least[k] + float32((greatest[k]-least[k])*random.Float32())
			}
			d.points, d.mass = append(d.points, v), append(d.mass, 1/float64(words))
		}
		documents = append(documents, d)
	}
	return documents, math.Sqrt(unit / float64(n)), nil
}
