package dataset

import (
	"slices"
	"strings"
	"unicode"
)

// Without returns those of the pairs that are not among seen, in either order, by their letters and digits: sets are
// tokenised in different ways. It reuses the memory of pairs.
func Without(pairs, seen []Pair) []Pair {
	known := map[[2]string]bool{}
	for _, p := range seen {
		a, b := bare(p.A), bare(p.B)
		known[[2]string{a, b}], known[[2]string{b, a}] = true, true
	}
	return slices.DeleteFunc(pairs, func(p Pair) bool { return known[[2]string{bare(p.A), bare(p.B)}] })
}

// bare returns the letters and digits of a text, small.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
