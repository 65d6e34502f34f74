// Package senses finds the senses of a word: its occurrences in a text, grouped by the contexts that they stand in.
//
// Each occurrence alone is estimated as a distribution over the contexts of a space (cmdlib.Space.Estimate). Groups
// are k-medoids under the context mover's distance, and each group together is estimated again. So a sense is a
// distribution over contexts as a word is, and has neighbours, a distance and an explanation.
package senses

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/groups"
	"contextmover/cmdlib/ot"
)

// Most is the largest number of senses that are looked for where none is asked for.
const Most = 6

// MostOccurrences is as many occurrences as are worth their time:
// of more, an even sample will do (corpus.Text.Occurrences).
const MostOccurrences = 2000

// rounds is how often occurrences are dealt anew to the senses' estimates, at most.
const rounds = 5

// Senses are those of a word.
type Senses struct {
	// Senses come with the most frequent first.
	Senses []Sense
	// Unclear are the occurrences without any context to tell a sense by, as positions in what Find was given.
	Unclear []int
	// Silhouette tells how well the senses are apart, from 0 to
	// 1: that of the medoids (medoids.Groups); 0 for one sense.
	Silhouette float64
}

// Sense is one of them.
type Sense struct {
	// Share is that of the occurrences, of all but the unclear ones.
	Share float64
	// Estimate is made of all its occurrences.
	Estimate *cmdlib.Estimate
	// Occurrences are positions in what Find was given, those nearest to the estimate first.
	Occurrences []int
}

// ErrFew is that of a word with too few occurrences for its senses.
var ErrFew = errors.New("senses: too few occurrences")

// Find groups the occurrences of a word into k senses; with k = 0 into the number from 2 to Most
// that has the largest silhouette. It always finds groups: whether these are senses is for their
// contexts, neighbours and sentences to tell. A sense that no occurrence is nearest to is left out.
//
// It is an ErrFew if there are fewer than 2k occurrences with contexts (4 for k = 0),
// and an error if k < 0. For a space that does not estimate see cmdlib.ErrNoReference.
func Find(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*Senses, error) {
	if k < 0 {
		return nil, fmt.Errorf("senses: %d senses are asked for, expected at least 1, or 0 to choose", k)
	}
	f := &finding{space: s, occurrences: occurrences, rows: ot.Histograms{K: s.Cost.K}}
	found := new(Senses)
	for i := range occurrences {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		e, err := s.Estimate(occurrences[i : i+1])
		if errors.Is(err, cmdlib.ErrNoContexts) {
			found.Unclear = append(found.Unclear, i)
			continue
		}
		if err != nil {
			return nil, err
		}
		f.ids, f.rows.Data = append(f.ids, i), append(f.rows.Data, e.Histogram...)
	}
	if n, least := len(f.ids), max(2*k, 4); n < least && k != 1 || n == 0 {
		return nil, fmt.Errorf("%w: %d of %d have contexts that the space knows, expected at least %d", ErrFew, n, len(occurrences), least)
	}
	least, most := k, k
	if k == 0 {
		least, most = 2, min(Most, len(f.ids)/2)
	}
	middle, sample, err := groups.Medoids(ctx, s, f.rows, least, most)
	if err != nil {
		return nil, err
	}
	found.Silhouette = middle.Silhouette
	centres := ot.Histograms{K: s.Cost.K}
	for _, m := range middle.Medoids {
		centres.Data = append(centres.Data, f.rows.Row(sample[m])...)
	}
	var assignment []int
	for range rounds {
		next, near, err := groups.Nearest(ctx, s, f.rows, centres)
		if err != nil {
			return nil, err
		}
		if slices.Equal(next, assignment) {
			break
		}
		assignment = next
		if found.Senses, centres, err = f.estimate(assignment, near, centres.Len()); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(found.Senses, func(a, b Sense) int { return cmp.Compare(b.Share, a.Share) })
	return found, nil
}

// finding is the state of Find.
type finding struct {
	space       *cmdlib.Space
	occurrences []corpus.Occurrence
	ids         []int // occurrences that have a histogram
	rows        ot.Histograms
}

// estimate makes senses of an assignment, and the centres that they are.
func (f *finding) estimate(assignment []int, near []float64, k int) (senses []Sense, centres ot.Histograms, err error) {
	centres.K = f.rows.K
	for c := range k {
		var own []int // positions in ids
		for i, a := range assignment {
			if a == c {
				own = append(own, i)
			}
		}
		if len(own) == 0 {
			continue
		}
		var list []corpus.Occurrence
		for _, i := range own {
			list = append(list, f.occurrences[f.ids[i]])
		}
		e, err := f.space.Estimate(list)
		if err != nil {
			return nil, centres, err
		}
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(near[a], near[b]) })
		sense := Sense{Share: float64(len(own)) / float64(len(f.ids)), Estimate: e}
		for _, i := range own {
			sense.Occurrences = append(sense.Occurrences, f.ids[i])
		}
		senses, centres.Data = append(senses, sense), append(centres.Data, e.Histogram...)
	}
	return senses, centres, nil
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
