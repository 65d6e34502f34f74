// Package cmdlib compares words and texts. A Space holds the distributional estimates of a vocabulary and answers how
// far words and sentences are from each other under the context mover's distance [Singh, Hug, Dieuleveut, Jaggi,
// AISTATS 2020].
//
// A Space is a folder of plain files, or one small file (Pack). The packages below it make one. Package corpus counts
// co-occurrences and sppmi turns them into associations. embedding and cluster make clusters of contexts. estimate
// makes a histogram per word over them, and ground the cost of moving between them. Package ot solves the transport
// problems, with the engine that is given to Open, and package sentence combines words to sentences.
package cmdlib

import (
	"context"
	"errors"
	"io"
	"slices"

	"contextmover/cmdlib/corpus"
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
	// Calibration tells what people say of pairs with a cosine of Encode; nil of a space without.
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

	dir      string
	identity func() string
	engine   ot.Engine
	index    *wordIndex
	tokens   int64 // sum of Counts; in a packed space, of those of the words left out too
	relaxed  *relaxation.Both
	random   *randomWords
	// mostSolved is that of Override.
	mostSolved int
	mapped     []io.Closer
	closed     bool
	// parent is the space whose files a space of Asked or Learn shares; nil in one that was opened.
	parent *Space

	estimates func() (*estimates, error)
	estimated []byte     // of a packed space: bit w%8 of byte w/8 is set where word w has an estimate; else nil
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

// Close releases the files. The space must not be used afterwards.
func (s *Space) Close() error {
	var errs []error
	for _, m := range s.mapped {
		errs = append(errs, m.Close())
	}
	s.mapped, s.closed = nil, true
	s.Vectors, s.Centroids, s.Cost.Data = nil, nil, nil
	s.estimates, s.names, s.reference, s.learned = nil, nil, nil, nil
	s.learnedIDs, s.quantised, s.components, s.directions = nil, nil, nil, nil
	return errors.Join(errs...)
}

// isClosed reports whether the files of the space are released, by its own Close or by that of the space it comes from.
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
	if s.estimated != nil {
		return s.estimated[id/8]>>(id%8)&1 != 0
	}
	e, err := s.estimates()
	return err == nil && hasMass(e.Row(int(id)))
}

func hasMass(h []float32) bool { return slices.ContainsFunc(h, func(x float32) bool { return x != 0 }) }

// Comparison is a distance and what was compared.
type Comparison struct {
	// From and To are the two texts as the space sees them.
	From, To *Sentence
	// Result is that of the transport problem; Result.Cost is the distance.
	ot.Result

	asked
}

// asked is a question that a space has answered.
type asked struct {
	space    *Space
	from, to string
}

// Distance returns the context mover's distance that moves the contexts of one word or
// text to those of another. Two single words are compared by their own histograms; longer texts
// by what Sentence combines their words to, unknown words left out. A text is not at
// distance 0 from itself, since the regularised plan is blurred.
//
// A text without any known word is an *UnknownError.
func (s *Space) Distance(ctx context.Context, from, to string) (*Comparison, error) {
	a, b, err := s.both(ctx, from, to)
	if err != nil {
		return nil, err
	}
	results, err := ot.Distances(ctx, s.engine, s.problem(a.Histogram, b.Histogram))
	if err != nil {
		return nil, err
	}
	return &Comparison{a, b, results[0], asked{s, from, to}}, nil
}

// Engine returns what solves the space's problems: that of Open, or of Asked.
func (s *Space) Engine() ot.Engine { return s.engine }

// Transport solves the problems of pairs of histograms, rows of K
// bins, with the cost, the settings and the engine of the space.
func (s *Space) Transport(ctx context.Context, rows ot.Histograms, pairs []ot.Pair) ([]ot.Result, error) {
	return ot.Distances(ctx, s.engine, &ot.Problem{
		Settings: s.Settings.Transport, Cost: s.Cost, Rows: rows, Pairs: pairs,
	})
}

// Distances returns the distances of pairs of histograms, those of Transport.
func (s *Space) Distances(ctx context.Context, rows ot.Histograms, pairs []ot.Pair) ([]float64, error) {
	results, err := s.Transport(ctx, rows, pairs)
	if err != nil {
		return nil, err
	}
	distances := make([]float64, len(results))
	for i, r := range results {
		distances[i] = r.Cost
	}
	return distances, nil
}

// Plan returns the transport plan behind Distance; its bins are the K clusters.
func (s *Space) Plan(ctx context.Context, from, to string) (*ot.Plan, error) {
	a, b, err := s.both(ctx, from, to)
	if err != nil {
		return nil, err
	}
	return s.engine.Plan(ctx, s.problem(a.Histogram, b.Histogram), 0)
}

