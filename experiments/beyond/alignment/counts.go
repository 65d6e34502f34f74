package alignment

import (
	"slices"

	"contextmover/cmdlib/align"
	"contextmover/experiments/harness/dataset"
)

// Counts are what an aligner linked of a pair of sentences, compared with what people did: links, and nulls, which
// are words without any.
type Counts struct {
	Links, Nulls Tally
	Exact        int32 // 1 where all links are the people's and no others
}

// Tally counts what an aligner says, what people say, and what both say.
type Tally struct{ Said, Gold, Both int32 }

// precision is the share of what is said that people say, 1 where both say nothing.
func (t Tally) precision() float64 { return share(t.Both, t.Said, t.Gold) }

// recall is the share of what people say that is said.
func (t Tally) recall() float64 { return share(t.Both, t.Gold, t.Said) }

func share(both, of, other int32) float64 {
	switch {
	case of > 0:
		return float64(both) / float64(of)
	case other == 0:
		return 1
	}
	return 0
}

// count compares links with those of people: of chunks, where people linked chunks.
func count(p *dataset.Aligned, links []align.Link) (c Counts) {
	links = p.Whole(links)
	c.Links = Tally{Said: int32(len(links)), Gold: int32(len(p.Sure))}
	for _, l := range links {
		if slices.Contains(p.Sure, l) {
			c.Links.Both++
		}
	}
	if c.Links.Both == c.Links.Said && c.Links.Both == c.Links.Gold {
		c.Exact = 1
	}
	for _, side := range []struct {
		words  int
		weight func(align.Link) int
	}{
		{len(p.Source), func(l align.Link) int { return l.Source }},
		{len(p.Target), func(l align.Link) int { return l.Target }},
	} {
		said, people := unlinked(side.words, links, side.weight), unlinked(side.words, p.Sure, side.weight)
		for i := range said {
			if said[i] {
				c.Nulls.Said++
			}
			if people[i] {
				c.Nulls.Gold++
			}
			if said[i] && people[i] {
				c.Nulls.Both++
			}
		}
	}
	return c
}

// unlinked tells of each word of a side whether no link has it.
func unlinked(words int, links []align.Link, of func(align.Link) int) []bool {
	alone := slices.Repeat([]bool{true}, words)
	for _, l := range links {
		alone[of(l)] = false
	}
	return alone
}

// Scores are those of an aligner on pairs of sentences, in percent.
type Scores struct {
	// Precision and Recall are means over the pairs, F1 is the harmonic mean of the two means, as in MacCartney et al.
	// [2008] and all who followed. Exact is the share of pairs with the very links of the people.
	Precision, Recall, F1, Exact float64
	// NullF1 is the same of the words without links [Arase et al. 2023].
	NullF1 float64
}

// scores of the pairs whose numbers sample has, each as often as it stands there.
func scores(all []Counts, sample []int) (s Scores) {
	var nullPrecision, nullRecall float64
	for _, i := range sample {
		c := &all[i]
		s.Precision += c.Links.precision()
		s.Recall += c.Links.recall()
		nullPrecision += c.Nulls.precision()
		nullRecall += c.Nulls.recall()
		s.Exact += float64(c.Exact)
	}
	n := float64(len(sample)) / 100
	s.Precision, s.Recall, s.Exact = s.Precision/n, s.Recall/n, s.Exact/n
	s.F1, s.NullF1 = harmonic(s.Precision, s.Recall), harmonic(nullPrecision/n, nullRecall/n)
	return s
}

func harmonic(p, r float64) float64 {
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// upTo returns 0, 1, …, n−1: a sample that has each pair once.
func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
