package method

import (
	"context"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
)

// Source gives methods what they are computed from. Words have ids from 0; rows of vectors, probabilities and
// estimates are in their order. A source may number only the words that it has been asked about: a method looks up all
// its words by ID before it asks for anything else.
//
// A part that a source lacks is an error that says so.
type Source interface {
	// Words returns the words of a text, known or not, in order.
	Words(text string) []string
	// ID returns the id of a word, and whether the vocabulary has it.
	ID(word string) (int32, bool)
	// Vectors returns word vectors of a kind, a row of dim numbers for each word, scaled to length 1 if unit. A
	// word without one has zeros. The kind "" is the source's own.
	Vectors(ctx context.Context, kind string, unit bool) (data []float32, dim int, err error)
	// Grams returns vectors of words and n-grams behind them, and the rows of those that a sentence has; nil and nil
	// where there are those of words alone.
	Grams(ctx context.Context, unit bool) (data []float32, of func(sentence.Sentence) sentence.Sentence, err error)
	// Probability returns p(w) for each word.
	Probability(ctx context.Context, m Marginal) ([]float64, error)
	// Kept returns the components of texts in general, which the source keeps: the vectors of which it keeps are the
	// own ones, scaled to length 1.
	Kept(ctx context.Context) (*sentence.Components, error)
	// Estimates returns the words' histograms over the bins.
	Estimates(ctx context.Context, e Estimates, b Bins) (*estimate.Estimates, error)
	// Centroids returns the bins' centroids, K rows.
	Centroids(ctx context.Context, b Bins) ([]float32, error)
	// Ground returns the cost between bins, clipped for the λ given.
	Ground(ctx context.Context, c Cost, b Bins, reg float64) (*ground.Ground, error)
	// Engine solves transport problems.
	Engine() ot.Engine
	// Solver returns the settings of distances and of barycenters.
	Solver(t Transport) (distances, barycenters ot.Settings)
	// Seed returns the seed of the random stream of this name.
	Seed(stream string) uint64
	// File reads scores that another program made.
	File(ctx context.Context, name string) (Scored, error)
	// Combined returns the combined histograms of sentences: what combine returns, or returned before for a method
	// with these settings and the same texts.
	Combined(ctx context.Context, m Method, sentences []sentence.Sentence, combine Combine) (ot.Histograms, error)
	// Progress is told how many transport problems are solved; nil if nobody wants to know.
	Progress() func(done, total int64)
}

// Combine computes combined histograms; progress may be nil.
type Combine func(ctx context.Context, progress func(done, total int64)) (ot.Histograms, error)

// Scored has scores of pairs of texts. The error names a text that it lacks.
type Scored interface {
	Score(a, b string) (float64, error)
}

// Bins says what the bins of histograms are: clusters of the word vectors of a kind.
type Bins struct {
	Kind string
	Support
}

// Needs is what a method asks a source for.
type Needs struct {
	// Vectors are kinds of word vectors; the bins of histograms are clusters of the first.
	Vectors []string
	// Histograms tells whether it compares histograms, for which Estimates and Bins say which.
	Histograms bool
	Bins       Bins
	// Marginals are the p(w) of weights; uniform weights count as OfCorpus. One may stand twice.
	Marginals []Marginal
	// NGrams tells whether it averages vectors of n-grams too.
	NGrams bool
	// Engine tells whether it solves transport problems.
	Engine bool
	// Combined has the settings that combined histograms depend on, as Source.Combined gets them; nil for a method
	// that does not ask for them.
	Combined Method
	// Files are scores that another program made.
	Files []string
	// Streams are the random streams that it draws from, as Source.Seed gets them.
	Streams []string
}

// Random streams that methods draw from, as Source.Seed gets them.
const (
	OwnStream      = "vectors of their own" // directions of words
	ShuffledStream = "shuffled centroids"   // the order of bins
	slicedStream   = "sliced wasserstein"
)