// problem is that of moving one histogram to another.
func (s *Space) problem(from, to []float32) *ot.Problem {
	return &ot.Problem{
		Settings: s.Settings.Transport, Cost: s.Cost,
		Rows:  ot.Histograms{K: s.Cost.K, Data: slices.Concat(from, to)},
		Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}
}

// Sentence is a text as a Space sees it.
type Sentence struct {
	// Words are the tokens that have an estimate, Unknown those that have none, both in
	// the order of the text.
	Words, Unknown []string
	// Histogram is what the histograms of Words combine to; it sums to 1.
	Histogram []float32
}

// Sentence tokenises text and combines the histograms of its words as Settings.Sentence says; a text that is a known
// word (new_york) is not tokenised. A text without any known word is an *UnknownError.
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
	return s.join(corpus.Tokenise(text))
}

// sentences combines several texts, of which each has a known word.
func (s *Space) sentences(ctx context.Context, texts ...string) ([]*Sentence, error) {
	out, err := s.Sentences(ctx, texts)
	if err != nil {
		return nil, err
	}
	for t := range out {
		if len(out[t].Words) == 0 {
			return nil, &UnknownError{Words: out[t].Unknown, Text: texts[t], space: s}
		}
	}
	return out, nil
}

// Sentences returns what Sentence returns of each text. A text without any known word has no Histogram.
func (s *Space) Sentences(ctx context.Context, texts []string) ([]*Sentence, error) {
	from := s.source()
	out := make([]*Sentence, len(texts))
	var known []*Sentence
	var ids []sentence.Sentence
	for t, text := range texts {
		out[t] = new(Sentence)
		var words sentence.Sentence
		for _, token := range s.tokenise(text) {
			id, ok := s.ID(token)
			if !ok || !s.known(id) {
				out[t].Unknown = append(out[t].Unknown, token)
				continue
			}
			out[t].Words = append(out[t].Words, token)
			words = append(words, from.add(id))
		}
		if len(words) > 0 {
			known, ids = append(known, out[t]), append(ids, words)
		}
	}
	combiner, err := from.combiner(ctx)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return out, nil
	}
	h, err := combiner.Combine(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, k := range known {
		k.Histogram = h.Row(i)
	}
	return out, nil
}

// PairDistance is the distance of a pair of texts.
type PairDistance struct {
	// Known tells whether both texts have a known word; Result is that of the transport problem if so.
	Known bool
	ot.Result
}

// PairDistances returns for each pair what Distance returns, to the last bit, and solves them together.
func (s *Space) PairDistances(ctx context.Context, pairs []Pair) ([]PairDistance, error) {
	if _, err := s.estimates(); err != nil {
		return nil, err
	}
	// Words by themselves and the combinations of texts have a row each, once.
	var texts []string
	rows := map[string]int32{} // of a text
	words := map[int32]int32{} // of a word by itself
	var histograms []float32
	row := func(id int32) int32 {
		at, ok := words[id]
		if !ok {
			at = int32(len(words))
			words[id] = at
			histograms = append(histograms, s.row(id)...)
		}
		return at
	}
	both := make([]ot.Pair, len(pairs))
	single := make([]bool, len(pairs))
	for i, p := range pairs {
		if x, y := s.oneWord(p.A), s.oneWord(p.B); x >= 0 && y >= 0 {
			both[i], single[i] = ot.Pair{Source: row(x), Target: row(y)}, true
			continue
		}
		for _, text := range []string{p.A, p.B} {
			if _, ok := rows[text]; !ok {
				rows[text] = int32(len(texts))
				texts = append(texts, text)
			}
		}
	}
	sentences, err := s.Sentences(ctx, texts)
	if err != nil {
		return nil, err
	}
	combined := int32(len(words))
	for t, text := range texts {
		rows[text] = -1
		if h := sentences[t].Histogram; h != nil {
			rows[text] = combined
			combined++
			histograms = append(histograms, h...)
		}
	}
	out := make([]PairDistance, len(pairs))
	problem := &ot.Problem{
		Settings: s.Settings.Transport, Cost: s.Cost, Rows: ot.Histograms{K: s.Cost.K, Data: histograms},
	}
	for i, p := range pairs {
		if !single[i] {
			both[i] = ot.Pair{Source: rows[p.A], Target: rows[p.B]}
		}
		if out[i].Known = both[i].Source >= 0 && both[i].Target >= 0; out[i].Known {
			problem.Pairs = append(problem.Pairs, both[i])
		}
	}
	if len(problem.Pairs) == 0 {
		return out, nil
	}
	results, err := ot.Distances(ctx, s.engine, problem)
	if err != nil {
		return nil, err
	}
	next := 0
	for i := range out {
		if out[i].Known {
			out[i].Result = results[next]
			next++
		}
	}
	return out, nil
}
