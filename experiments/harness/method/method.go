// Package method defines the methods that compare texts in tables, each once: a type whose fields are its settings.
// Those that a space answers single questions by are cmdlib.Method, which has fewer settings.
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

	"contextmover/cmdlib"
	"contextmover/cmdlib/sentence"
)

// Pair is two texts to compare.
type Pair = cmdlib.Pair

// Method says how texts are compared. All implementations are comparable structs.
type Method interface {
	// Validate returns a *SettingError for a setting that is out of its range, or that others exclude.
	Validate() error
	// Needs returns what the method asks a Source for, of these settings.
	Needs() Needs
	counting
}

// ofVectors is a method that compares the vectors of words.
type ofVectors interface {
	// vectors takes what it needs from the source.
	vectors(ctx context.Context, s Source, pairs []Pair) (*vectors, error)
	// method compares by it.
	method(s Source, v *vectors) sentence.Method
}

// Varies tells whether a search varies the setting of this name, with the other settings as they are: whether it
// counts, and is not part of what the method is.
func Varies(m Method, name string) bool {
	if m, ok := m.(interface{ varies(name string) bool }); ok {
		return m.varies(name)
	}
	return m.counts(name)
}

// NewScorer takes what a method needs from the source, fits what is fitted, and returns what scores the pairs. The
// pairs are a data set: where components are removed, they are those of these texts.
func NewScorer(ctx context.Context, m Method, s Source, pairs []Pair) (Scorer, error) {
	if t, ok := GroupOf[Threshold](m); ok {
		s = thresholded{s, t}
	}
	switch m := m.(type) {
	case Combining:
		h, _ := GroupOf[Histograms](m)
		return h.compared(ctx, s, pairs, m)
	case ofVectors:
		v, err := m.vectors(ctx, s, pairs)
		if err != nil {
			return nil, err
		}
		return scored(m.method(s, v), v.pairs), nil
	}
	return m.(Encoder).scorer(ctx, s, pairs)
}

// scored scores pairs by a method of package sentence.
func scored(m sentence.Method, pairs []sentence.Pair) Scorer {
	return func(ctx context.Context) (sentence.Scores, error) { return m.Score(ctx, pairs) }
}

// Scorer returns a similarity for each pair, in order: the greater, the more similar. A pair is covered if the method
// represents both texts; others have the smallest value of those that are.
type Scorer func(ctx context.Context) (sentence.Scores, error)

// Score compares pairs of texts.
func Score(ctx context.Context, m Method, s Source, pairs []Pair) (sentence.Scores, error) {
	scorer, err := NewScorer(ctx, m, s, pairs)
	if err != nil {
		return sentence.Scores{}, err
	}
	return scorer(ctx)
}
