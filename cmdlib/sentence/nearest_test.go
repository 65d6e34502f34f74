package sentence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/internal/pairwise"
)

// nearestPoints are random vectors, among them one of zeros, two that are the same and two that are opposites.
func nearestPoints(words, dim int) Points {
	random := rand.New(rand.NewPCG(5, 6))
	p := Points{Dim: dim, Weighting: Weighting{Scheme: SIF, A: 1e-2}}
	for range words {
		for range dim {
			p.Vectors = append(p.Vectors, float32(random.NormFloat64()))
		}
		p.Probability = append(p.Probability, random.Float64()/10)
	}
	clear(p.row(0))
	copy(p.row(2), p.row(1))
	for k, x := range p.row(3) {
		p.row(4)[k] = -x
	}
	return p
}

// F is what the definition says, word by word, whatever occurs twice, has no vector or is the opposite of all others.
func TestNearestWords(t *testing.T) {
	p := nearestPoints(30, 7)
	side := func(x, y Sentence) float64 {
		sum, weights := 0.0, 0.0
		for _, v := range x {
			if v == 0 {
				continue
			}
			best := -2.0
			for _, w := range y {
				if w != 0 {
					xy := pairwise.Products(nil, [][]float32{p.row(v)}, [][]float32{p.row(w)})[0]
					xx := pairwise.Products(nil, [][]float32{p.row(v)}, [][]float32{p.row(v)})[0]
					yy := pairwise.Products(nil, [][]float32{p.row(w)}, [][]float32{p.row(w)})[0]
					best = max(best, xy/math.Sqrt(xx*yy))
				}
			}
			w := p.Weighting.weight(v, p.Probability)
			sum, weights = sum+w*best, weights+w
		}
		return sum / weights
	}
	random := rand.New(rand.NewPCG(1, 2))
	pairs := []Pair{{Sentence{3}, Sentence{4}}, {Sentence{1, 5}, Sentence{2, 5}}, {Sentence{3, 3}, Sentence{4, 9}}}
	for range 200 {
		var p Pair
		for _, s := range []*Sentence{&p.A, &p.B} {
			for range 1 + random.IntN(9) {
				*s = append(*s, int32(random.IntN(30)))
			}
		}
		pairs = append(pairs, p)
	}
	pairs = append(pairs, Pair{A: Sentence{0}, B: Sentence{7}}, Pair{B: Sentence{7}})

	var turned []Pair
	for _, p := range pairs {
		a, b := slices.Clone(p.A), slices.Clone(p.B)
		random.Shuffle(len(a), func(i, j int) { a[i], a[j] = a[j], a[i] })
		slices.Reverse(b)
		turned = append(turned, Pair{b, a})
	}
	method := NearestWords{p}
	scores, err1 := method.Score(t.Context(), pairs)
	same, err2 := method.Score(t.Context(), turned)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if !slices.Equal(scores.Value, same.Value) || !slices.Equal(scores.Covered, same.Covered) {
		t.Error("scores depend on the order of the words, or on that of the sides")
	}
	for i, pair := range pairs {
		known := func(s Sentence) bool { return slices.ContainsFunc(s, func(w int32) bool { return w != 0 }) }
		if covered := known(pair.A) && known(pair.B); covered != scores.Covered[i] {
			t.Errorf("%v: covered %v", pair, scores.Covered[i])
		} else if !covered {
			continue
		}
		forth, back := side(pair.A, pair.B), side(pair.B, pair.A)
		want := min(forth, back)
		if forth > 0 && back > 0 {
			want = 2 / (1/forth + 1/back)
		}
		if got := scores.Value[i]; math.Abs(got-want) > 1e-12 {
			t.Errorf("%v: %v, want %v", pair, got, want)
		}
		// The parts add up to it, and are of words that have a vector.
		sum := 0.0
		for v, row := range p.bag(pair.A).Parts(p.bag(pair.B), len(pair.A), len(pair.B)) {
			for w, part := range row {
				sum += part
				if part != 0 && (pair.A[v] == 0 || pair.B[w] == 0) {
					t.Errorf("%v: the words %d and %d bring %v, and one has no vector", pair, v, w, part)
				}
			}
		}
		if math.Abs(sum-scores.Value[i]) > 1e-12 {
			t.Errorf("%v: the parts sum to %v, want %v", pair, sum, scores.Value[i])
		}
	}
	if scores.Value[0] > -0.999 || scores.Value[1] != 1 {
		t.Errorf("opposites have %v, the same words %v", scores.Value[0], scores.Value[1])
	}
}

// BenchmarkNearestWords scores pairs of sentences of ten words each, on one processor.
func BenchmarkNearestWords(b *testing.B) {
	p := nearestPoints(20_000, 360)
	random := rand.New(rand.NewPCG(1, 2))
	pairs := make([]Pair, 4096)
	for i := range pairs {
		for range 10 {
			pairs[i].A = append(pairs[i].A, int32(random.IntN(20_000)))
			pairs[i].B = append(pairs[i].B, int32(random.IntN(20_000)))
		}
	}
	for b.Loop() {
		if _, err := (NearestWords{p}).Score(b.Context(), pairs); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(pairs))/b.Elapsed().Seconds(), "pairs/s")
}
