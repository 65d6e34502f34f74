package cmdlib

import (
	"context"
	"fmt"
)

// Neighbour is a word and how far it is.
type Neighbour struct {
	Word     string  `json:"word"`
	Distance float64 `json:"distance"`
}

// Neighbours are the words nearest to a text.
type Neighbours struct {
	// Method is what they were compared by (see Space.Default).
	Method string `json:"method"`
	// Words are the words of the text that have an estimate, or a vector where vectors are compared, Unknown the
	// others.
	Words   []string `json:"words"`
	Unknown []string `json:"unknown,omitempty"`
	// Nearest are the nearest words, nearest first.
	Nearest []Neighbour `json:"neighbours"`
	// Compared is the number of words that could have been neighbours, Solved for how many
	// of them a transport problem had to be solved.
	Compared int `json:"compared"`
	Solved   int `json:"solved,omitempty"`
}

// Neighbours returns the n words to which text has the smallest distance by the method that the space compares it by,
// nearest first; equally near ones in the order of the vocabulary. A single word is not its own neighbour. There are
// fewer than n if the vocabulary has fewer.
//
// All words of the vocabulary are compared, those with a vector by vectors, those with an estimate by transport. By
// transport a single word is taken as it is, and a longer text as Sentence combines it. The result is that of solving
// all their problems. It assumes that no word that a bound rules out would have a marginal error above 0.002 and above
// eight times the largest of those solved.
//
// A text without any known word is an *UnknownError, n < 1 another error.
func (s *Space) Neighbours(ctx context.Context, text string, n int) (*Neighbours, error) {
	if n < 1 {
		return nil, fmt.Errorf("cmdlib: %d neighbours are asked for, expected at least 1", n)
	}
	read := s.read(text)
	method := s.methodOf(read)
	if isVectors(method) {
		e, err := s.Encoder()
		if err != nil {
			return nil, err
		}
		if isNearest(method) { // of texts alone: their vectors are compared with those of words
			method = e.Method.Name
		}
		t, err := e.encoded(ctx, text)
		if err != nil {
			return nil, err
		}
		found, err := e.nearest(ctx, t, n)
		if err == nil {
			found.Method = method
		}
		return found, err
	}
	query, err := s.compared(ctx, read)
	if err != nil {
		return nil, err
	}
	run := &search{Space: s, query: query[0].Histogram, n: n, ids: s.others(read.word())}
	if err := run.run(ctx); err != nil {
		return nil, err
	}
	found := &Neighbours{
		Method: method, Words: query[0].Words, Unknown: query[0].Unknown, Compared: len(run.ids), Solved: run.solved,
	}
	for _, c := range run.nearest {
		found.Nearest = append(found.Nearest, Neighbour{s.Words[c.Position], c.Value})
	}
	return found, nil
}

// others are the words that have an estimate but one.
func (s *Space) others(self int32) (ids []int32) {
	for id := range int32(len(s.Words)) {
		if id != self && s.known(id) {
			ids = append(ids, id)
		}
	}
	return ids
}
