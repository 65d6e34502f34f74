package dataset

import "testing"

// A pair that is seen goes whatever its order and tokens; one that shares a sentence stays.
func TestWithout(t *testing.T) {
	pairs := []Pair{{A: "A man's dog.", B: "Two cats"}, {A: "two cats", B: "birds"}, {A: "x", B: "y"}}
	left := Without(pairs, []Pair{{A: "two cats", B: "a man 's dog ."}, {A: "x", B: "z"}})
	if len(left) != 2 || left[0].B != "birds" || left[1].A != "x" {
		t.Errorf("%v are left", left)
	}
}
