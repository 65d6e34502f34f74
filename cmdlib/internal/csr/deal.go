package csr

import (
	"cmp"
	"slices"
)

// Deal cuts words with the given weights into parts: the heaviest goes to the first part, the next
// to the second and so on to the last, then back from the last to the first, so that all parts
// weigh about the same and have about as many heavy words; of equal ones the first comes first.
//
// Part q has the words words[first[q]:first[q+1]], the heaviest first; word w is words[position[w]].
// Deal panics for less than one part.
func Deal[W cmp.Ordered](weight []W, parts int) (words, position, first []int32) {
	if parts < 1 {
		panic("csr: words are dealt to no parts")
	}
	order := make([]int32, len(weight))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weight[b], weight[a]) })
	hands := make([][]int32, parts)
	for rank, word := range order {
		q := rank % parts
		if rank/parts%2 == 1 {
			q = parts - 1 - q
		}
		hands[q] = append(hands[q], word)
	}
	words, position, first = order[:0], make([]int32, len(weight)), make([]int32, 1, parts+1)
	for _, hand := range hands {
		for _, word := range hand {
			position[word] = int32(len(words))
			words = append(words, word)
		}
		first = append(first, int32(len(words)))
	}
	return words, position, first
}
