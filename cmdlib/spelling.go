package cmdlib

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"contextmover/internal/levenshtein"
)

// UnknownError tells that a word, or all words of a text, have no estimate.
type UnknownError struct {
	// Words are the words without an estimate.
	Words []string
	// Text is the text they come from; empty if a single word was asked for.
	Text string

	space *Space
}

// Error names the words and suggests similarly spelled ones, the latter where a space returned the error and as long
// as it is open.
func (e *UnknownError) Error() string {
	if len(e.Words) == 0 {
		return fmt.Sprintf("cmdlib: the text %q has no words", e.Text)
	}
	var b strings.Builder
	if e.Text != "" && !slices.Equal(e.Words, []string{e.Text}) {
		fmt.Fprintf(&b, "cmdlib: no word of the text %q is known:", e.Text)
	} else {
		b.WriteString("cmdlib: unknown word")
	}
	const few = 3
	for i, w := range e.Words {
		if i == few {
			fmt.Fprintf(&b, "; and %d more", len(e.Words)-few)
			break
		}
		if i > 0 {
			b.WriteString(";")
		}
		fmt.Fprintf(&b, " %q", w)
		if e.space == nil || e.space.closed {
			continue
		}
		if _, ok := e.space.ID(w); ok {
			b.WriteString(" (in the vocabulary, but associated with no context)")
		} else if s := e.space.similar(w, few); len(s) > 0 {
			for j := range s {
				s[j] = strconv.Quote(s[j])
			}
			fmt.Fprintf(&b, " (did you mean %s?)", strings.Join(s, " or "))
		}
	}
	return b.String()
}

// similar returns at most n words with an estimate that are spelled most like word, by the number of letters to
// insert, delete, replace or swap with their neighbour. That is at most a third of the letters of word, but at least
// one, and above two only a fifth. Of equals the more frequent comes first.
func (s *Space) similar(word string, n int) []string {
	return levenshtein.Similar(word, s.Words, n, func(id int) bool { return s.known(int32(id)) })
}
