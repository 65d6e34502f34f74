package corpus

import (
	"bytes"
	"context"

	"contextmover/internal/parallel"
)

// Sentence is a sentence of a text.
type Sentence struct {
	// Tokens are its words, as Text says.
	Tokens []string
	// Text is what stands in the text, without white space around it; of several lines it has blanks for their ends.
	Text string
	// File is the one that it is in, and Line the number of the line there that it begins in, from 1.
	File string
	Line int64
}

// Pieces hands the sentences of a text on in pieces of about a megabyte. Several goroutines at once call work on
// pieces; one at a time calls put with the results, in the order of the text. Where a sentence is a line, so is an
// empty one. The pieces do not depend on the number of threads. Of a sentence of more than 4 MiB each part is one. An
// error of work or put ends the reading and is returned; for those of reading see Text.
func Pieces[T any](ctx context.Context, t Text, progress func(done, total int64),
	work func(sentences []Sentence) (T, error), put func(T) error) (Stats, error) {
	pieces := parallel.InOrder[T]{Put: func(_ int, made T) error { return put(made) }}
	return t.scan(ctx, progress, func() func(*chunk) error {
		var text []byte
		var ends []int // of tokens
		return func(c *chunk) error {
			var sentences []Sentence
			var next Sentence
			begin := func(sentence []byte, line int64) {
				next = Sentence{Text: string(bytes.TrimSpace(sentence)), File: c.piece.Path, Line: line}
			}
			end := func() {
				next.Tokens = make([]string, len(ends))
				whole, from := string(text), 0
				for i, end := range ends {
					next.Tokens[i], from = whole[from:end], end
				}
				sentences, next = append(sentences, next), Sentence{File: next.File, Line: next.Line}
				text, ends = text[:0], ends[:0]
			}
			c.sentences(t, begin, func(word []byte) {
				text = append(text, word...)
				ends = append(ends, len(text))
			}, end)
			if len(ends) > 0 {
				end() // of a line that goes on in the next chunk
			}
			made, err := work(sentences)
			if err != nil {
				return err
			}
			return pieces.Add(c.number, made)
		}
	})
}
