package cmdlib

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sppmi"
)

// Reference is what the counts of one more word become a histogram by: what those of all words of the space were.
type Reference struct {
	// Window is that of the counts, 1 to corpus.MaxWindow.
	Window int `json:"window"`
	// Marginals is #(c) of each word as a context, Total the sum of #(c)^α over all:
	// sppmi.Marginals. A packed space has the marginals of its words, and the total of all.
	Marginals []float64 `json:"-"`
	Total     float64   `json:"total"`
	// Divisors are those of estimate.Estimates, K of them.
	Divisors []float64 `json:"divisors"`
}

// check returns an error for what is no reference of a space; words is −1 for marginals that are yet to be read.
func (r *Reference) check(words, k int) error {
	finite := func(x float64) bool { return x >= 0 && x <= math.MaxFloat64 }
	switch {
	case r.Window < 1 || r.Window > corpus.MaxWindow:
		return fmt.Errorf("a reference for estimates with a window of %d words, expected 1 to %d",
			r.Window, corpus.MaxWindow)
	case !finite(r.Total) || r.Total == 0:
		return fmt.Errorf("a reference for estimates with a total of %v, expected a positive number", r.Total)
	case len(r.Divisors) != k:
		return fmt.Errorf("a reference for estimates with %d divisors for %d bins", len(r.Divisors), k)
	case words >= 0 && len(r.Marginals) != words:
		return fmt.Errorf("a reference for estimates with the marginals of %d contexts, expected those of %d words",
			len(r.Marginals), words)
	}
	for _, x := range slices.Concat(r.Divisors, r.Marginals) {
		if !finite(x) {
			return fmt.Errorf("a reference for estimates has the number %v, expected a finite one ≥ 0", x)
		}
	}
	return nil
}

// Estimate is the distribution of what occurs somewhere over the contexts of a space.
type Estimate struct {
	// Histogram has K bins and sums to 1.
	Histogram []float32
	// Occurrences is the number of places it is made of, Contexts that of distinct
	// words of the vocabulary around them, and Associated how many of these occur
	// there more often than shift and smoothing expect: what the histogram is made of.
	Occurrences, Contexts, Associated int

	sources []int32 // as in Space
	shares  []float32
}

// Errors of Estimate.
var (
	// ErrNoReference is returned by a space that was written without a Reference, by which estimates are made.
	ErrNoReference = errors.New("cmdlib: the space does not keep what words are estimated by: make it with a reference")
	// ErrNoContexts is that of occurrences among which there is no word
	// that the space knows, or none that is there more often than anywhere.
	ErrNoContexts = errors.New("cmdlib: nothing to estimate from")
)

// Estimate returns the distribution over contexts of whatever stands at the occurrences: a word that the space does
// not know, a phrase, a sense, a word in another text. They are counted as the space's own words were, against the
// contexts of the space's corpus: with the association of a context c with the occurrences w
//
//	A(w,c) = max( ln[ #(w,c) Σ_c' #(c')^α / ( #(w) #(c)^α ) ] − ln s , 0 ),   H_k(w) ∝ Σ_{c ∈ C_k} A(w,c) / n_k   (1)
//
// where only #(w,c) and #(w) = Σ_c #(w,c) are new [Singh et al. 2020, section 6]. All occurrences of a word in
// the space's own text give the histogram that the space has for it, bit for bit, if the space is not packed.
//
// Few occurrences give few contexts, and (1) takes those that are rare elsewhere for strongly associated. No
// occurrences, or none with a context of the space, are an ErrNoContexts; ErrNoReference is another error.
func (s *Data) Estimate(occurrences []corpus.Occurrence) (*Estimate, error) {
	if s.reference == nil {
		return nil, ErrNoReference
	}
	if len(occurrences) == 0 {
		return nil, fmt.Errorf("%w: there are no occurrences", ErrNoContexts)
	}
	contexts, counts, err := corpus.CountContexts(occurrences, s.OwnWords(), s.id, s.reference.Window)
	if err != nil {
		return nil, err
	}
	own, err := s.estimates()
	if err != nil {
		return nil, err
	}
	clusters, err := estimate.NewClusters(own.assignment, s.reference.Divisors)
	if err != nil {
		return nil, damage(s.path, fmt.Errorf("%s: %w", assignmentFile, err))
	}

	marginals := &sppmi.Marginals{Contexts: s.reference.Marginals, Total: s.reference.Total}
	associated, values := marginals.Row(contexts, counts, s.own.SPPMI)
	e := &Estimate{Occurrences: len(occurrences), Contexts: len(contexts), Associated: len(associated)}
	if e.Histogram = clusters.Histogram(associated, values); e.Histogram == nil {
		return nil, fmt.Errorf("%w: %d words of the vocabulary stand near the %d occurrences, none of them more "+
			"often than anywhere", ErrNoContexts, len(contexts), len(occurrences))
	}

	e.sources, e.shares = strongestOf(associated, values, own.assignment, e.Histogram)
	return e, nil
}

