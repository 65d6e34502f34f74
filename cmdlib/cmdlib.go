// Package cmdlib compares words and texts. A Space holds the distributional estimates of a vocabulary and answers how
// far words and sentences are from each other under the context mover's distance [Singh, Hug, Dieuleveut, Jaggi,
// AISTATS 2020].
//
// A Space is one file, whole or small (Pack), which numpy.load opens too. The packages below it make one. Package
// corpus counts co-occurrences and sppmi turns them into associations. embedding and cluster make clusters of
// contexts. estimate makes a histogram per word over them, and ground the cost of moving between them. Package ot
// solves the transport problems, with the engine that is given to Open, and package sentence combines words to
// sentences.
package cmdlib

import (
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/internal/quantised"
	"contextmover/cmdlib/internal/relaxation"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Space is an opened space. It may be used from several goroutines at once.
//
// Histograms and vectors are mapped into memory: opening reads little, whatever
// the size, and processes share the memory. A packed space decodes its histograms when they are first needed.
type Space struct {
	// Settings are what the space was made with and what its answers use.
	Settings Settings
	// Provenance tells where the space comes from, in its maker's words.
	Provenance map[string]any
	// Calibration tells what people say of pairs of texts with a similarity; nil of a space without.
	Calibration *Calibration
	// Words are the vocabulary, Counts how often they occur in the corpus. The position of a word is its
	// id. Not all have an estimate; see Has. Words that the space has learned (see Learn) are the last.
	Words  []string
	Counts []int64
	// Dim is the dimension of Vectors and Centroids.
	Dim int
	// Vectors is words×Dim, nil in a packed space, which has them in 4 or
	// 8 bits (see Vector), Centroids K×Dim; for reading only, until Close.
	Vectors, Centroids []float32
	// Cost is the ground cost between the K centroids.
	Cost ot.Cost

	path     string    // of its file, for errors; empty for none
	file     *npz.File // nil in memory
	identity func() string
	engine   ot.Engine
	index    *wordIndex
	tokens   int64 // sum of Counts; in a packed space, of those of the words left out too
	relaxed  *relaxation.Both
	random   *randomWords
	closed   bool
	// parent is the space whose files a space of Asked or Learn shares; nil in one that was opened.
	parent *Space

	estimates func() (*estimates, error)
	estimated []uint8    // 1 for each own word that has an estimate, else 0
	reference *Reference // nil in a space that was made without
	// learned has the words that were learned, by their ids; learnedIDs are those of words that are behind the space's
	// own, and phrases the ones of several words by the first, longest first.
	learned    map[int32]*Estimate
	learnedIDs map[string]int32
	phrases    map[string][][]string
	quantised  *quantised.Vectors   // of a packed space with vectors: their directions
	lengths    []float32            // of these vectors; nil where all have the length 1
	components *sentence.Components // that Encode removes; nil in a space that was made without
	directions []float32            // of components, as they are kept
	nearby     *nearby
	names      []int32 // of a packed space: keptNames words for each bin, −1 where there are fewer; else nil
}

// Close releases the file. The space must not be used afterwards.
func (s *Space) Close() (err error) {
	if s.file != nil && s.parent == nil {
		err = s.file.Close()
	}
	s.closed = true
	s.Vectors, s.Centroids, s.Cost.Data = nil, nil, nil
	s.estimates, s.names, s.reference, s.learned = nil, nil, nil, nil
	s.learnedIDs, s.quantised, s.components, s.directions = nil, nil, nil, nil
	return err
}

// isClosed reports whether the files of the space are released, by its own Close or by that of the space it comes
// from.
func (s *Space) isClosed() bool { return s.closed || s.parent != nil && s.parent.isClosed() }

// ID returns the position of word in Words, and whether it is there.
func (s *Space) ID(word string) (int32, bool) {
	word = corpus.NormalWord(word)
	if id, ok := s.learnedIDs[word]; ok {
		return id, true
	}
	return s.index.id(word)
}

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

// estimates are the words as distributions over contexts.
type estimates struct {
	ot.Histograms
	// The bin of each word as a context, and its sources and their shares; nil in a
	// space that does not keep them.
	assignment, sources []int32
	shares              []float32
}

// Histograms returns one row of K bins per word of its own (see OwnWords), all zeros for a word without an
// estimate. They are for reading only, until Close. That a packed space has others than Pack wrote is an ErrDamaged,
// no room for them in memory another error.
func (s *Space) Histograms() (ot.Histograms, error) {
	e, err := s.estimates()
	if err != nil {
		return ot.Histograms{}, err
	}
	return e.Histograms, nil
}

// OwnWords returns the number of words that the space was made with, the first ones. Words behind them were learned.
func (s *Space) OwnWords() int { return len(s.index.words) }

// Row returns the histogram of the word with this id; for reading only, until Close. Its errors are those of
// Histograms.
func (s *Space) Row(id int32) ([]float32, error) {
	if e, ok := s.learned[id]; ok {
		return e.Histogram, nil
	}
	e, err := s.estimates()
	if err != nil {
		return nil, err
	}
	return e.Row(int(id)), nil
}

// row is Row where there was no error before.
func (s *Space) row(id int32) []float32 {
	h, _ := s.Row(id)
	return h
}

// Probability is the share of a word in the corpus, by which
// Settings.Sentence weighs it: its count divided by that of all words.
func (s *Space) Probability(id int32) float64 {
	return float64(s.Counts[id]) / float64(max(s.tokens, 1))
}

// known reports whether the word with this id has an estimate.
func (s *Space) known(id int32) bool {
	if e, ok := s.learned[id]; ok {
		return hasMass(e.Histogram)
	}
	return s.estimatedOwn(id)
}

// estimatedOwn reports whether the space was made with an estimate of its own word with this id.
func (s *Space) estimatedOwn(id int32) bool {
	return s.estimated[id] != 0
}

func hasMass(h []float32) bool { return slices.ContainsFunc(h, func(x float32) bool { return x != 0 }) }

// Engine returns what solves the space's problems: that of Open, or of Asked.
func (s *Space) Engine() ot.Engine { return s.engine }
