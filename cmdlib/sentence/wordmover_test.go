package sentence

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
)

func (w *world) points() Points {
	return Points{Vectors: w.vectors, Dim: dim, Probability: w.probability}
}

func (w *world) norm(word int) float64 {
	sum := 0.0
	for _, x := range w.vectors[word*dim:][:dim] {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

func (w *world) apart(a, b int) float64 {
	sum := 0.0
	for k := range dim {
		d := float64(w.vectors[a*dim+k]) - float64(w.vectors[b*dim+k])
		sum += d * d
	}
	return math.Sqrt(sum)
}

// With a word or two on each side the plan is known.
func TestWordMover(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := []Pair{
		{Sentence{4}, Sentence{9}},
		{Sentence{4, 4, 9}, Sentence{17}},
		{Sentence{4, 9, 4}, Sentence{9, 4, 4}},
		{Sentence{4, 9}, Sentence{17, 5}},
		{Sentence{1}, Sentence{4}}, // word 1 has no vector
		{Sentence{4, 1}, Sentence{9}},
	}
	straight := (w.apart(4, 17) + w.apart(9, 5)) / 2
	crossed := (w.apart(4, 5) + w.apart(9, 17)) / 2
	want := []float64{w.apart(4, 9), (2*w.apart(4, 17) + w.apart(9, 17)) / 3, 0, min(straight, crossed), 0, w.apart(4, 9)}
	s, err := WordMover{Points: w.points()}.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	want[4] = slices.Max(want) // uncovered: as the worst
	for i, x := range want {
		if math.Abs(s.Value[i]+x) > 1e-6 || s.Covered[i] != (i != 4) {
			t.Errorf("pair %d: %v, covered %t, want %v", i, s.Value[i], s.Covered[i], -x)
		}
	}

	// Weights, and the rotator's shares and costs.
	p := w.points()
	p.Weighting = Weighting{InverseMarginal, 1e-2}
	a4, a9 := 1e-2/(1e-2+w.probability[4]), 1e-2/(1e-2+w.probability[9])
	s, err = WordMover{Points: p}.Score(t.Context(), pairs[1:2])
	if x := (2*a4*w.apart(4, 17) + a9*w.apart(9, 17)) / (2*a4 + a9); err != nil || math.Abs(s.Value[0]+x) > 1e-6 {
		t.Errorf("weighted: %v, %v, want %v", s.Value, err, -x)
	}
	cos := func(a, b int) float64 {
		return (w.norm(a)*w.norm(a) + w.norm(b)*w.norm(b) - w.apart(a, b)*w.apart(a, b)) / (2 * w.norm(a) * w.norm(b))
	}
	s, err = WordMover{Points: w.points(), Rotator: true}.Score(t.Context(), pairs[1:2])
	if x := 1 - (2*w.norm(4)*cos(4, 17)+w.norm(9)*cos(9, 17))/(2*w.norm(4)+w.norm(9)); err != nil || math.Abs(s.Value[0]+x) > 1e-6 {
		t.Errorf("rotator: %v, %v, want %v", s.Value, err, -x)
	}
}

// Exact distances, the rotator's and those with entropy have the same bits for any number of threads.
func TestWordMoverThreads(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	var pairs []Pair
	for i := range 40 {
		pairs = append(pairs, Pair{w.sentence(3 + i%5), w.sentence(2 + i%7)})
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	methods := []Method{
		WordMover{Points: w.points()},
		WordMover{Points: w.points(), Rotator: true},
		WordMover{Points: w.points(), Engine: cpu.New(), Settings: ot.Settings{Reg: 0.1, MaxIter: 50, Tol: 1e-5}},
	}
	for m, method := range methods {
		var one []float64
		for _, threads := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(threads)
			s, err := method.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			if one == nil {
				one = s.Value
			}
			if !slices.Equal(s.Value, one) || slices.Min(one) == slices.Max(one) {
				t.Errorf("method %d, %d threads: %v, of one thread %v", m, threads, s.Value, one)
			}
		}
	}
}

// The entropic form is above the exact one and comes down to it with λ.
func TestWordMoverEntropic(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	var pairs []Pair
	for range 20 {
		pairs = append(pairs, Pair{w.sentence(6), w.sentence(9)})
	}
	for _, rotator := range []bool{false, true} {
		exact, err := WordMover{Points: w.points(), Rotator: rotator}.Score(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		var gaps []float64
		for _, reg := range []float64{1, 0.1, 0.01} {
			s, err := WordMover{Points: w.points(), Rotator: rotator, Engine: reference.New(), Settings: ot.Settings{Reg: reg, MaxIter: 5000, Tol: 1e-9}}.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			gap := 0.0
			for i := range pairs {
				if s.Value[i] > exact.Value[i]+1e-5 {
					t.Errorf("λ %v: distance %v below the least, %v", reg, -s.Value[i], -exact.Value[i])
				}
				gap += exact.Value[i] - s.Value[i]
			}
			gaps = append(gaps, gap)
		}
		if !(gaps[0] > gaps[1] && gaps[1] > gaps[2]) || gaps[2] > 0.05*gaps[0]+1e-4 {
			t.Errorf("gaps %v", gaps)
		}
	}
}

// What terms make of a sentence is what is averaged.
func TestTerms(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	v := VectorAverage{Points: Points{Vectors: w.vectors, Dim: dim}}
	plain, err := v.Score(t.Context(), []Pair{{Sentence{4, 9, 17}, Sentence{5, 17}}})
	if err != nil {
		t.Fatal(err)
	}
	v.Terms = func(s Sentence) Sentence { return append(slices.Clone(s), 17) }
	got, err := v.Score(t.Context(), []Pair{{Sentence{4, 9}, Sentence{5}}})
	if err != nil || got.Value[0] != plain.Value[0] {
		t.Errorf("%v, %v, want %v", got.Value, err, plain.Value)
	}
}
