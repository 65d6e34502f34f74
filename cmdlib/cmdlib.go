// Package cmdlib is the front room of the library: a Space holds the distributional
// estimates of a vocabulary and answers how far words and sentences are from each
// other under the context mover's distance [Singh, Hug, Dieuleveut, Jaggi, AISTATS
// 2020].
//
// A Space is a folder of plain files. What makes one lies in the packages beneath:
// corpus counts co-occurrences, sppmi turns them into associations, embedding and
// cluster make clusters of contexts, estimate a histogram per word over them, ground
// the cost of moving between them. Package ot solves the transport problems, with
// the engine that is given to Open, and package sentence combines words to sentences.
package cmdlib

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Space is an opened space. It may be used from several goroutines at once.
//
// Histograms and vectors are mapped into memory: opening reads little, whatever
// the size, and processes share the memory.
type Space struct {
	// Settings are what the space was made with and is asked with.
	Settings Settings
	// Provenance tells where the space comes from, in its maker's words.
	Provenance map[string]any
	// Words are the vocabulary, Counts how often they occur in the corpus. The
	// position of a word is its id. Not all have an estimate; see Has.
	Words  []string
	Counts []int64
	// Dim is the dimension of Vectors and Centroids.
	Dim int
	// Histograms has one row per word, all zeros for a word without an estimate. It
	// is for reading only, until Close.
	Histograms ot.Histograms
	// Vectors is words×Dim, Centroids K×Dim; for reading only, until Close.
	Vectors, Centroids []float32
	// Cost is the ground cost between the K centroids.
	Cost ot.Cost

	engine ot.Engine
	index  *wordIndex
	tokens int64 // sum of Counts
	mapped []io.Closer
	closed bool

	// The bin of each word as a context, and its sources and their shares; nil in a
	// space that does not keep them.
	assignment, sources []int32
	shares              []float32
}

// Close releases the files. The space must not be used afterwards.
func (s *Space) Close() error {
	var errs []error
	for _, m := range s.mapped {
		errs = append(errs, m.Close())
	}
	s.mapped, s.closed = nil, true
	s.Histograms.Data, s.Vectors, s.Centroids, s.Cost.Data = nil, nil, nil, nil
	s.assignment, s.sources, s.shares = nil, nil, nil
	return errors.Join(errs...)
}

// ID returns the position of word in Words, and whether it is there.
func (s *Space) ID(word string) (int32, bool) { return s.index.id(word) }

// Has tells whether word has an estimate: whether it is in the vocabulary and
// associated with a context.
func (s *Space) Has(word string) bool {
	_, err := s.lookUp(word)
	return err == nil
}

// lookUp returns the id of a word that has an estimate.
func (s *Space) lookUp(word string) (int32, error) {
	id, ok := s.ID(word)
	if !ok || !s.known(id) {
		return 0, &UnknownError{Words: []string{word}, space: s}
	}
	return id, nil
}

func (s *Space) known(id int32) bool {
	for _, x := range s.Histograms.Row(int(id)) {
		if x != 0 {
			return true
		}
	}
	return false
}

// Distance returns the context mover's distance that moves the contexts of word
// from to those of word to. A word is not at distance 0 from itself, since the
// regularised plan is blurred.
//
// A word without an estimate is an *UnknownError.
func (s *Space) Distance(ctx context.Context, from, to string) (ot.Result, error) {
	p, err := s.words(from, to)
	if err != nil {
		return ot.Result{}, err
	}
	return s.solve(ctx, p)
}

// Plan returns the transport plan behind Distance; its bins are the K clusters.
func (s *Space) Plan(ctx context.Context, from, to string) (*ot.Plan, error) {
	p, err := s.words(from, to)
	if err != nil {
		return nil, err
	}
	return s.engine.Plan(ctx, p, 0)
}

// words is the problem of two words.
func (s *Space) words(from, to string) (*ot.Problem, error) {
	i, err := s.lookUp(from)
	if err != nil {
		return nil, err
	}
	j, err := s.lookUp(to)
	if err != nil {
		return nil, err
	}
	return s.problem(s.Histograms.Row(int(i)), s.Histograms.Row(int(j))), nil
}

