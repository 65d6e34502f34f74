package parallel

import (
	"slices"
	"testing"
)

func TestBalanced(t *testing.T) {
	// In descending order: words 3, 0, 4 (as heavy as 0), 2, 5, 1, 6.
	words, position, first := Balanced([]int{8, 2, 5, 9, 8, 4, 1}, 3)
	if !slices.Equal(words, []int32{3, 1, 6, 0, 5, 4, 2}) || !slices.Equal(first, []int32{0, 3, 5, 7}) {
		t.Errorf("words %v, parts from %v", words, first)
	}
	for at, w := range words {
		if position[w] != int32(at) {
			t.Errorf("word %d at %d, its position is %d", w, at, position[w])
		}
	}
	if words, position, first := Balanced([]float64{1}, 2); len(words) != 1 || len(position) != 1 || !slices.Equal(first, []int32{0, 1, 1}) {
		t.Errorf("%v %v %v", words, position, first)
	}
}
