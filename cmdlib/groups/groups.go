// Package groups groups sentences by the distances of a space: k-medoids, so
// that each group has a sentence in its middle, and words and contexts that mark it.
package groups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/medoids"
	"contextmover/cmdlib/ot"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Most is the largest number of groups that are looked for where none is asked for.
const Most = 10

// sampled is the number of rows that medoids are found among; the others join the group that they are nearest to.
const sampled = 300

// Marks is the number of words and of contexts that a group has at most.
const Marks = 6

// nameWords is the number of words in the name of a context.
const nameWords = 3

// Groups are those of some texts.
type Groups struct {
	// Groups come with the largest first.
	Groups []Group
	// Unknown are the texts without a known word, as positions in what Sentences was given.
	Unknown []int
	// Silhouette tells how well the groups are apart, from 0 to 1
	// (medoids.Groups), of the sample that they were found in; 0 for one group.
	Silhouette float64
}

// Group is one of them.
type Group struct {
	// Share is that of the texts, of all but the unknown ones.
	Share float64
	// Members are positions in what Sentences was given, the medoid first and then those nearest to it.
	Members []int
	// Words and Contexts are what is more frequent in the group than in all texts, what marks it most first.
	Words, Contexts []Mark
}

// Mark is a word, or the name of a context. Share p is the share of the group's texts that have the word, or the mean
// mass that they have in the context, and All q that of all texts. Marks come in the order of p·ln(p/q), what each
// adds to the divergence of the group from all texts. Words come in that of p·ln(p/q)·a/(a+r), where r is the word's
// share of the space's corpus and a = 0.001. So words that are frequent everywhere come late. What has neither
// letters nor digits is no mark.
type Mark struct {
	Name       string
	Share, All float64
}

// ErrFew is that of too few texts for the groups.
var ErrFew = errors.New("groups: too few texts")

// Sentences groups texts into k groups, by the distance that Space.Default says: 1 − cosine of Space.Encode, or the
// context mover's, as Space.Sentences combines their words. With k = 0 it is the number from 2 to Most that has the
// largest silhouette. It always finds groups: whether these are topics is for their marks to tell. Medoids are found
// among an even sample of 300 texts, and each text joins the one that it is nearest to, by the distance from the text
// to it.
//
// It is an ErrFew if there are fewer than k texts with a known word (4 for k = 0), and an error if k < 0 or above 300.
func Sentences(ctx context.Context, s *cmdlib.Space, texts []string, k int) (*Groups, error) {
	if k < 0 {
		return nil, fmt.Errorf("groups: %d groups are asked for, expected at least 1, or 0 to choose", k)
	}
	sentences, err := s.Sentences(ctx, texts)
	if err != nil {
		return nil, err
	}
	found := new(Groups)
	ids, between, err := compared(ctx, s, texts, sentences)
	if err != nil {
		return nil, err
	}
	for i, at := 0, 0; i < len(texts); i++ {
		if at < len(ids) && ids[at] == i {
			at++
			continue
		}
		found.Unknown = append(found.Unknown, i)
	}
	if least := max(k, 1); len(ids) < least || k == 0 && len(ids) < 4 {
		return nil, fmt.Errorf("%w: %d of %d have a word that the space knows, expected at least %d",
			ErrFew, len(ids), len(texts), max(k, 4))
	}
	least, most := k, k
	if k == 0 {
		least, most = 2, min(Most, len(ids)/2)
	}
	middle, sample, err := Medoids(ctx, len(ids), between, least, most)
	if err != nil {
		return nil, err
	}
	found.Silhouette = middle.Silhouette
	var centres []int
	for _, m := range middle.Medoids {
		centres = append(centres, sample[m])
	}
	assignment, distances, err := Nearest(ctx, len(ids), between, centres)
	if err != nil {
		return nil, err
	}
	for g, m := range middle.Medoids {
		// A medoid is in its own group, even if one that is the same sentence has come before.
		assignment[sample[m]], distances[sample[m]] = g, math.Inf(-1)
	}
	all := newTally(s.Cost.K, sentences, ids)
	for g := range middle.Medoids {
		var own []int // positions in ids
		for i, a := range assignment {
			if a == g {
				own = append(own, i)
			}
		}
		slices.SortStableFunc(own, func(a, b int) int { return cmp.Compare(distances[a], distances[b]) })
		group := Group{Share: float64(len(own)) / float64(len(ids))}
		for _, i := range own {
			group.Members = append(group.Members, ids[i])
		}
		group.Words, group.Contexts = newTally(s.Cost.K, sentences, group.Members).marks(s, all)
		found.Groups = append(found.Groups, group)
	}
	slices.SortStableFunc(found.Groups, func(a, b Group) int { return cmp.Compare(len(b.Members), len(a.Members)) })
	return found, nil
}

// Between returns the distance of each pair of things.
type Between func(ctx context.Context, pairs []ot.Pair) ([]float64, error)

// Transport is the context mover's distance of a space between rows.
func Transport(s *cmdlib.Space, rows ot.Histograms) Between {
	return func(ctx context.Context, pairs []ot.Pair) ([]float64, error) { return s.Distances(ctx, rows, pairs) }
}

// cosines is 1 − cosine of rows of length 1, 0 where rounding makes it less.
func cosines(rows []float32, dim int) Between {
	return func(ctx context.Context, pairs []ot.Pair) ([]float64, error) {
		distances := make([]float64, len(pairs))
		return distances, parallel.Blocks(ctx, len(pairs), 1024, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				y := rows[int(pairs[i].Target)*dim:]
				dot := 0.0
				for j, x := range rows[int(pairs[i].Source)*dim:][:dim] {
					dot += float64(float64(x) * float64(y[j]))
				}
				distances[i] = max(0, 1-dot)
			}
			return nil
		})
	}
}

