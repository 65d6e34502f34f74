package entailment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
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

// The definitions in probabilities.
func TestOperators(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for range 100 {
		y, x := make([]float32, 5), make([]float32, 5)
		var backward, forward, factorised float64
		for k := range y {
			y[k], x[k] = float32(3*random.NormFloat64()), float32(3*random.NormFloat64())
			p, q := 1/(1+math.Exp(-float64(y[k]))), 1/(1+math.Exp(-float64(x[k])))
			backward += (1 - p) * math.Log(1-q)
			forward += q * math.Log(p)
			factorised += math.Log(1 - (1-p)*q)
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"backward", Backward(y, x), backward}, {"forward", Forward(y, x), forward}, {"factorised", Factorised(y, x), factorised}} {
			if math.Abs(c.got-c.want) > 1e-9*math.Abs(c.want) {
				t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
			}
		}
	}
}

// The factorised operator is exact for independent features: all binary vectors of three.
func TestFactorisedIsTheProbability(t *testing.T) {
	y, x := []float32{0.3, -1, 2}, []float32{-0.5, 0.2, 1}
	p := func(v []float32, bits int) float64 {
		p := 1.0
		for k, odds := range v {
			if known := Sigmoid(float64(odds)); bits>>k&1 == 1 {
				p *= known
			} else {
				p *= 1 - known
			}
		}
		return p
	}
	entails := 0.0
	for a := range 8 {
		for b := range 8 {
			if b&^a == 0 {
				entails += p(y, a) * p(x, b)
			}
		}
	}
	if got := Factorised(y, x); math.Abs(got-math.Log(entails)) > 1e-12 {
		t.Errorf("%v, want %v", got, math.Log(entails))
	}
}

func TestExtremeOdds(t *testing.T) {
	for _, a := range []float32{-1e4, -100, 0, 100, 1e4} {
		for _, b := range []float32{-1e4, -100, 0, 100, 1e4} {
			y, x := []float32{a}, []float32{b}
			for name, got := range map[string]float64{"backward": Backward(y, x), "forward": Forward(y, x)} {
				if math.IsNaN(got) || math.IsInf(got, 0) || got > 0 {
					t.Errorf("%s of %v and %v is %v", name, a, b, got)
				}
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
	if got := Factorised([]float32{-20}, []float32{20}); math.Abs(got-math.Log(2*math.Exp(-20)+math.Exp(-40))) > 1e-8 {
		t.Errorf("factorised of surely unknown and known: %v", got)
	}
}

func TestUntrained(t *testing.T) {
	v := []float32{1, -2, 3, 0}
	for _, c := range []struct {
		name      string
		got, want []float32
	}{
		{"log-odds", LogOdds(v, 2, 2), []float32{2, -4, 6, 0}},
		{"dup", Duplicated(v, 2, 2), []float32{2, -4, -2, 4, 6, 0, -6, 0}},
		{"unk dup", UnknownDuplicated(v, 2, 2), []float32{1, -5, -3, 3, 5, -1, -7, -1}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"lengths": func() { Backward([]float32{1}, []float32{1, 2}) },
		"rows":    func() { Duplicated([]float32{1, 2, 3}, 2, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
