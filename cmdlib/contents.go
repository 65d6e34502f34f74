package cmdlib

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
)

// Contents is what a space is written from.
type Contents struct {
	Vocabulary *corpus.Vocabulary
	// Histograms is words×K: rows that sum to 1, or all zeros for a word without an
	// estimate.
	Histograms ot.Histograms
	// Vectors is words×Dim, Centroids K×Dim.
	Dim                int
	Vectors, Centroids []float32
	// Cost is K×K, normalised and clipped.
	Cost     ot.Cost
	Settings Settings
	// Assignment is the bin that each word belongs to as a context, −1 for none, and
	// Associations (words×words) what the histograms were made from. They are what
	// Explain tells the words behind a bin's mass from. Both may be nil, not one.
	Assignment   []int32
	Associations *sppmi.Matrix
	// Reference is what Estimate makes the histograms of further words by; it needs Assignment. It may be nil.
	Reference *Reference
	// Provenance is written to space.json as it is: where the space comes from, for
	// people and programs. It may be nil.
	Provenance map[string]any
}

func (c *Contents) check() error {
	if c.Vocabulary == nil {
		return errors.New("no vocabulary")
	}
	words, k := c.Vocabulary.Len(), c.Cost.K
	switch {
	case words == 0 || k < 1 || c.Dim < 1:
		return fmt.Errorf("%d words, %d bins, dimension %d, expected at least 1 of each", words, k, c.Dim)
	case len(c.Cost.Data) != k*k:
		return fmt.Errorf("%d costs for %d bins, expected %d", len(c.Cost.Data), k, k*k)
	case c.Histograms.K != k || len(c.Histograms.Data) != words*k:
		return fmt.Errorf("%d entries of histograms of %d bins, expected %d words of %d",
			len(c.Histograms.Data), c.Histograms.K, words, k)
	case len(c.Vectors) != words*c.Dim:
		return fmt.Errorf("%d coordinates of vectors, expected %d words of dimension %d", len(c.Vectors), words, c.Dim)
	case len(c.Centroids) != k*c.Dim:
		return fmt.Errorf("%d coordinates of centroids, expected %d of dimension %d", len(c.Centroids), k, c.Dim)
	}
	if (c.Assignment == nil) != (c.Associations == nil) {
		return errors.New("an assignment without associations, or the other way round")
	}
	if c.Associations != nil {
		if len(c.Assignment) != words || c.Associations.Rows != words || c.Associations.Cols != words {
			return fmt.Errorf("%d assignments and associations of %d words with %d contexts, expected %d of each",
				len(c.Assignment), c.Associations.Rows, c.Associations.Cols, words)
		}
		if err := checkAssignment(c.Vocabulary.Words, c.Assignment, k); err != nil {
			return err
		}
	}
	if c.Reference != nil {
		if c.Assignment == nil {
			return errors.New("a reference for estimates without an assignment")
		}
		if err := c.Reference.check(words, k); err != nil {
			return err
		}
	}
	if err := checkCost(c.Cost); err != nil {
		return err
	}
	for i := range words {
		sum := 0.0
		for j, x := range c.Histograms.Row(i) {
			if !(x >= 0) {
				return fmt.Errorf("bin %d of the histogram of %q is %v, expected a number ≥ 0",
					j, c.Vocabulary.Words[i], x)
			}
			sum += float64(x)
		}
		if sum != 0 && math.Abs(sum-1) > ot.MassTolerance {
			return fmt.Errorf("the histogram of %q sums to %v, expected 1, or 0 for a word without an estimate",
				c.Vocabulary.Words[i], sum)
		}
	}
	return c.Settings.checkKept()
}

// checkAssignment returns an error for a word whose bin as a context is neither one of k nor −1.
func checkAssignment(words []string, assignment []int32, k int) error {
	for i, bin := range assignment {
		if bin < -1 || int(bin) >= k {
			return fmt.Errorf("%q is assigned to bin %d of %d", words[i], bin, k)
		}
	}
	return nil
}

func checkCost(c ot.Cost) error {
	for i, x := range c.Data {
		if !(x >= 0 && x <= math.MaxFloat32) {
			return fmt.Errorf("the cost from bin %d to bin %d is %v, expected a finite number ≥ 0", i/c.K, i%c.K, x)
		}
	}
	return nil
}

// Write writes a space to the file at path, which appears whole or not at all, in place of a space that is there. It
// is a zip file of space.json, vocab.txt and arrays, whose rows are words: histograms, vectors, estimated (whether
// there is a histogram), and with associations assignment, sources and shares; cost and centroids have rows of bins.
//
// It returns an error where Replaceable does, for contents whose sizes do not fit each other, for settings out of
// range, for a histogram that is not one, and for a cost that is negative or not finite.
func Write(ctx context.Context, path string, c Contents) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("cmdlib: writing %s: %w", path, err)
	}
	if err := Replaceable(path); err != nil {
		return err
	}
	stored, err := c.stored(ctx)
	if err == nil {
		err = stored.write(ctx, path)
	}
	if err != nil {
		return fmt.Errorf("cmdlib: %w", err)
	}
	return nil
}

// stored returns what the file of the space holds.
func (c *Contents) stored(ctx context.Context) (*stored, error) {
	f := &stored{
		manifest: manifest{
			Text: corpus.Form, Words: c.Vocabulary.Len(), Bins: c.Cost.K, Dim: c.Dim, Settings: c.Settings,
			Reference: c.Reference, Provenance: c.Provenance,
		},
		vocabulary: wordLines(c.Vocabulary.Words, c.Vocabulary.Counts),
		histograms: c.Histograms.Data, cost: c.Cost.Data, centroids: c.Centroids, vectors: c.Vectors,
	}
	f.estimated = make([]uint8, f.Words)
	for i, count := range c.Vocabulary.Counts {
		f.Tokens += count
		if hasMass(c.Histograms.Row(i)) {
			f.estimated[i] = 1
			f.Estimated++
		}
	}
	var err error
	if c.Associations != nil {
		f.Sources, f.assignment = sourcesWidth, c.Assignment
		if f.sources, f.shares, err = strongest(ctx, c.Associations, c.Assignment, c.Histograms); err != nil {
			return nil, err
		}
	}
	if c.Reference != nil {
		f.marginals = c.Reference.Marginals
	}
	vector := func(to []float32, i int) bool { return unit(to, c.Vectors[i*c.Dim:(i+1)*c.Dim]) }
	f.directions, f.Shares, err = c.Settings.Encoding.fit(ctx, c.Vocabulary.Counts, f.Tokens, f.Dim, vector)
	if err != nil {
		return nil, err
	}
	if f.Estimated > 0 {
		if _, err := f.drawn(ctx); err != nil {
			return nil, err
		}
	}
	return f, nil
}
