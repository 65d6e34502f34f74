package cmdlib

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// UnknownError tells that a word, or all words of a text, have no estimate.
type UnknownError struct {
	// Words are the words without an estimate.
	Words []string
	// Text is the text they come from; empty if a single word was asked for.
	Text string

	space *Space
}

// Error names the words and suggests similarly spelled ones, the latter as long as the
// space is open.
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
		if e.space.closed {
			continue
		}
		if _, ok := e.space.ID(w); ok {
			b.WriteString(" (in the vocabulary, but associated with no context)")
		} else if s := e.space.Similar(w, few); len(s) > 0 {
			for j := range s {
				s[j] = strconv.Quote(s[j])
			}
			fmt.Fprintf(&b, " (did you mean %s?)", strings.Join(s, " or "))
		}
	}
	return b.String()
}

// Similar returns at most n words with an estimate that are spelled most like
// word: those with the smallest number of letters to insert, delete, replace or
// swap with their neighbour, at most a third of the letters of word (but at least
// one); of equals, the more frequent first.
func (s *Space) Similar(word string, n int) []string {
	type candidate struct {
		id    int
		edits int
	}
	w := []rune(word)
	limit := max(1, len(w)/3)
	var found []candidate
	for id, other := range s.Words {
		// A rune takes at most four bytes, so this needs no look at the letters.
		if len(other) > utf8.UTFMax*(len(w)+limit) || len(other) < len(w)-limit {
			continue
		}
		if d := edits(w, []rune(other), limit); d <= limit && s.known(int32(id)) {
			found = append(found, candidate{id, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.edits - b.edits })
	var words []string
	for _, c := range found[:min(n, len(found))] {
		words = append(words, s.Words[c.id])
	}
	return words
}

// edits returns the optimal string alignment distance of a and b [Damerau 1964], or
// some number above limit if it is above that.
func edits(a, b []rune, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, before[j-2]+1)
			}
			next[j] = d
			least = min(least, d)
		}
		// A swap looks two rows back, and costs one more than what it finds there.
		if least > limit+1 {
			return limit + 1
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
