package cmdlib

import (
	"context"
	"slices"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sentence"
)

// Sentence is a text as a Space sees it.
type Sentence struct {
	// Words are the tokens that have an estimate, Unknown those that have none, both in
	// the order of the text.
	Words, Unknown []string
	// Histogram is what the histograms of Words combine to; it sums to 1.
	Histogram []float32
}

// reading is a text as a space reads it, with each word looked up once.
type reading struct {
	text  string
	words []string
	ids   []int32 // −1 of a word that the vocabulary lacks
	known []bool  // the words that have an estimate
}

// read tokenises a text, unless it is a word with an estimate itself, such as new_york.
func (s *Space) read(text string) reading {
	if id, ok := s.ID(text); ok && s.known(id) {
		return reading{text, []string{text}, []int32{id}, []bool{true}}
	}
	r := reading{text: text, words: s.learned.join(corpus.Tokenise(text))}
	for _, word := range r.words {
		id, ok := s.ID(word)
		if !ok {
			id = -1
		}
		r.ids, r.known = append(r.ids, id), append(r.known, ok && s.known(id))
	}
	return r
}

// word returns the id of a text of one word that has an estimate, −1 of other texts.
func (r *reading) word() int32 {
	if len(r.words) == 1 && r.known[0] {
		return r.ids[0]
	}
	return -1
}

// lengths returns the numbers of known words of two texts: 0 and 0 of two single words.
func lengths(a, b *reading) (from, to int) {
	if a.word() >= 0 && b.word() >= 0 {
		return 0, 0
	}
	return a.length(), b.length()
}

func (r *reading) length() (n int) {
	for _, known := range r.known {
		if known {
			n++
		}
	}
	return n
}

// Tokens returns the words of a text, known or not, in order: the text itself if it is a word with an estimate, such
// as new_york, else its tokens, those of a learned phrase as one word.
func (s *Space) Tokens(text string) []string { return s.read(text).words }

// Sentence tokenises text and combines the histograms of its words as Settings.Sentence says; a text that is a known
// word (new_york) is not tokenised. A text without any known word is an *UnknownError.
func (s *Space) Sentence(ctx context.Context, text string) (*Sentence, error) {
	out, err := s.combined(ctx, s.read(text))
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// Sentences returns what Sentence returns of each text. A text without any known word has no Histogram.
func (s *Space) Sentences(ctx context.Context, texts []string) ([]*Sentence, error) {
	readings := make([]reading, len(texts))
	for i, text := range texts {
		readings[i] = s.read(text)
	}
	return s.combine(ctx, readings)
}

// combined is combine for texts that each need a known word: one without is an *UnknownError.
func (s *Space) combined(ctx context.Context, texts ...reading) ([]*Sentence, error) {
	out, err := s.combine(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		if out[i].Histogram == nil {
			return nil, &UnknownError{Words: t.words, Text: t.text, space: s}
		}
	}
	return out, nil
}

// combine combines the histograms of the known words of each text.
func (s *Space) combine(ctx context.Context, texts []reading) ([]*Sentence, error) {
	var from chosenWords
	out := make([]*Sentence, len(texts))
	var known []*Sentence
	var ids []sentence.Sentence
	for t, text := range texts {
		out[t] = new(Sentence)
		var words sentence.Sentence
		for i, word := range text.words {
			if !text.known[i] {
				out[t].Unknown = append(out[t].Unknown, word)
				continue
			}
			out[t].Words = append(out[t].Words, word)
			words = append(words, from.add(text.ids[i]))
		}
		if len(words) > 0 {
			known, ids = append(known, out[t]), append(ids, words)
		}
	}

	if len(ids) == 0 {
		return out, nil
	}
	combiner, err := s.combiner(from.ids)
	if err != nil {
		return nil, err
	}
	h, err := combiner.Combine(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, k := range known {
		k.Histogram = h.Row(i)
	}
	return out, nil
}

// compared returns texts as transport compares them: single words by their own histograms if all are, else all of them
// combined. A text without any known word is an *UnknownError.
func (s *Space) compared(ctx context.Context, texts ...reading) (out []*Sentence, err error) {
	if slices.ContainsFunc(texts, func(t reading) bool { return t.word() < 0 }) {
		return s.combined(ctx, texts...)
	}
	for _, t := range texts {
		h, err := s.Row(t.word())
		if err != nil {
			return nil, err
		}
		out = append(out, &Sentence{Words: []string{s.Words[t.word()]}, Histogram: h})
	}
	return out, nil
}
