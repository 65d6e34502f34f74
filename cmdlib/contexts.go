package cmdlib

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"contextmover/cmdlib/internal/npz"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// A space keeps, of each word's associations, the strongest sourcesPerBin contexts in
// each of the sourceBins bins with most of its mass.
const (
	sourceBins    = 16
	sourcesPerBin = 3
	sourcesWidth  = sourceBins * sourcesPerBin
)

// Source is a context word and the share of a bin's mass that it brought.
type Source struct {
	Word  string  `json:"word"`
	Share float64 `json:"share"`
}

// strongest picks the sources of each word: words×sourcesWidth context words, −1 where
// there are fewer, by bin with the greatest first and in it by strength; and the
// share of each in the word's association with its bin.
func strongest(
	ctx context.Context, associations *sppmi.Matrix, assignment []int32, h ot.Histograms,
) (sources []int32, shares []float32, err error) {
	words := h.Len()
	sources, shares = make([]int32, words*sourcesWidth), make([]float32, words*sourcesWidth)
	return sources, shares, parallel.Blocks(ctx, words, 256, func(lo, hi int) error {
		for w := lo; w < hi; w++ {
			contexts, values := associations.Row(w)
			picked, their := strongestOf(contexts, values, assignment, h.Row(w))
			copy(sources[w*sourcesWidth:], picked)
			copy(shares[w*sourcesWidth:], their)
		}
		return nil
	})
}

// strongestOf picks the sources of a word among its contexts by these associations, as strongest does; mass is its
// histogram.
func strongestOf(
	contexts []int32, values []float32, assignment []int32, mass []float32,
) (sources []int32, shares []float32) {
	sources, shares = slices.Repeat([]int32{-1}, sourcesWidth), make([]float32, sourcesWidth)
	bins, total := make([]int32, len(mass)), make([]float64, len(mass))
	place := slices.Repeat([]int32{-1}, len(mass)) // of a bin among the greatest, or −1
	for k := range bins {
		bins[k] = int32(k)
	}
	slices.SortStableFunc(bins, func(a, b int32) int {
		return cmp.Compare(mass[b], mass[a])
	})
	most := min(sourceBins, len(bins))
	for at, k := range bins[:most] {
		if mass[k] > 0 {
			place[k] = int32(at)
		}
	}
	for i, c := range contexts {
		k := assignment[c]
		if k < 0 {
			continue
		}
		total[k] += float64(values[i])
		if place[k] < 0 {
			continue
		}
		first := int(place[k]) * sourcesPerBin
		insert(sources[first:first+sourcesPerBin], shares[first:first+sourcesPerBin], c, values[i])
	}
	for at, k := range bins[:most] {
		for i := range sourcesPerBin {
			if s := &shares[at*sourcesPerBin+i]; *s > 0 {
				*s = float32(float64(*s) / total[k])
			}
		}
	}
	return sources, shares
}

// insert puts a context into its place among the strongest, the earlier of equals first.
func insert(sources []int32, strengths []float32, context int32, strength float32) {
	for i := range sources {
		if sources[i] < 0 || strength > strengths[i] {
			copy(sources[i+1:], sources[i:])
			copy(strengths[i+1:], strengths[i:])
			sources[i], strengths[i] = context, strength
			return
		}
	}
}

// sources returns the contexts that brought most of the mass of the word with this id to a bin, the strongest first.
// It returns none if the space does not keep them, or where the bin has little mass. An impossible value is an
// ErrDamaged.
func (s *Space) sources(word int32, bin int) ([]Source, error) {
	e, err := s.estimates()
	if err != nil || len(e.assignment) == 0 {
		return nil, err
	}
	var list []Source
	sources, shares := e.sources, e.shares
	first := int(word) * sourcesWidth
	if e := s.learned.estimate(word); e != nil {
		first, sources, shares = 0, e.sources, e.shares
	}
	for i, c := range sources[first : first+sourcesWidth] {
		if c < -1 || int(c) >= len(s.Words) {
			return nil, s.damaged(sourcesFile, word, "source %d is word %d of %d, expected a word or -1",
				i+1, c, len(s.Words))
		}
		if c < 0 || e.assignment[c] != int32(bin) {
			continue
		}
		share := float64(shares[first+i])
		if !(share >= 0 && share <= 1+ot.MassTolerance) {
			return nil, s.damaged(sharesFile, word, "the share of its context %q is %v, expected 0 to 1",
				s.Words[c], share)
		}
		list = append(list, Source{s.Words[c], share})
	}
	return list, nil
}

// ErrDamaged is returned when the file of a space is not as it was written.
var ErrDamaged = npz.ErrDamaged

// damaged tells what is wrong with a word's row of a file.
func (s *Space) damaged(file string, word int32, format string, args ...any) error {
	return damage(s.path, fmt.Errorf("%s: word %d, %q: %s", file, word, s.Words[word], fmt.Sprintf(format, args...)))
}