// learned are words that a view of the data has learned, and the data have not.
type learned struct {
	estimates map[int32]*Estimate
	ids       map[string]int32      // of words behind those of the data
	phrases   map[string][][]string // those of several words by the first, longest first
	identity  func() string
}

// estimate returns that of a word, nil of one that was not learned.
func (l *learned) estimate(id int32) *Estimate {
	if l == nil {
		return nil
	}
	return l.estimates[id]
}

// Learn returns a space that knows words and phrases by their estimates, in addition to those of s. Neighbours,
// distances, explanations and figures take them as any word. In a text, each of the phrases is one word. A word
// that s has keeps its id, its count and its vector, and is known by its new estimate. Words are learned in the
// form of corpus.NormalWord, in which texts have them.
func (s *Space) Learn(estimates map[string]*Estimate) *Space {
	t := *s
	t.Words, t.Counts = slices.Clip(s.Words), slices.Clip(s.Counts)
	t.learned = &learned{make(map[int32]*Estimate), make(map[string]int32), make(map[string][][]string), nil}
	if s.learned != nil {
		maps.Copy(t.learned.estimates, s.learned.estimates)
		maps.Copy(t.learned.ids, s.learned.ids)
	}

	normal := make(map[string]*Estimate, len(estimates))
	for _, word := range slices.Sorted(maps.Keys(estimates)) {
		normal[corpus.NormalWord(word)] = estimates[word]
	}
	words := slices.Sorted(maps.Keys(normal))
	t.learned.identity = s.learning(words, normal)
	for _, word := range words {
		id, ok := t.ID(word)
		if !ok {
			id = int32(len(t.Words))
			t.learned.ids[word] = id
			t.Words, t.Counts = append(t.Words, word), append(t.Counts, int64(normal[word].Occurrences))
		}
		t.learned.estimates[id] = normal[word]
	}
	for word := range t.learned.ids {
		if tokens := strings.Split(word, " "); len(tokens) > 1 {
			t.learned.phrases[tokens[0]] = append(t.learned.phrases[tokens[0]], tokens)
		}
	}
	for _, list := range t.learned.phrases {
		slices.SortFunc(list, func(a, b []string) int { return len(b) - len(a) })
	}
	return &t
}

// join joins the words of learned phrases in a tokenised text, from left to right, the longest first.
func (l *learned) join(tokens []string) []string {
	if l == nil || len(l.phrases) == 0 {
		return tokens
	}
	var joined []string
	for len(tokens) > 0 {
		length := 1
		for _, phrase := range l.phrases[tokens[0]] {
			if len(phrase) <= len(tokens) && slices.Equal(phrase, tokens[:len(phrase)]) {
				length = len(phrase)
				break
			}
		}
		joined = append(joined, strings.Join(tokens[:length], " "))
		tokens = tokens[length:]
	}
	return joined
}
