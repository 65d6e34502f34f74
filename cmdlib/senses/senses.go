// Package senses finds the senses of a word: its occurrences in a text, grouped by the contexts that they stand in.
//
// Occurrences are grouped by the vectors of the words around them (ByVectors) or, in a space without vectors, by the
// context mover's distance of their estimates (ByTransport). Each group together is estimated as a distribution over
// the contexts of the space (cmdlib.Space.Estimate). So a sense has neighbours, a distance and an explanation, as a
// word has.
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

// rounds is how often occurrences are assigned anew to the senses' estimates, at most.
const rounds = 5

// Senses are those of a word.
type Senses struct {
	// Senses come with the most frequent first.
	Senses []Sense
	// Unclear are the occurrences without any context to tell a sense by, as positions in what Find was given.
	Unclear []int
	// Silhouette tells how well the senses are apart, from 0 to 1; 0 for one sense. By vectors it is the mean, over
	// occurrences, of the cosine with the nearest group's mean direction minus that with the second nearest; by
	// transport that of the medoids (medoids.Groups).
	Silhouette float64
	// Method is how they were grouped: "vectors" or "transport".
	Method string
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

// Find groups the occurrences of a word into k senses, with k = 0 into the number from 2 to Most that are best apart.
// It uses ByVectors, or ByTransport in a space without vectors. It always finds groups: whether these are senses is
// for their contexts, neighbours and sentences to tell.
//
// It is an ErrFew if there are fewer than 2k occurrences with contexts (4 for k = 0),
// and an error if k < 0. For a space that does not estimate see cmdlib.ErrNoReference.
func Find(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*Senses, error) {
	if s.HasVectors() {
		return ByVectors(ctx, s, occurrences, k)
	}
	return ByTransport(ctx, s, occurrences, k)
}

// ByTransport groups the occurrences of a word by k-medoids under the context mover's distance. Each is estimated
// alone, and then joins the estimate of a group that it is nearest to, up to five times. With k = 0 the number of
// groups is the one with the largest silhouette. A sense that no occurrence is nearest to is left out.
//
// Errors are those of Find.
func ByTransport(ctx context.Context, s *cmdlib.Space, occurrences []corpus.Occurrence, k int) (*Senses, error) {
	f := &finding{space: s, occurrences: occurrences, rows: ot.Histograms{K: s.Cost.K}}
	found := &Senses{Method: "transport"}
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
	least, most, err := numbers(k, len(f.ids), len(occurrences))
	if err != nil {
		return nil, err
	}
	middle, sample, err := groups.Medoids(ctx, f.rows.Len(), groups.Transport(s, f.rows), least, most)
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
		both := ot.Histograms{K: centres.K, Data: slices.Concat(f.rows.Data, centres.Data)}
		var at []int
		for c := range centres.Len() {
			at = append(at, f.rows.Len()+c)
		}
		next, near, err := groups.Nearest(ctx, f.rows.Len(), groups.Transport(s, both), at)
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
	return found.shared(len(occurrences)), nil
}

// finding is the state of ByTransport.
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
		sense := Sense{Estimate: e}
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
