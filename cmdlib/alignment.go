package cmdlib

import (
	"context"
	"math"
	"strings"

	"contextmover/cmdlib/align"
	"contextmover/cmdlib/corpus"
)

// Alignment tells which words of two texts mean the same.
type Alignment struct {
	// From and To are the words of the texts, in order.
	From, To []string
	// Links are the pairs of words, by their positions. Strength[i][j] is how strongly From[i] and To[j] are linked;
	// see align.Aligner.Strengths.
	Links    []align.Link
	Strength [][]float64
}

// Align links the words of two texts that mean the same, by align.Default: partial transport between the words at a
// cost of letters, vectors and the words next to them. Words that the space does not know are linked by their letters.
// A space without vectors has ErrNoVectors.
func Align(ctx context.Context, s *Space, from, to string) (*Alignment, error) {
	if !s.HasVectors() {
		return nil, ErrNoVectors
	}
	a := &Alignment{From: s.vectorWords(from), To: s.vectorWords(to)}
	source := align.Words{Text: a.From, Vectors: s.WordVectors(a.From)}
	target := align.Words{Text: a.To, Vectors: s.WordVectors(a.To)}
	aligner, places := align.Default(s.Engine)
	cost := align.Cosines(source, target)
	places.Change(cost, a.From, a.To)
	strength, err := aligner.Strengths(ctx, len(a.From), len(a.To), cost)
	if err != nil {
		return nil, err
	}
	a.Links = align.Above(strength, len(a.To), aligner.Threshold)
	for i := range a.From {
		a.Strength = append(a.Strength, strength[i*len(a.To):(i+1)*len(a.To)])
	}
	return a, nil
}

// WordVectors returns the vector of each word in the space, of length 1 and Dim numbers, nil where there is none. A
// word that the space does not know in lower case has the mean direction of the parts that Tokenise makes of it and
// those between hyphens. So 's has that of s, and two-thirds that of its parts.
func (s *Data) WordVectors(words []string) [][]float32 {
	vectors := make([][]float32, len(words))
	for i, word := range words {
		vectors[i] = s.wordVector(corpus.LowerWord(word))
	}
	return vectors
}

func (s *Data) wordVector(word string) []float32 {
	if !s.HasVectors() {
		return nil
	}
	v := make([]float32, s.Dim)
	if id, ok := s.id(word); ok && s.Vector(v, id) {
		return v
	}
	sum := make([]float64, s.Dim)
	for _, token := range corpus.Tokenise(word) {
		for _, part := range strings.FieldsFunc(token, func(r rune) bool { return r == '-' || r == '`' || r == '\'' }) {
			if id, ok := s.id(part); ok && s.Vector(v, id) {
				for k, x := range v {
					sum[k] += float64(x)
				}
			}
		}
	}
	squares := 0.0
	for _, x := range sum {
		squares += float64(x * x)
	}
	if squares == 0 {
		return nil
	}
	for k, x := range sum {
		v[k] = float32(x / math.Sqrt(squares))
	}
	return v
}
