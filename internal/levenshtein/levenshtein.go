// Package levenshtein finds the words that somebody may have meant.
package levenshtein

import (
	"slices"
	"unicode/utf8"
)

// Similar returns at most n of words, those spelled most like word: with the smallest Distance,
// which is at most limitOf its letters; of equals, the earlier first. Only words are taken whose positions are
// eligible, all if that is nil.
func Similar(word string, words []string, n int, eligible func(at int) bool) []string {
	type candidate struct {
		word     string
		distance int
	}
	w := []rune(word)
	limit := limitOf(len(w))
	var found []candidate
	for at, other := range words {
		// A rune takes at most four bytes, so this needs no look at the letters.
		if len(other) > utf8.UTFMax*(len(w)+limit) || len(other) < len(w)-limit {
			continue
		}
		if d := Distance(w, []rune(other), limit); d <= limit && (eligible == nil || eligible(at)) {
			found = append(found, candidate{other, d})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.distance - b.distance })
	var similar []string
	for _, c := range found[:min(n, len(found))] {
		similar = append(similar, c.word)
	}
	return similar
}

// limitOf is the largest distance at which a word of so many letters may be meant: a third of them, but at least one,
// and above two only a fifth of them. So saxophone is not meant by smartphone.
func limitOf(letters int) int { return max(1, min(letters/3, max(2, letters/5))) }

// Distance returns the optimal string alignment distance of a and b [Damerau 1964]: the number of
// letters to insert, delete, replace or swap with their neighbour. If it is above limit, some
// number above limit is returned.
func Distance(a, b []rune, limit int) int {
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
