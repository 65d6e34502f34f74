package method

import (
	"context"
	"math"
	"slices"
	"strings"

	"contextmover/cmdlib/sentence"
)

// Which words have vectors of their own, at right angles to all others.
const (
	NoneOwn           = "none"
	UnknownOwn        = "unknown"
	UnknownAndNumbers = "unknown and numbers" // and words with a digit
)

// OwnWords says what vectors are put together for the words of the texts: of length 1 each, followed by
// further vectors of the length BesideScale.
type OwnWords struct {
	// Own says which words get a direction that is drawn for the word alone. In hundreds of dimensions such directions
	// are at right angles to one another and to all others, up to cosines of 1/√dim: the word is like itself alone.
	Own string `toml:"own" default:"none" oneof:"own" help:"words with a vector of their own, like themselves alone"`
	// Beside is the kind of further vectors, "" for none.
	Beside      string  `toml:"beside" oneof:"kinds" help:"further vectors that are concatenated with each word's; empty for none"`
	BesideScale float64 `toml:"beside_scale" default:"1" range:">0" grid:"y" help:"their length"`
}

// Any tells whether vectors are put together.
func (o OwnWords) Any() bool { return o.Own != "" && o.Own != NoneOwn || o.Beside != "" }

func (o OwnWords) counts(name string) bool { return name != "beside_scale" || o.Beside != "" }

// check checks settings with these.
func (o OwnWords) check(settings any, unit bool) error {
	err := check(settings)
	if err == nil && o.Any() && !unit {
		err = wrong("own", "vectors assembled from the vectors of others, unchanged: expected unit = true")
	}
	return err
}

// vectors are those of the words of texts, with what weighs them.
type vectors struct {
	sentence.Points
	terms func(sentence.Sentence) sentence.Sentence // nil for words alone
	kept  *sentence.Components                      // that are removed, nil for none
	pairs []sentence.Pair                           // by the rows of Points.Vectors
}

// known returns the words of each text that the source knows.
func known(s Source, texts []Pair) []sentence.Pair {
	return numbered(s, texts, func(word string) int32 {
		if id, ok := s.ID(word); ok {
			return id
		}
		return -1
	})
}

// numbered returns the numbers of the words of texts, those of −1 left out.
func numbered(s Source, texts []Pair, number func(word string) int32) []sentence.Pair {
	ids := func(text string) (all sentence.Sentence) {
		for _, word := range s.Words(text) {
			if id := number(word); id >= 0 {
				all = append(all, id)
			}
		}
		return all
	}
	pairs := make([]sentence.Pair, len(texts))
	for i, p := range texts {
		pairs[i] = sentence.Pair{A: ids(p.A), B: ids(p.B)}
	}
	return pairs
}

// together returns the vectors that are put together for the words of texts, known or not, which are numbered in the
// order in which they first occur.
func (m Moved) together(ctx context.Context, s Source, texts []Pair) (*vectors, error) {
	var list []string
	var vocabulary []int32 // ids of the source, −1 of words that it does not know
	ids := map[string]int32{}
	v := &vectors{pairs: numbered(s, texts, func(word string) int32 {
		id, seen := ids[word]
		if !seen {
			id = int32(len(list))
			of, known := s.ID(word)
			if !known {
				of = -1
			}
			ids[word], list, vocabulary = id, append(list, word), append(vocabulary, of)
		}
		return id
	})}
	first, dim, err := s.Vectors(ctx, m.Vectors, true)
	if err != nil {
		return nil, err
	}
	var further []float32
	more, scale := 0, 0.0
	if m.Beside != "" {
		scale = m.BesideScale
		if further, more, err = s.Vectors(ctx, m.Beside, false); err != nil {
			return nil, err
		}
	}
	probability, err := s.Probability(ctx, m.Weighting.Marginal())
	if err != nil {
		return nil, err
	}
	v.Weighting, v.Dim = m.Weighting.Sentence(), dim+more
	v.Vectors, v.Probability = make([]float32, len(list)*v.Dim), make([]float64, len(list))
	length := math.Sqrt(1 + float64(scale*scale)) // of a vector that is put together
	seed := s.Seed(OwnStream)
	for i, word := range list {
		to := v.Vectors[i*v.Dim : (i+1)*v.Dim]
		known := false
		if id := int(vocabulary[i]); id >= 0 {
			v.Probability[i] = probability[id]
			copy(to, first[id*dim:][:dim])
			put(to[dim:], further[id*more:][:more], scale)
			known = slices.ContainsFunc(to, func(x float32) bool { return x != 0 })
		}
		number := m.Own == UnknownAndNumbers && strings.ContainsAny(word, "0123456789")
		if m.Own != NoneOwn && !known || number {
			sentence.OwnVector(to, word, length, seed)
		}
	}
	return v, nil
}

// put writes v, scaled to a length, to the beginning of to; nothing if v is zero.
func put(to, v []float32, length float64) {
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
