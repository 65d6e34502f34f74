package sentence

import (
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/ground"
)

// A sum is its terms' weighted sum pair by pair; one term with the weight
// 1 is that method; what a term does not cover has the smallest score.
func TestSum(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := append(w.pairs(40), Pair{A: Sentence{0}, B: nil})
	average, moved := w.average(), WordMover{Points: Points{Vectors: w.vectors, Dim: dim}, Rotator: true}
	a, b := scores(t, average, pairs), scores(t, moved, pairs)
	near(t, "one term", scores(t, Sum{{1, average}}, pairs).Value, a.Value, 0)
	got := scores(t, Sum{{2, average}, {-.5, moved}}, pairs)
	want := make([]float64, len(pairs))
	for i := range want {
		want[i] = 2*a.Value[i] - .5*b.Value[i]
	}
	last := len(pairs) - 1
	want[last] = slices.Min(want[:last])
	near(t, "sum", got.Value, want, 1e-12)
	if got.Covered[last] || !got.Covered[0] {
		t.Errorf("covered: %v", got.Covered)
	}
	for name, bad := range map[string]Sum{"no terms": nil, "NaN": {{math.NaN(), average}}, "a failing term": {{1, VectorAverage{}}}} {
		if _, err := bad.Score(t.Context(), pairs); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