// problem is that of moving one histogram to another.
func (s *Space) problem(from, to []float32) *ot.Problem {
	return &ot.Problem{
		Settings: s.Settings.Transport.settings(), Cost: s.Cost,
		Rows:  ot.Histograms{K: s.Cost.K, Data: slices.Concat(from, to)},
		Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}
}

func (s *Space) solve(ctx context.Context, p *ot.Problem) (ot.Result, error) {
	results, err := ot.Distances(ctx, s.engine, p)
	if err != nil {
		return ot.Result{}, err
	}
	return results[0], nil
}

// Sentence is a text as a Space sees it.
type Sentence struct {
	// Words are the tokens that have an estimate, Unknown those that have none, both in
	// the order of the text.
	Words, Unknown []string
	// Histogram is what the histograms of Words combine to; it sums to 1.
	Histogram []float32
}

// Sentence tokenises text and combines the histograms of its words as
// Settings.Sentence says; a text that is a known word as it stands (new_york) is not
// tokenised. A text without any known word is an *UnknownError.
func (s *Space) Sentence(ctx context.Context, text string) (*Sentence, error) {
	sentences, err := s.sentences(ctx, text)
	if err != nil {
		return nil, err
	}
	return sentences[0], nil
}

// tokenise returns the words of text: itself, if it is a word with an estimate.
func (s *Space) tokenise(text string) []string {
	if s.single(text) >= 0 {
		return []string{text}
	}
	return corpus.Tokenise(text)
}

// sentences combines several texts.
func (s *Space) sentences(ctx context.Context, texts ...string) ([]*Sentence, error) {
	// The combiner gets a small world of its own, with the words of these texts.
	e := &estimate.Estimates{Histograms: ot.Histograms{K: s.Cost.K}}
	var probability []float64
	local := make(map[int32]int32)
	out := make([]*Sentence, len(texts))
	ids := make([]sentence.Sentence, len(texts))
	for t, text := range texts {
		out[t] = new(Sentence)
		for _, token := range s.tokenise(text) {
			id, ok := s.ID(token)
			if !ok || !s.known(id) {
				out[t].Unknown = append(out[t].Unknown, token)
				continue
			}
			out[t].Words = append(out[t].Words, token)
			at, seen := local[id]
			if !seen {
				at = int32(len(e.Known))
				local[id] = at
				e.Data = append(e.Data, s.Histograms.Row(int(id))...)
				e.Known = append(e.Known, true)
				probability = append(probability, float64(s.Counts[id])/float64(max(s.tokens, 1)))
			}
			ids[t] = append(ids[t], at)
		}
		if len(out[t].Words) == 0 {
			return nil, &UnknownError{Words: out[t].Unknown, Text: text, space: s}
		}
	}
	var combiner sentence.Combiner
	weighting := s.Settings.Sentence.Weighting
	switch s.Settings.Sentence.Combination {
	case Average:
		combiner = sentence.HistogramAverage{Estimates: e, Weighting: weighting, Probability: probability}
	case Barycenter, DebiasedBarycenter:
		combiner = sentence.Barycenter{
			Estimates: e, Weighting: weighting, Probability: probability,
			Cost: s.Cost, Engine: s.engine, Settings: s.Settings.Sentence.Transport.settings(),
			Debiased: s.Settings.Sentence.Combination == DebiasedBarycenter,
		}
	default:
		return nil, fmt.Errorf("cmdlib: unknown combination %q of a sentence's words", s.Settings.Sentence.Combination)
	}
	h, err := combiner.Combine(ctx, ids)
	if err != nil {
		return nil, err
	}
	for t := range out {
		out[t].Histogram = h.Row(t)
	}
	return out, nil
}

// SentenceDistance returns the context mover's distance between two texts, each
// combined as Sentence does; unknown words are left out. A text without any known
// word is an *UnknownError.
func (s *Space) SentenceDistance(ctx context.Context, from, to string) (ot.Result, error) {
	sentences, err := s.sentences(ctx, from, to)
	if err != nil {
		return ot.Result{}, err
	}
	return s.solve(ctx, s.problem(sentences[0].Histogram, sentences[1].Histogram))
}
