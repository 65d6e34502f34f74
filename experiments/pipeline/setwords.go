package pipeline

import (
	"context"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/profile"
)

// setWords are the distinct words of a set of sentence pairs, known or not, in the order in which they first occur.
type setWords struct {
	words []string
	id    map[string]int32
}

func newSetWords(pairs *SentencePairs) *setWords {
	s := &setWords{id: map[string]int32{}}
	for _, line := range pairs.Lines {
		for _, text := range []string{line.A, line.B} {
			for _, word := range corpus.Tokenise(text) {
				if _, ok := s.id[word]; !ok {
					s.id[word] = int32(len(s.words))
					s.words = append(s.words, word)
				}
			}
		}
	}
	return s
}

func (s *setWords) ids(text string) (ids sentence.Sentence) {
	for _, word := range corpus.Tokenise(text) {
		ids = append(ids, s.id[word])
	}
	return ids
}

// setWordsParams is what the vectors of a set's words depend on, beside the vectors that they are put together of.
type setWordsParams struct {
	Own    string  `json:"own"`
	Seed   uint64  `json:"seed"`
	Beside string  `json:"beside,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
}

func (w *Workspace) setWordsParams(row profile.Row) *setWordsParams {
	p := &setWordsParams{Own: row.Own, Seed: Seed(w.Profile.Seed, "vectors of their own")}
	if row.Beside != "" {
		p.Beside, p.Scale = profile.KindName(row.Beside), row.BesideScale
	}
	return p
}

// points returns the vectors and weights that a row takes of the words of a set; and where these are the words of the
// vocabulary, its vectors.
func (w *Workspace) points(ctx context.Context, p ScoreParams, row profile.Row, set profile.Set) (sentence.Points, *embedding.Vectors, error) {
	vectors, err := w.rowVectors(ctx, row)
	if err != nil {
		return sentence.Points{}, nil, err
	}
	probability, err := w.Probability(ctx, p.PointMarginal)
	points := sentence.Points{Vectors: vectors.Data, Dim: vectors.Dim, Probability: probability, Weighting: p.Points}
	if err != nil || p.Sets == nil {
		return points, vectors, err
	}
	pairs, err := w.ReadPairs(ctx, set)
	if err != nil {
		return points, nil, err
	}
	beside := &embedding.Vectors{}
	if row.Beside != "" {
		if beside, err = w.VectorsOf(ctx, row.Beside); err != nil {
			return points, nil, err
		}
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return points, nil, err
	}
	words := newSetWords(pairs).words
	points.Dim = vectors.Dim + beside.Dim
	points.Vectors, points.Probability = make([]float32, len(words)*points.Dim), make([]float64, len(words))
	length := math.Sqrt(1 + p.Sets.Scale*p.Sets.Scale) // of a vector that is put together
	for i, word := range words {
		to := points.Vectors[i*points.Dim : (i+1)*points.Dim]
		id, known := v.ID(word)
		if known {
			points.Probability[i] = probability[id]
			put(to, vectors.Row(int(id)), 1)
			if row.Beside != "" {
				put(to[vectors.Dim:], beside.Row(int(id)), p.Sets.Scale)
			}
			known = !zero(to)
		}
		number := p.Sets.Own == profile.UnknownAndNumbers && strings.ContainsAny(word, "0123456789")
		if p.Sets.Own != profile.NoneOwn && !known || number {
			own(to, word, length, p.Sets.Seed)
		}
	}
	return points, nil, nil
}

// put writes v, scaled to a length, to the beginning of to; nothing if v is zero.
func put(to, v []float32, length float64) {
	square := 0.0
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return
	}
	scale := length / math.Sqrt(square)
	for i, x := range v {
		to[i] = float32(scale * float64(x))
	}
}

func zero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// own writes a vector of the given length whose direction is drawn for the word alone. In hundreds of dimensions directions so drawn
// are at right angles to one another and to all others, up to cosines of 1/√dim.
func own(to []float32, word string, length float64, seed uint64) {
	hash := fnv.New64a()
	hash.Write([]byte(word))
	random := rand.New(rand.NewPCG(seed, hash.Sum64()))
	drawn := make([]float32, len(to))
	for i := range drawn {
		drawn[i] = float32(random.NormFloat64())
	}
	put(to, drawn, length)
}
