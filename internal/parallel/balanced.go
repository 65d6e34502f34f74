package parallel

import (
	"cmp"
	"slices"
)

// Balanced cuts items with the given weights into parts that weigh about the same and have about as
// many heavy items: the heaviest goes to the first part, the next to the second and so on
// to the last, then back from the last to the first; of equal ones the first comes first.
//
// Part q has the items items[first[q]:first[q+1]], the heaviest first; item i is items[position[i]].
// Balanced panics for less than one part.
func Balanced[W cmp.Ordered](weight []W, parts int) (items, position, first []int32) {
	if parts < 1 {
		panic("parallel: less than one part")
	}
	order := make([]int32, len(weight))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weight[b], weight[a]) })
	members := make([][]int32, parts)
	for rank, item := range order {
		q := rank % parts
		if rank/parts%2 == 1 {
			q = parts - 1 - q
		}
		members[q] = append(members[q], item)
	}
	items, position, first = order[:0], make([]int32, len(weight)), make([]int32, 1, parts+1)
	for _, part := range members {
		for _, item := range part {
			position[item] = int32(len(items))
			items = append(items, item)
		}
		first = append(first, int32(len(items)))
	}
	return items, position, first
}
