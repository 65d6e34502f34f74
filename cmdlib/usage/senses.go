// Package usage tells how a word is used in a text. FindSenses groups the occurrences of a word by the contexts that
// they stand in, which gives its senses.
//
// Occurrences are grouped by the vectors of the words around them. Each group together is estimated as a distribution
// over the contexts of the space (cmdlib.Space.Estimate), so a sense has neighbours, a distance and an explanation, as
// a word has.
package usage

import (
	"errors"
	"fmt"

	"contextmover/cmdlib"
)

// mostSenses is the largest number of senses that are looked for where none is asked for.
const mostSenses = 6

// MostOccurrences is as many occurrences as are worth their time:
// of more, an even sample will do (corpus.Text.Occurrences).
const MostOccurrences = 2000

// Senses are those of a word.
type Senses struct {
	// Senses come with the most frequent first.
	Senses []Sense
	// Unclear are the occurrences without any context to tell a sense by, as positions in what FindSenses was given.
	Unclear []int
	// Silhouette tells how well the senses are apart, from 0 to 1; 0 for one sense. It is the mean, over occurrences,
	// of the cosine with the nearest group's mean direction minus that with the second nearest.
	Silhouette float64
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
