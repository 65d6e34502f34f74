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

// Space answers questions about words and texts. It is a view of the Data that a file holds, with the Settings that its
// answers use. With and Learn return other views of the same Data; all are valid until Close. A space may be used from
// several goroutines at once.
type Space struct {
	*Data
	// Settings are what the data were made with and what answers use.
	Settings Settings
	// Words are the vocabulary, Counts how often they occur in the corpus. The position of a word is its
	// id. Not all have an estimate; see Has. Words that the space has learned (see Learn) are the last.
	Words  []string
	Counts []int64
	// Engine solves the transport problems of the space, prepared for its Cost.
	Engine ot.Engine

	learned *learned // nil where nothing was learned
}

// Data is what the file of a space holds, shared by all views of it.
//
// Histograms and vectors are mapped into memory: opening reads little, whatever
// the size, and processes share the memory. A packed space decodes its histograms when they are first needed.
type Data struct {
	// Provenance tells where the space comes from, in its maker's words.
	Provenance map[string]any
	// Calibration tells what people say of pairs of texts with a similarity; nil of a space without.
	Calibration *Calibration
	// Dim is the dimension of Vectors and Centroids.
	Dim int
	// Vectors is words×Dim, nil in a packed space, which has them in 4 or
	// 8 bits (see Vector), Centroids K×Dim; for reading only, until Close.
	Vectors, Centroids []float32
	// Cost is the ground cost between the K centroids.
	Cost ot.Cost

	path     string    // of the file, for errors; empty for none
	file     *npz.File // nil in memory
	identity string
	own      Settings // what the data were made with
	words    []string
	ids      map[string]int32 // of words
	counts   []int64
	tokens   int64 // sum of counts; in a packed space, of those of the words left out too
	random   *randomWords
	closed   bool

	relaxed    func() (rows, columns *relaxation.Relaxation) // of Cost
	estimates  func() (*estimates, error)
	estimated  []uint8              // 1 for each word that has an estimate, else 0
	reference  *Reference           // nil in a space that was made without
	quantised  *quantised.Vectors   // of a packed space with vectors: their directions
	lengths    []float32            // of these vectors; nil where all have the length 1
	components *sentence.Components // that Encode removes; nil in a space that was made without
	directions []float32            // of components, as they are kept
	nearby     *nearby
	names      []int32 // of a packed space: keptNames words for each bin, −1 where there are fewer; else nil
}

// Close releases the file. No view of the data may be used afterwards.
func (d *Data) Close() (err error) {
	if d.file != nil {
		err = d.file.Close()
	}
	*d = Data{closed: true}
	return err
}

// ID returns the position of word in Words, and whether it is there.
func (s *Space) ID(word string) (int32, bool) {
	word = corpus.NormalWord(word)
	if s.learned != nil {
		if id, ok := s.learned.ids[word]; ok {
			return id, true
		}
	}
	return s.id(word)
}

// Has reports whether word has an estimate: whether it is in the vocabulary and
// associated with a context.
func (s *Space) Has(word string) bool {
	id, ok := s.ID(word)
	return ok && s.known(id)
}

// estimates are the words as distributions over contexts.
type estimates struct {
	ot.Histograms
	// The bin of each word as a context, and its sources and their shares; nil in a
	// space that does not keep them.
	assignment, sources []int32
	shares              []float32
}

// Histograms returns one row of K bins per word of the data (see OwnWords), all zeros for a word without an
// estimate. They are for reading only, until Close. That a packed space has others than Pack wrote is an ErrDamaged,
// no room for them in memory another error.
func (s *Data) Histograms() (ot.Histograms, error) {
	e, err := s.estimates()
	if err != nil {
		return ot.Histograms{}, err
	}
	return e.Histograms, nil
}

// OwnWords returns the number of words that the space was made with, the first ones. Words behind them were learned.
func (s *Data) OwnWords() int { return len(s.words) }

// Row returns the histogram of the word with this id; for reading only, until Close. Its errors are those of
// Histograms.
func (s *Space) Row(id int32) ([]float32, error) {
	if e := s.learned.estimate(id); e != nil {
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
	if e := s.learned.estimate(id); e != nil {
		return hasMass(e.Histogram)
	}
	return s.estimated[id] != 0
}

func hasMass(h []float32) bool { return slices.ContainsFunc(h, func(x float32) bool { return x != 0 }) }
