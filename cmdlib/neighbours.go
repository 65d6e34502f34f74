package cmdlib

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/ot"
)

// Neighbour is a word and how far it is.
type Neighbour struct {
	Word     string
	Distance float64
}

// Found is what Search finds.
type Found struct {
	// Words are the words of the text that have an estimate, Unknown the others.
	Words, Unknown []string
	// Neighbours are the nearest words, nearest first.
	Neighbours []Neighbour
	// Compared is the number of words that could have been neighbours, Solved for how many
	// of them a transport problem had to be solved.
	Compared, Solved int
}

// Neighbours returns the n words to which text has the smallest distance, nearest
// first; equally near ones in the order of the vocabulary. A single word is taken as
// it is, and is not its own neighbour; a longer text is a sentence, as Sentence
// combines it. There are fewer than n neighbours if the vocabulary has fewer.
//
// All words of the vocabulary are compared. A text without any known word is an
// *UnknownError, n < 1 another error.
func (s *Space) Neighbours(ctx context.Context, text string, n int) ([]Neighbour, error) {
	found, err := s.Search(ctx, text, n)
	if err != nil {
		return nil, err
	}
	return found.Neighbours, nil
}

// Search is Neighbours with an account of what was done.
func (s *Space) Search(ctx context.Context, text string, n int) (*Found, error) {
	if n < 1 {
		return nil, fmt.Errorf("cmdlib: %d neighbours are asked for, expected at least 1", n)
	}
	query, self, err := s.query(ctx, text)
	if err != nil {
		return nil, err
	}
	found := &Found{Words: query.Words, Unknown: query.Unknown}
	var ids []int32
	for id := range int32(len(s.Words)) {
		if id != self && s.known(id) {
			ids = append(ids, id)
		}
	}
	found.Compared = len(ids)
	nearest, err := s.nearest(ctx, query.Histogram, ids, n)
	if err != nil {
		return nil, err
	}
	found.Solved = len(ids)
	for _, c := range nearest {
		found.Neighbours = append(found.Neighbours, Neighbour{s.Words[c.id], c.distance})
	}
	return found, nil
}

// query returns text as a word, with its id, or as a combined sentence and −1.
func (s *Space) query(ctx context.Context, text string) (*Sentence, int32, error) {
	if id := s.single(text); id >= 0 {
		return s.word(id), id, nil
	}
	q, err := s.Sentence(ctx, text)
	if err != nil {
		return nil, -1, err
	}
	if len(q.Words) == 1 && len(q.Unknown) == 0 {
		id := s.single(q.Words[0])
		return s.word(id), id, nil
	}
	return q, -1, nil
}

// candidate is a word and its distance.
type candidate struct {
	id       int32
	distance float64
}

// nearest solves the problems of all candidates and returns the n nearest, equally near
// ones in the order of the vocabulary.
func (s *Space) nearest(ctx context.Context, query []float32, ids []int32, n int) ([]candidate, error) {
	// A batch bounds the memory and leaves an engine enough to do at once.
	const batch = 4096
	k := s.Cost.K
	p := &ot.Problem{Settings: s.Settings.Transport.settings(), Cost: s.Cost}
	rows := append(make([]float32, 0, (batch+1)*k), query...)
	var nearest []candidate
	for lo := 0; lo < len(ids); lo += batch {
		some := ids[lo:min(lo+batch, len(ids))]
		rows, p.Pairs = rows[:k], p.Pairs[:0]
		for i, id := range some {
			rows = append(rows, s.Histograms.Row(int(id))...)
			p.Pairs = append(p.Pairs, ot.Pair{Source: 0, Target: int32(i + 1)})
		}
		p.Rows = ot.Histograms{K: k, Data: rows}
		err := s.engine.Distances(ctx, p, func(first int, results []ot.Result) error {
			for i, r := range results {
				nearest = append(nearest, candidate{some[first+i], r.Cost})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		slices.SortFunc(nearest, func(a, b candidate) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.id, b.id))
		})
		nearest = nearest[:min(n, len(nearest))]
	}
	return nearest, nil
}
