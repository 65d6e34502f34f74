package documents

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/english"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/score"
	"contextmover/experiments/harness/store"
)

// Result is the outcome of the experiment.
type Result struct {
	Rows []Row
	Sets []SetResult
}

// SetResult is a set with the errors of all rows: with all documents, and without those whose words were seen before.
type SetResult struct {
	profile.DocumentSet
	Documents, Unique, Classes int
	Known                      float64  // share of the words' occurrences that have a vector
	All, Distinct              []*Error // in the order of Result.Rows; nil of a row that is not tried on the set
}

// Error is the share of test documents × 100 that a row classifies wrongly, over all splits.
type Error struct {
	score.Estimate
	// K and Quantile are what the first split chose.
	K        int
	Quantile float64
	Cost     cost // of the chosen setting
}

// Files lists the files of the documents.
func Files(p *profile.Profile) (files []string) {
	for _, s := range p.Documents.Sets {
		files = append(files, s.Paths()...)
		if s.StopWords {
			files = append(files, p.Documents.StopWords)
		}
	}
	return files
}

// Compute finds neighbours, chooses k and thresholds on the validation part of each split, and counts errors on the
// test part.
func Compute(ctx context.Context, w *pipeline.Workspace) (*Result, error) {
	space, err := english.Open(w.Engine)
	if err != nil {
		return nil, err
	}
	defer space.Close()
	sets := w.Profile.Documents.Sets
	result := &Result{Rows: rows()}
	if !slices.ContainsFunc(sets, func(s profile.DocumentSet) bool { return s.Contexts }) {
		result.Rows = slices.DeleteFunc(result.Rows, func(r Row) bool { return r.contexts })
	}
	for _, of := range sets {
		s, err := read(ctx, w, space, of)
		if err != nil {
			return nil, err
		}
		r := SetResult{DocumentSet: of, Documents: len(s.documents), Classes: slices.Max(s.classes) + 1,
			Known: s.share()}
		for i := range s.documents {
			if s.unique(i) {
				r.Unique++
			}
		}
		for _, row := range result.Rows {
			var all, distinct *Error
			if of.Contexts || !row.contexts {
				if all, distinct, err = s.errors(ctx, row); err != nil {
					return nil, err
				}
			}
			r.All, r.Distinct = append(r.All, all), append(r.Distinct, distinct)
		}
		result.Sets = append(result.Sets, r)
	}
	return result, nil
}

// errors returns the errors of a row with all documents, and without those seen before.
func (s *set) errors(ctx context.Context, row Row) (all, distinct *Error, err error) {
	quantiles := []float64{0}
	if row.Geometry == Thresholded {
		quantiles = s.Profile.Documents.Quantiles
	}
	lists := make([]found, len(quantiles))
	for i, q := range quantiles {
		if lists[i], err = store.Get(ctx, s.Store, s.node(row, q)); err != nil {
			return nil, nil, err
		}
	}
	if all, err = s.errorOf(ctx, quantiles, lists, func(int) bool { return true }); err == nil {
		distinct, err = s.errorOf(ctx, quantiles, lists, s.unique)
	}
	return all, distinct, err
}

// errorOf is the error with the neighbours at each of the quantiles, of the documents that keep is true of.
func (s *set) errorOf(ctx context.Context, quantiles []float64, lists []found, keep func(i int) bool) (*Error, error) {
	wrong, tests := make([]float64, len(s.documents)), make([]float64, len(s.documents))
	var e Error
	for n, split := range s.splits(keep) {
		c := newClassifier(s, split)
		missed := func(documents []int, f found, k int) (missed []int) {
			for _, d := range documents {
				if c.class(f, d, k) != s.classes[d] {
					missed = append(missed, d)
				}
			}
			return missed
		}
		best, least, k := 0, len(split.validation)+1, 0
		for i, f := range lists {
			for _, number := range s.Profile.Documents.Neighbours {
				if m := len(missed(split.validation, f, number)); m < least {
					best, least, k = i, m, number
				}
			}
		}
		if n == 0 {
			e.K, e.Quantile, e.Cost = k, quantiles[best], lists[best].Cost
		}
		c.join(split.validation)
		for _, d := range split.test {
			tests[d]++
		}
		for _, d := range missed(split.test, lists[best], k) {
			wrong[d]++
		}
	}

	tested := 0
	for i, n := range tests {
		if n > 0 {
			wrong[tested], tests[tested] = wrong[i], n
			tested++
		}
	}
	wrong, tests = wrong[:tested], tests[:tested]
	seed := s.seed("bootstrap of documents")
	draws, err := score.Draws(ctx, tested, pipeline.Draws, seed, func(sample []int) float64 {
		w, t := 0.0, 0.0
		for _, i := range sample {
			w, t = w+wrong[i], t+tests[i]
		}
		return 100 * w / t
	})
	e.Estimate = score.NewEstimate(100*floats.Sum(wrong)/floats.Sum(tests), draws, nil)
	return &e, err
}

// classifier votes by the neighbours that are in a training part.
type classifier struct {
	*set
	at     map[int]int // place of a document among the queries
	in     []bool      // documents that vote
	common int         // class of most of them
}

func newClassifier(s *set, of split) *classifier {
	c := &classifier{set: s, at: map[int]int{}, in: make([]bool, len(s.documents))}
	for at, d := range s.search.Queries {
		c.at[d] = at
	}
	c.join(of.train)
	return c
}

// join adds documents to those that vote.
func (c *classifier) join(documents []int) {
	for _, d := range documents {
		c.in[d] = true
	}
	counts := make([]int, slices.Max(c.classes)+1)
	for d, in := range c.in {
		if in {
			counts[c.classes[d]]++
		}
	}
	for class, n := range counts {
		if n > counts[c.common] {
			c.common = class
		}
	}
}

// class is that of most of the k nearest which vote, of several the one of the nearest; the most common class where
// there is none.
func (c *classifier) class(f found, document, k int) int {
	votes := map[int]int{}
	var order []int // classes, the nearest first
	for _, index := range f.Index[c.at[document]*c.search.K:][:c.search.K] {
		if index < 0 || k == 0 {
			break
		}
		if c.in[index] {
			order = append(order, c.classes[index])
			votes[c.classes[index]]++
			k--
		}
	}
	if len(order) == 0 {
		return c.common
	}
	return slices.MaxFunc(order, func(a, b int) int { return votes[a] - votes[b] })
}
