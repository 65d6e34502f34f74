// Package method defines the methods that compare texts, each once: a type whose fields are its settings.
//
// A method is a plain comparable value, such as SIF or Barycenter. Tags of its fields give the name in profiles, on
// the command line and in JSON, the default and the range. They also give the sign in formulas, and whether a search
// varies them (see Field). Settings that several methods have are structs that they embed: WordVectors, Estimates,
// Support, Cost, Transport, Weighting and others.
//
// What a method is computed from comes from a Source: a space, which answers from its files, or the workspace of an
// experiment, which makes and keeps it. Needs tells before what that will be. Package sentence computes; this package
// says what with.
//
// Kinds lists all methods, Parse reads one as people write it: "sif,a=1e-4,remove_pc=true".
package method

import (
	"context"

	"contextmover/cmdlib/sentence"
)

// Pair is two texts to compare.
type Pair struct{ A, B string }

// Method says how texts are compared. All implementations are comparable structs.
type Method interface {
	// Validate returns a *SettingError for a setting that is out of its range, or that others exclude.
	Validate() error
	// Needs returns what the method asks a Source for, of these settings.
	Needs() Needs
	// Varies tells whether a search varies the setting of this name, with the other settings as they are: whether
	// it counts, and is not part of what the method is.
	Varies(name string) bool
	// Scorer takes what it needs from the source, fits what is fitted, and returns what scores the pairs. The
	// pairs are a data set: where components are removed, they are those of these texts.
	Scorer(ctx context.Context, s Source, pairs []Pair) (Scorer, error)
}

// Scorer returns a similarity for each pair, in order: the greater, the more similar. A pair is covered if the method
// represents both texts; others have the smallest value of those that are.
type Scorer func(ctx context.Context) (sentence.Scores, error)

// Score compares pairs of texts.
func Score(ctx context.Context, m Method, s Source, pairs []Pair) (sentence.Scores, error) {
	scorer, err := m.Scorer(ctx, s, pairs)
	if err != nil {
		return sentence.Scores{}, err
	}
	return scorer(ctx)
}

// An Embedder is a method that represents a text by itself, as a vector whose cosines are its scores.
type Embedder interface {
	Method
	// Fit returns the components that are removed from the vectors of texts like these, or those that the source keeps.
	Fit(ctx context.Context, s Source, texts []string) (*sentence.Components, error)
	// Encode returns a vector for each text, row by row, without the components, which may be nil. A text without a
	// word that has a vector is all zeros.
	Encode(ctx context.Context, s Source, texts []string, c *sentence.Components) (*Encoded, error)
}

// Averaging is an Embedder whose vectors are weighted means of those of words, so that a cosine of two is a sum over
// pairs of words.
type Averaging interface {
	Embedder
	// PerText tells whether the score of two texts is the cosine of vectors that do not depend on other texts.
	PerText() bool
	// Terms returns the words of a text, in order, and their vectors v, a row each: what Encode takes the mean of,
	//
	//	x = Σ_i w_i v_i / n
	//
	// n the number of words with a weight above 0, but for weights that are scaled to the sum 1 (Inverse).
	Terms(ctx context.Context, s Source, text string) (terms []Term, vectors []float32, err error)
	// Weight returns the weight of a word with this share of the corpus.
	Weight(p float64) float64
}

// Term is a word of a text as an Averaging method sees it.
type Term struct {
	Text string
	// Weight is that of the word before the mean is taken, 0 of a word that is left out for want of a vector.
	Weight float64
	// Known tells whether the source has a vector of the word. One without may have a vector of its own, see OwnWords.
	Known bool
}

// Encoded are vectors of texts.
type Encoded struct {
	Dim int
	// Data is texts×Dim. The vectors have the length that averages have; they are not scaled to 1.
	Data []float64
	// Covered tells which texts have a vector.
	Covered []bool
}
