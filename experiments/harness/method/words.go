package method

import (
	"context"
	"math"
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

func (o OwnWords) check(unit bool) error {
	if o.Any() && !unit {
		return wrong("own", "vectors assembled from the vectors of others, unchanged: expected unit = true")
	}
	return nil
}

// vectors are those of the words of texts, with what weighs them.
type vectors struct {
	sentence.Points
	terms func(sentence.Sentence) sentence.Sentence // nil for words alone
	pairs []sentence.Pair                           // by the rows of Points.Vectors
}

// known returns the vectors of the vocabulary.
func known(ctx context.Context, s Source, kind string, unit bool, w Weighting, pairs []Pair) (v *vectors, err error) {
	v = &vectors{pairs: s.Known(pairs)}
	v.Weighting = w.Sentence()
	if v.Vectors, v.Dim, err = s.Vectors(ctx, kind, unit); err != nil {
		return nil, err
	}
	v.Probability, err = s.Probability(ctx, w.Marginal())
	return v, err
}

// together returns the vectors that are put together for the words of pairs, known or not.
func (o OwnWords) together(ctx context.Context, s Source, kind string, w Weighting, pairs []Pair) (*vectors, error) {
	words := newWordList(s)
	v := &vectors{pairs: make([]sentence.Pair, len(pairs))}
	for i, p := range pairs {
		v.pairs[i] = sentence.Pair{A: words.ids(p.A), B: words.ids(p.B)}
	}
	first, dim, err := s.Vectors(ctx, kind, true)
	if err != nil {
		return nil, err
	}
	var further []float32
	more := 0
	if o.Beside != "" {
		if further, more, err = s.Vectors(ctx, o.Beside, false); err != nil {
			return nil, err
		}
	}
	probability, err := s.Probability(ctx, w.Marginal())
	if err != nil {
		return nil, err
	}
	scale := 0.0
	if o.Beside != "" {
		scale = o.BesideScale
	}
	v.Weighting, v.Dim = w.Sentence(), dim+more
	v.Vectors, v.Probability = make([]float32, len(words.list)*v.Dim), make([]float64, len(words.list))
	length := math.Sqrt(1 + float64(scale*scale)) // of a vector that is put together
	seed := s.Seed(OwnStream)
	for i, word := range words.list {
		to := v.Vectors[i*v.Dim : (i+1)*v.Dim]
		id := words.vocabulary[i]
		known := id >= 0
		if known {
			v.Probability[i] = probability[id]
			copy(to, first[int(id)*dim:][:dim])
			if more > 0 {
				put(to[dim:], further[int(id)*more:][:more], scale)
			}
			known = !isZero(to)
		}
		number := o.Own == UnknownAndNumbers && strings.ContainsAny(word, "0123456789")
		if o.Own != NoneOwn && !known || number {
			sentence.OwnVector(to, word, length, seed)
		}
	}
	return v, nil
}

// wordList numbers the words of texts, known or not, in the order in which they first occur.
type wordList struct {
	source     Source
	list       []string
	vocabulary []int32 // ids of the source, −1 of words that it does not know
	id         map[string]int32
}

func newWordList(s Source) *wordList { return &wordList{source: s, id: map[string]int32{}} }

func (l *wordList) ids(text string) (ids sentence.Sentence) {
	for _, word := range l.source.Words(text) {
		id, ok := l.id[word]
		if !ok {
			id = int32(len(l.list))
			of, known := l.source.ID(word)
			if !known {
				of = -1
			}
			l.id[word], l.list, l.vocabulary = id, append(l.list, word), append(l.vocabulary, of)
		}
		ids = append(ids, id)
	}
	return ids
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

func isZero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