// Name returns the words that tell best what the contexts of a bin are, at most n and at most 16. They are those in
// its cluster that are near its centroid by direction and bring much of its mass, by
//
//	cosine × √(Σ_w share of the word in what w has in the bin × mass of w in the bin)
//
// over the words w that keep it as a source. In a space that does not keep what brings mass all words are compared,
// and the second factor is the squared logarithm of the count. A word without a letter is no name where there is
// another.
//
// Telling reports whether the words say something. It is false for clusters of proper names, misspelt words and noise,
// where the geometric mean of the counts of all 16 is less than a tenth of that of the median bin, and for clusters of
// function words, where it is more than thirty times that. Explanations tell of such bins last. It panics if the space
// has no such bin.
func (s *Data) Name(bin, n int) (words []string, telling bool) {
	if bin < 0 || bin >= s.Cost.K {
		panic(fmt.Sprintf("cmdlib: bin %d of %d", bin, s.Cost.K))
	}
	var without []string
	for _, id := range s.name(bin, nil) {
		if word := s.words[id]; strings.ContainsFunc(word, unicode.IsLetter) {
			words = append(words, word)
		} else {
			without = append(without, word)
		}
	}
	if len(words) == 0 {
		words = without
	}
	return words[:min(n, len(words))], s.telling(bin)
}

// Names tell nothing that are rarer, or more common, than these multiples of the frequency of the median bin's names.
const (
	rarer      = 0.1
	moreCommon = 30
)

// telling is that of Name.
func (s *Data) telling(bin int) bool {
	s.nearby.frequent.Do(func() {
		if s.names == nil && s.clusters().words == nil {
			return // all would be compared with all
		}
		means := make([]float64, s.Cost.K)
		for b := range means {
			ids := s.name(b, nil)
			for _, id := range ids {
				means[b] += elementary.Log1p(float64(s.counts[id])) / float64(len(ids))
			}
		}
		median := slices.Sorted(slices.Values(means))[len(means)/2]
		for _, mean := range means {
			more := mean - median
			s.nearby.tellsNothing = append(s.nearby.tellsNothing,
				more < elementary.Log(rarer) || more > elementary.Log(moreCommon))
		}
	})
	return s.nearby.tellsNothing == nil || !s.nearby.tellsNothing[bin]
}

// name returns the ids of the words of Name, of those for which keep holds; nil stands for all. Where it holds for
// none in the bin's cluster, words of others are taken.
func (s *Data) name(bin int, keep func(id int32) bool) (ids []int32) {
	if s.names != nil {
		for _, id := range s.names[bin*keptNames:][:keptNames] {
			if id >= 0 && (keep == nil || keep(id)) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	type candidate struct {
		id    int32
		score float64
	}
	clusters := s.clusters()
	var found []candidate
	centroid := s.Centroids[bin*s.Dim:][:s.Dim]
	add := func(id int32) {
		if keep != nil && !keep(id) {
			return
		}
		var dot, norm float64
		for i, x := range s.Vectors[int(id)*s.Dim:][:s.Dim] {
			dot += float64(float64(x) * float64(centroid[i]))
			norm += float64(float64(x) * float64(x))
		}
		known := elementary.Log1p(float64(s.counts[id]))
		known *= known
		if clusters.brought != nil {
			known = math.Sqrt(clusters.brought[id])
		}
		found = append(found, candidate{id, dot / math.Sqrt(norm) * known})
	}
	if clusters.words != nil {
		for _, id := range clusters.words[bin] {
			add(id)
		}
	}
	if clusters.words == nil || len(clusters.words[bin]) > 0 && len(found) == 0 {
		for id := range int32(s.OwnWords()) {
			add(id)
		}
	}
	found = slices.DeleteFunc(found, func(c candidate) bool { return math.IsNaN(c.score) }) // of a vector of zeros
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Compare(b.score, a.score)
	})
	for _, c := range found[:min(keptNames, len(found))] {
		ids = append(ids, c.id)
	}
	return ids
}

// clusters are the words of each bin as contexts, and what each word brings to its own bin, over all words as far as
// these keep their sources. They are nil in a space that does not keep them.
type clusters struct {
	words   [][]int32
	brought []float64
}

// clusters returns those of a space that is not packed. Damaged entries bring nothing.
func (s *Data) clusters() *clusters {
	s.nearby.clustered.Do(func() {
		e, err := s.estimates()
		c := &s.nearby.clusters
		if err != nil || len(e.assignment) == 0 {
			return
		}
		c.words = make([][]int32, s.Cost.K)
		for id, bin := range e.assignment[:s.OwnWords()] {
			if bin >= 0 && int(bin) < len(c.words) {
				c.words[bin] = append(c.words[bin], int32(id))
			}
		}
		if len(e.sources) == 0 {
			return
		}
		c.brought = make([]float64, e.Len())
		for w := range c.brought {
			row := e.Row(w)
			for i := w * sourcesWidth; i < (w+1)*sourcesWidth; i++ {
				id, share := e.sources[i], float64(e.shares[i])
				if id < 0 || int(id) >= e.Len() || !(share >= 0 && share <= 1) {
					continue
				}
				if bin := e.assignment[id]; bin >= 0 && int(bin) < len(row) {
					c.brought[id] += float64(share * float64(row[bin]))
				}
			}
		}
	})
	return &s.nearby.clusters
}
