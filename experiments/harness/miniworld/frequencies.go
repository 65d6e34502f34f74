package miniworld

import (
	"bytes"
	"cmp"
	"slices"
)

// Frequency is how often a word occurs in another text of the same world.
type Frequency struct {
	Word  string
	Count int
}

// frequencies counts the words of a text, and leaves out what lists of frequencies lack:
// punctuation and rare words.
func frequencies(text []byte) (list []Frequency) {
	const rare = 20
	counts := map[string]int{}
	for token := range bytes.FieldsSeq(text) {
		if bytes.ContainsFunc(token, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
			counts[string(token)]++
		}
	}
	for word, n := range counts {
		if n >= rare {
			list = append(list, Frequency{word, n})
		}
	}
	slices.SortFunc(list, func(a, b Frequency) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Word, b.Word))
	})
	return list
}
