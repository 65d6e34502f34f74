// Package levenshtein finds the words that somebody may have meant.
package levenshtein

import (
	"slices"
	"unicode/utf8"
)

// Similar returns at most n of words, those spelled most like word: with the smallest Distance,
// which is at most limitOf its letters; of equals, the earlier first. Only words are taken whose positions are
// eligible, all if that is nil.
func Similar(word string, words []string, n int, eligible func(at int) bool) (similar []string) {
	letters := utf8.RuneCountInString(word)
	limit := limitOf(letters)
	found := make([][]string, limit+1) // by their distances
	for at, other := range words {
		// Words of other lengths are farther.
		if more := utf8.RuneCountInString(other) - letters; more > limit || -more > limit {
			continue
		}
		if d := Distance(word, other); d <= limit && (eligible == nil || eligible(at)) {
			found[d] = append(found[d], other)
		}
	}
	similar = slices.Concat(found...)
	return similar[:min(n, len(similar))]
}

// limitOf is the largest distance at which a word of so many letters may be meant: a third of them, but at least one,
// and above two only a fifth of them. So saxophone is not meant by smartphone.
func limitOf(letters int) int { return max(1, min(letters/3, max(2, letters/5))) }

// Distance returns the optimal string alignment distance of a and b [Damerau 1964]: the number of
// letters to insert, delete, replace or swap with their neighbour.
func Distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, p := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j, q := range y {
			d := row[j]
			if p != q {
				d = 1 + min(d, row[j+1], next[j])
			}
			if i > 0 && j > 0 && p == y[j-1] && x[i-1] == q {
				d = min(d, before[j-1]+1)
			}
			next[j+1] = d
		}
		before, row = row, next
	}
	return row[len(y)]
}
