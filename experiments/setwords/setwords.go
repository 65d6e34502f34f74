// Package setwords puts together what a set of sentence pairs needs that has words of its own: its words, known or not, vectors
// for them, and the pairs that another set does not have.
package setwords

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
)

// Words are the distinct words of a set of sentence pairs, known or not, in the order in which they first occur.
type Words struct {
	List []string
	id   map[string]int32
}

// New collects the words of pairs.
func New(lines []dataset.Pair) *Words {
	s := &Words{id: map[string]int32{}}
	for _, line := range lines {
		for _, text := range []string{line.A, line.B} {
			for _, word := range corpus.Tokenise(text) {
				if _, ok := s.id[word]; !ok {
					s.id[word] = int32(len(s.List))
					s.List = append(s.List, word)
				}
			}
		}
	}
	return s
}

// IDs returns the places in List of the words of a text of the pairs, in order.
func (s *Words) IDs(text string) (ids sentence.Sentence) {
	for _, word := range corpus.Tokenise(text) {
		ids = append(ids, s.id[word])
	}
	return ids
}

// Put writes v, scaled to a length, to the beginning of to; nothing if v is zero.
func Put(to, v []float32, length float64) {
	square := 0.0
	for _, x := range v {
		square += float64(float64(x) * float64(x))
	}
	if square == 0 {
		return
	}
	scale := length / math.Sqrt(square)
	for i, x := range v {
		to[i] = float32(scale * float64(x))
	}
}

// IsZero tells whether all of v is 0.
func IsZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// Own writes a vector of the given length whose direction is drawn for the word alone. In hundreds of dimensions directions so drawn
// are at right angles to one another and to all others, up to cosines of 1/√dim.
func Own(to []float32, word string, length float64, seed uint64) {
	hash := fnv.New64a()
	hash.Write([]byte(word))
	random := rand.New(rand.NewPCG(seed, hash.Sum64()))
	drawn := make([]float32, len(to))
	for i := range drawn {
		drawn[i] = float32(random.NormFloat64())
	}
	Put(to, drawn, length)
}

// Without returns those of the pairs that are not among seen, in either order, by their letters and digits: sets are tokenised in
// different ways. It reuses the memory of pairs.
func Without(pairs, seen []dataset.Pair) []dataset.Pair {
	known := map[[2]string]bool{}
	for _, p := range seen {
		a, b := bare(p.A), bare(p.B)
		known[[2]string{a, b}], known[[2]string{b, a}] = true, true
	}
	return slices.DeleteFunc(pairs, func(p dataset.Pair) bool { return known[[2]string{bare(p.A), bare(p.B)}] })
}

// bare returns the letters and digits of a text, small.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
