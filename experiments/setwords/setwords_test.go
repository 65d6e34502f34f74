package setwords

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
)

// Words are numbered as they first occur, a text's ids are the places of its words.
func TestWords(t *testing.T) {
	w := New([]dataset.Pair{{A: "a cat", B: "a dog"}, {A: "dog cat", B: "bird"}})
	if !slices.Equal(w.List, []string{"a", "cat", "dog", "bird"}) || !slices.Equal(w.IDs("dog a dog"), sentence.Sentence{2, 0, 2}) {
		t.Errorf("%q, %v", w.List, w.IDs("dog a dog"))
	}
}

// A word's own vector has the length, is the same each time, and nearly at right angles to those of other words and seeds.
func TestOwn(t *testing.T) {
	vector := func(word string, seed uint64) []float32 {
		v := make([]float32, 900)
		Own(v, word, 1.5, seed)
		return v
	}
	dot := func(a, b []float32) (sum float64) {
		for i := range a {
			sum += float64(a[i]) * float64(b[i])
		}
		return sum
	}
	a := vector("zzgub", 1)
	if !slices.Equal(a, vector("zzgub", 1)) || math.Abs(dot(a, a)-2.25) > 1e-5 {
		t.Errorf("square length %v", dot(a, a))
	}
	for _, b := range [][]float32{vector("zzgob", 1), vector("zzgub", 2)} {
		if c := dot(a, b) / 2.25; math.Abs(c) > 0.15 { // 4.5 standard deviations
			t.Errorf("cosine %v", c)
		}
	}
	zero := make([]float32, 3)
	if Put(zero, []float32{0, 0, 0}, 1); !IsZero(zero) {
		t.Errorf("a zero vector becomes %v", zero)
	}
}

// A pair that is seen goes whatever its order and tokens; one that shares a sentence stays.
func TestWithout(t *testing.T) {
	pairs := []dataset.Pair{{A: "A man's dog.", B: "Two cats"}, {A: "two cats", B: "birds"}, {A: "x", B: "y"}}
	left := Without(pairs, []dataset.Pair{{A: "two cats", B: "a man 's dog ."}, {A: "x", B: "z"}})
	if len(left) != 2 || left[0].B != "birds" || left[1].A != "x" {
		t.Errorf("%v are left", left)
	}
}