// compared returns the texts that have a known word, and the distances between these.
func compared(
	ctx context.Context, s *cmdlib.Space, texts []string, sentences []*cmdlib.Sentence,
) (ids []int, between Between, err error) {
	if !s.ByVectors(texts...) {
		rows := ot.Histograms{K: s.Cost.K}
		for i, x := range sentences {
			if x.Histogram != nil {
				ids, rows.Data = append(ids, i), append(rows.Data, x.Histogram...)
			}
		}
		return ids, Transport(s, rows), nil
	}
	vectors, err := s.Encode(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	var rows []float32
	for i, text := range texts {
		row := vectors[i*s.Dim : (i+1)*s.Dim]
		known := slices.ContainsFunc(s.WordVectors(corpus.Tokenise(text)), func(v []float32) bool { return v != nil })
		if known && slices.ContainsFunc(row, func(x float32) bool { return x != 0 }) {
			ids, rows = append(ids, i), append(rows, row...)
		}
	}
	return ids, cosines(rows, s.Dim), nil
}

// Medoids groups an even sample of 300 of things by k-medoids under their distances, from the earlier to the later
// one. The number of groups is the one from least to most that has the largest silhouette. sample has the things
// of the sample, which the groups are of.
func Medoids(
	ctx context.Context, things int, between Between, least, most int,
) (best *medoids.Groups, sample []int, err error) {
	n := min(things, sampled)
	for i := range n {
		sample = append(sample, i*things/n)
	}
	var pairs []ot.Pair
	for i := range n {
		for j := i + 1; j < n; j++ {
			pairs = append(pairs, ot.Pair{Source: int32(sample[i]), Target: int32(sample[j])})
		}
	}
	list, err := between(ctx, pairs)
	if err != nil {
		return nil, nil, err
	}
	distances := make([]float64, n*n)
	at := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			distances[i*n+j], distances[j*n+i] = list[at], list[at]
			at++
		}
	}
	for k := least; k <= most; k++ {
		groups, err := medoids.Cluster(ctx, n, distances, k)
		if err != nil {
			return nil, nil, err
		}
		if best == nil || groups.Silhouette > best.Silhouette {
			best = groups
		}
	}
	return best, sample, nil
}

// Nearest returns the place of the centre that each of the first things has the smallest
// distance to, the first of equally near ones, and that distance. Centres are things, too.
func Nearest(
	ctx context.Context, things int, between Between, centres []int,
) (assignment []int, distances []float64, err error) {
	var pairs []ot.Pair
	for i := range things {
		for _, c := range centres {
			pairs = append(pairs, ot.Pair{Source: int32(i), Target: int32(c)})
		}
	}
	list, err := between(ctx, pairs)
	if err != nil {
		return nil, nil, err
	}
	for of := range slices.Chunk(list, len(centres)) {
		best := 0
		for c, d := range of {
			if d < of[best] {
				best = c
			}
		}
		assignment, distances = append(assignment, best), append(distances, of[best])
	}
	return assignment, distances, nil
}

// tally is how frequent words and contexts are in some texts.
type tally struct {
	texts float64
	words map[string]float64 // number of texts that have it
	mass  []float64          // mean of the histograms
}

// newTally counts those of the texts that are members, over so many bins.
func newTally(bins int, sentences []*cmdlib.Sentence, members []int) *tally {
	t := &tally{texts: float64(len(members)), words: make(map[string]float64), mass: make([]float64, bins)}
	for _, i := range members {
		words := slices.Clone(sentences[i].Words)
		slices.Sort(words)
		for _, word := range slices.Compact(words) {
			t.words[word]++
		}
		for bin, x := range sentences[i].Histogram {
			t.mass[bin] += float64(x) / t.texts
		}
	}
	return t
}

// marks returns what is more frequent than in all texts: words that more than one of the texts has, and contexts.
func (t *tally) marks(s *cmdlib.Space, all *tally) (words, contexts []Mark) {
	for word, n := range t.words {
		p, q := n/t.texts, all.words[word]/all.texts
		if p > q && (n > 1 || t.texts == 1) && strings.ContainsFunc(word, alphanumeric) {
			words = append(words, Mark{word, p, q})
		}
	}
	slices.SortFunc(words, func(a, b Mark) int {
		x, y := a.weight()*rarity(s, a.Name), b.weight()*rarity(s, b.Name)
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a.Name, b.Name))
	})
	var bins []int
	for bin, p := range t.mass {
		if p > all.mass[bin] {
			bins = append(bins, bin)
		}
	}
	mark := func(bin int) Mark { return Mark{Share: t.mass[bin], All: all.mass[bin]} }
	slices.SortStableFunc(bins, func(a, b int) int { return cmp.Compare(mark(b).weight(), mark(a).weight()) })
	for _, bin := range bins[:min(Marks, len(bins))] {
		m := mark(bin)
		m.Name = strings.Join(s.Name(bin, nameWords), ", ")
		contexts = append(contexts, m)
	}
	return words[:min(Marks, len(words))], contexts
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// rarity is a/(a+r) of a word. One that the space has learned is rare.
func rarity(s *cmdlib.Space, word string) float64 {
	const a = 1e-3
	if id, ok := s.ID(word); ok && int(id) < len(s.Counts) {
		return a / (a + s.Probability(id))
	}
	return 1
}

// weight is p·ln(p/q).
func (m Mark) weight() float64 { return m.Share * elementary.Log(m.Share/m.All) }
