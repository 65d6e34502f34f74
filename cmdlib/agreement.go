package cmdlib

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Agreement says how well one space answers as another one.
type Agreement struct {
	// Words is the number of words that were asked for, Nearest that of neighbours of each.
	Words, Nearest int
	// Shared is the mean share of a word's nearest words in the one that are among those in the other,
	// First the share of words whose nearest word is the same.
	Shared, First float64
	// Off is the mean of |d' − d| over pairs of words, MostOff the largest of them, Distance the mean of d, where d is
	// the distance in the first space and d' in the other. There are as many pairs as words: of each with the next
	// one.
	Off, MostOff, Distance float64
}

// Agree compares the answers of s with those of other, such as a packed space, about at most n words. They are
// evenly spaced in the vocabulary of other, whose words s must have. Compared are their nearest words among those of
// other, and distances. It is an error for a word that s does not have, and for n < 2 or fewer words with estimates.
func Agree(ctx context.Context, s, other *Space, n, nearest int) (*Agreement, error) {
	var ids, others []int32 // the same words in both
	for id, word := range other.Words {
		if !other.known(int32(id)) {
			continue
		}
		here, ok := s.ID(word)
		if !ok || !s.known(here) {
			return nil, fmt.Errorf("cmdlib: comparing spaces: the first one has no %q", word)
		}
		ids, others = append(ids, here), append(others, int32(id))
	}
	if n = min(n, len(ids)); n < 2 || nearest < 1 || nearest >= len(ids) {
		return nil, fmt.Errorf("cmdlib: comparing spaces by %d words and their %d nearest of %d: expected at least 2 "+
			"words and fewer neighbours than there are words", n, nearest, len(ids))
	}
	a := &Agreement{Words: n, Nearest: nearest}
	near := func(of *Space, ids []int32, self int32) ([]string, error) {
		others := slices.DeleteFunc(slices.Clone(ids), func(id int32) bool { return id == self })
		query, err := of.Row(self)
		if err != nil {
			return nil, err
		}
		run := &search{Space: of, query: query, n: nearest, ids: others}
		if err := run.run(ctx); err != nil {
			return nil, err
		}
		var words []string
		for _, c := range run.nearest {
			words = append(words, of.Words[c.Position])
		}
		return words, nil
	}
	at := func(i int) int { return i % n * len(ids) / n }
	for i := range n {
		k := at(i)
		want, err := near(s, ids, ids[k])
		if err != nil {
			return nil, err
		}
		got, err := near(other, others, others[k])
		if err != nil {
			return nil, err
		}
		if got[0] == want[0] {
			a.First += 1 / float64(n)
		}
		there := make(map[string]bool)
		for _, word := range want {
			there[word] = true
		}
		for _, word := range got {
			if there[word] {
				a.Shared += 1 / float64(n*nearest)
			}
		}
		from, to := other.Words[others[k]], other.Words[others[at(i+1)]]
		d, err := s.ByTransport().Compare(ctx, from, to)
		if err != nil {
			return nil, err
		}
		e, err := other.ByTransport().Compare(ctx, from, to)
		if err != nil {
			return nil, err
		}
		off := math.Abs(e.Distance - d.Distance)
		a.Off += off / float64(n)
		a.MostOff = max(a.MostOff, off)
		a.Distance += d.Distance / float64(n)
	}
	return a, nil
}
