package documents

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"contextmover/cmdlib/english"
	"contextmover/experiments/harness/method"
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
	Known                      float64 // share of the words' occurrences that have a vector
	All, Distinct              []Error // in the order of Result.Rows
}

// Error is the share of test documents × 100 that a row classifies wrongly, over all splits.
type Error struct {
	score.Estimate
	// Left out: a row that is not tried on the set.
	Absent bool
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
	result := &Result{Rows: rows()}
	if ids := w.Profile.Documents.Rows; len(ids) > 0 {
		for _, id := range ids {
			if !slices.ContainsFunc(result.Rows, func(r Row) bool { return r.ID == id }) {
				return nil, fmt.Errorf("%w: documents.rows: no row %q, expected one of %s", pipeline.ErrSettings, id,
					rowIDs())
			}
		}
		result.Rows = slices.DeleteFunc(result.Rows, func(r Row) bool { return !slices.Contains(ids, r.ID) })
	}
	if !slices.ContainsFunc(w.Profile.Documents.Sets, func(s profile.DocumentSet) bool { return s.Contexts }) {
		result.Rows = slices.DeleteFunc(result.Rows, func(r Row) bool { return r.contexts })
	}
	for _, of := range w.Profile.Documents.Sets {
		s, err := read(ctx, w, space, of)
		if err != nil {
			return nil, err
		}
		from := &sources{
			set: s, space: space, seed: w.Profile.Seed, engine: w.Engine, search: s.search(w.Profile.Documents,
				w.Profile.Seed),
		}
		r := SetResult{DocumentSet: of, Documents: len(s.documents), Classes: slices.Max(s.classes) + 1,
			Known: s.known()}
		for _, first := range s.first {
			if first {
				r.Unique++
			}
		}
		for _, row := range result.Rows {
			if row.contexts && !of.Contexts {
				r.All, r.Distinct = append(r.All, Error{Absent: true}), append(r.Distinct, Error{Absent: true})
				continue
			}
			all, distinct, err := errorsOf(ctx, w, from, row)
			if err != nil {
				return nil, err
			}
			r.All, r.Distinct = append(r.All, all), append(r.Distinct, distinct)
		}
		result.Sets = append(result.Sets, r)
	}
	return result, nil
}

// known is the share of occurrences of words with a vector.
func (s *set) known() float64 {
	known, total := 0, 0
	for _, words := range s.documents {
		for _, word := range words {
			if total++; s.ids[word] >= 0 {
				known++
			}
		}
	}
	return float64(known) / float64(total)
}

// errorsOf returns the errors of a row with all documents, and without those seen before.
func errorsOf(ctx context.Context, w *pipeline.Workspace, s *sources, row Row) (all, distinct Error, err error) {
	quantiles := []float64{0}
	if row.Geometry == Thresholded {
		quantiles = w.Profile.Documents.Quantiles
	}
	lists := make([]found, len(quantiles))
	for i, q := range quantiles {
		if lists[i], err = store.Get(ctx, w.Store, node(w, s, row, q)); err != nil {
			return all, distinct, err
		}
	}
	of := func(keep func(i int) bool) (Error, error) {
		splits := s.splits(w.Profile.Documents, w.Profile.Seed, keep)
		wrong, tests := make([]float64, len(s.documents)), make([]float64, len(s.documents))
		var e Error
		for n, split := range splits {
			c := newClassifier(s, split, w.Profile.Documents.Depth)
			best, least := 0, 0
			k := w.Profile.Documents.Neighbours[0]
			for i := range lists {
				for at, number := range w.Profile.Documents.Neighbours {
					missed := 0
					for _, d := range split.validation {
						if c.class(lists[i], d, number) != s.classes[d] {
							missed++
						}
					}
					if i == 0 && at == 0 || missed < least {
						best, least, k = i, missed, number
					}
				}
			}
			if n == 0 {
				e.K, e.Quantile, e.Cost = k, quantiles[best], lists[best].Cost
			}
			c.join(split.validation)
			for _, d := range split.test {
				tests[d]++
				if c.class(lists[best], d, k) != s.classes[d] {
					wrong[d]++
				}
			}
		}
		share := func(sample []int) float64 {
			w, t := 0.0, 0.0
			for _, i := range sample {
				w, t = w+wrong[i], t+tests[i]
			}
			return 100 * w / t
		}
		var tested []int
		for i, t := range tests {
			if t > 0 {
				tested = append(tested, i)
			}
		}
		draws, err := score.Draws(ctx, len(tested), pipeline.Draws, pipeline.Seed(w.Profile.Seed,
			"bootstrap of documents of "+s.Name),
			func(sample []int) float64 {
				at := make([]int, len(sample))
				for i, x := range sample {
					at[i] = tested[x]
				}
				return share(at)
			})
		if err != nil {
			return Error{}, err
		}
		e.Estimate = score.NewEstimate(share(tested), draws, nil)
		return e, nil
	}
	if all, err = of(func(int) bool { return true }); err == nil {
		distinct, err = of(s.unique)
	}
	return all, distinct, err
}

// classifier votes by the neighbours that are in a training part.
type classifier struct {
	*sources
	depth  int
	at     map[int]int // place of a document among the queries
	in     []bool      // documents that vote
	common int         // class of most of them
}

func newClassifier(s *sources, of split, depth int) *classifier {
	c := &classifier{sources: s, depth: depth, at: map[int]int{}, in: make([]bool, len(s.documents))}
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
	counts := map[int]int{}
	for d, in := range c.in {
		if in {
			counts[c.classes[d]]++
		}
	}
	for class := range slices.Max(c.classes) + 1 {
		if counts[class] > counts[c.common] {
			c.common = class
		}
	}
}

// class is that of most of the k nearest which vote, of several the one of the nearest; the most common class where
// there is none.
func (c *classifier) class(f found, document, k int) int {
	votes := map[int]int{}
	var order []int // classes, the nearest first
	for _, index := range f.Index[c.at[document]*c.depth:][:c.depth] {
		if index < 0 || k == 0 {
			break
		}
		if !c.in[index] {
			continue
		}
		class := c.classes[index]
		if votes[class] == 0 {
			order = append(order, class)
		}
		votes[class]++
		k--
	}
	if len(order) == 0 {
		return c.common
	}
	best := order[0]
	for _, class := range order {
		if votes[class] > votes[best] {
			best = class
		}
	}
	return best
}

// setting names what was chosen.
func (e Error) setting(of Row) string {
	text := "k = " + strconv.Itoa(e.K)
	if of.Geometry == Thresholded {
		text += fmt.Sprintf(", τ at %g", e.Quantile)
	}
	return text
}

// geometries are the ground costs in the order of the table of differences.
var geometries = []string{method.Shuffled, method.Discrete, Thresholded}
