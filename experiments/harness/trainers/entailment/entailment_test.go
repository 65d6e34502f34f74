package entailment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ground"
)

// Computed independently, to six places.
func TestBackward(t *testing.T) {
	i, j := []float32{1, -2, 0.5}, []float32{0, 1, -1}
	if got := -Backward(i, j); math.Abs(got-1.461402) > 5e-7 {
		t.Errorf("−(i ⟩ j) = %v, want 1.461402", got)
	}
	if got := -Backward(j, i); math.Abs(got-1.402874) > 5e-7 {
		t.Errorf("−(j ⟩ i) = %v, want 1.402874", got)
	}
	// Henderson's example, in probabilities (.4, .2, .1) and (.5, .1, .2): its arithmetic slip
	// (ln 0.5 = −2.303) corrected.
	odds := func(p ...float64) (x []float32) {
		for _, p := range p {
			x = append(x, float32(math.Log(p/(1-p))))
		}
		return x
	}
	if got := Backward(odds(.4, .2, .1), odds(.5, .1, .2)); math.Abs(got+0.70101) > 5e-6 {
		t.Errorf("y ⟩ x = %v, want −0.70101", got)
	}
}

// The definition in probabilities.
func TestBackwardInProbabilities(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 100 {
		y, x := make([]float32, 5), make([]float32, 5)
		want := 0.0
		for k := range y {
			y[k], x[k] = float32(3*random.NormFloat64()), float32(3*random.NormFloat64())
			p, q := 1/(1+math.Exp(-float64(y[k]))), 1/(1+math.Exp(-float64(x[k])))
			want += (1 - p) * math.Log(1-q)
		}
		if got := Backward(y, x); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// Vectors and values as in TestBackward: the cost from the first to the second is 1.461402/100.
func TestCostDirection(t *testing.T) {
	vectors := []float32{1, -2, 0.5, 0, 1, -1}
	for normalisation, want := range map[ground.Normalisation][2]float64{
		ground.None: {0.01461402, 0.01402874}, ground.Log2: {math.Log2(1.01461402), math.Log2(1.01402874)},
	} {
		cost, err := Cost(vectors, 2, 3, ground.Params{Metric: Metric, Normalisation: normalisation})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range []float32{cost.Data[1], cost.Data[2]} {
			if math.Abs(float64(got)-want[i]) > 1e-8 {
				t.Errorf("%s: cost %d is %v, want %v", normalisation, i, got, want[i])
			}
		}
	}
}

func TestCostBruteForce(t *testing.T) {
	const k, dim = 9, 5
	random := rand.New(rand.NewPCG(2, 0))
	vectors := make([]float32, k*dim)
	for i := range vectors {
		vectors[i] = float32(random.NormFloat64())
	}
	var raw []float64
	for i := range k {
		for j := range k {
			sum := 0.0
			for d := range dim {
				x, y := float64(vectors[i*dim+d]), float64(vectors[j*dim+d])
				sum += math.Log(1+math.Exp(y)) / (1 + math.Exp(x)) / 100
			}
			raw = append(raw, sum)
		}
	}
	for normalisation, of := range map[ground.Normalisation]func(float64) float64{
		ground.None: func(c float64) float64 { return c },
		ground.Max:  func(c float64) float64 { return c / slices.Max(raw) },
		ground.Log2: func(c float64) float64 { return math.Log2(1 + c) },
		ground.Ln:   func(c float64) float64 { return math.Log(1 + c) },
	} {
		cost, err := Cost(vectors, k, dim, ground.Params{Metric: Metric, Normalisation: normalisation})
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range cost.Data {
			if want := of(raw[i]); math.Abs(float64(got)-want) > 1e-6*want {
				t.Fatalf("%s: entry (%d, %d) is %v, want %v", normalisation, i/k, i%k, got, want)
			}
		}
	}
}

func TestExtremeOdds(t *testing.T) {
	for _, a := range []float32{-1e4, -100, 0, 100, 1e4} {
		for _, b := range []float32{-1e4, -100, 0, 100, 1e4} {
			y, x := []float32{a}, []float32{b}
			if got := Backward(y, x); math.IsNaN(got) || math.IsInf(got, 0) || got > 0 {
				t.Errorf("of %v and %v: %v", a, b, got)
			}
		}
	}
	for _, x := range []float64{-745, -50, -1e-9, 0, 1e-9, 40, 1e4} {
		if s := Sigmoid(x) + Sigmoid(-x); math.Abs(s-1) > 1e-15 {
			t.Errorf("σ(%v) + σ(−%v) = %v", x, x, s)
		}
		if d := Softplus(x) - Softplus(-x); math.Abs(d-x) > 1e-12*(1+math.Abs(x)) {
			t.Errorf("softplus(%v) − softplus(−%v) = %v", x, x, d)
		}
	}
	if got, want := Softplus(-40), math.Exp(-40); math.Abs(got/want-1) > 1e-12 {
		t.Errorf("softplus(−40) = %v, want %v", got, want)
	}
}

func TestUntrained(t *testing.T) {
	got, want := UnknownDuplicated([]float32{1, -2, 3, 0}, 2, 2), []float32{1, -5, -3, 3, 5, -1, -7, -1}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
