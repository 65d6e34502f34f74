// Package usage tells how a word is used in a text. FindSenses groups the occurrences of a word by the contexts that
// they stand in, which gives its senses.
//
// Occurrences are grouped by the vectors of the words around them or, in a space without vectors, by the context
// mover's distance of their estimates. Each group together is estimated as a distribution over
// the contexts of the space (cmdlib.Space.Estimate). So a sense has neighbours, a distance and an explanation, as a
// word has.
package usage

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
)

// MostSenses is the largest number of senses that are looked for where none is asked for.
const MostSenses = 6

// MostOccurrences is as many occurrences as are worth their time:
// of more, an even sample will do (corpus.Text.Occurrences).
const MostOccurrences = 2000

// Senses are those of a word.
type Senses struct {
	// Senses come with the most frequent first.
	Senses []Sense
	// Unclear are the occurrences without any context to tell a sense by, as positions in what FindSenses was given.
	Unclear []int
	// Silhouette tells how well the senses are apart, from 0 to 1; 0 for one sense. By vectors it is the mean, over
	// occurrences, of the cosine with the nearest group's mean direction minus that with the second nearest; by
	// transport the mean of 1 − a/b, with the distances a and b to the nearest and the second nearest medoid.
	Silhouette float64
	// Method is how they were grouped: "vectors" or "transport".
	Method string
}

// Sense is one of the senses of a word.
type Sense struct {
	// Share is that of the occurrences, of all but the unclear ones.
	Share float64
	// Estimate is made of all its occurrences.
	Estimate *cmdlib.Estimate
	// Occurrences are positions in what Find was given, those nearest to the estimate first.
	Occurrences []int
}

// ErrFew is that of a word with too few occurrences for its senses.
var ErrFew = errors.New("usage: too few occurrences")

// FindSenses groups the occurrences of a word into k senses, with k = 0 into the number from 2 to MostSenses that are
// best apart. It groups by vectors, or by transport in a space without vectors. It always finds groups: whether these
// are senses is for their contexts, neighbours and sentences to tell.
//
// It is an ErrFew if there are fewer than 2k occurrences with contexts (4 for k = 0),
// and an error if k < 0. For a space that does not estimate see cmdlib.ErrNoReference.
func FindSenses(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*Senses, error) {
	if s.HasVectors() {
		return byVectors(ctx, s, occurrences, k)
	}
	return byTransport(ctx, s, occurrences, k)
}

// Learn returns a space that knows the senses of a word as word/1, word/2 …, in their order, and these names.
func (s *Senses) Learn(space *cmdlib.Space, word string) (*cmdlib.Space, []string) {
	estimates := make(map[string]*cmdlib.Estimate)
	var names []string
	for i, sense := range s.Senses {
		name := fmt.Sprintf("%s/%d", word, i+1)
		names, estimates[name] = append(names, name), sense.Estimate
	}
	return space.Learn(estimates), names
}
