package gaussian

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/countstest"
	"contextmover/experiments/harness/trainers/internal/trainertest"
)

func params() Params {
	return Params{
		Dim: 20, Passes: 2, Samples: 20_000, Negatives: 1, Noise: 0.75, Subsample: 1e-3, Energy: "KL", Margin: 1,
		Length: 2, Least: 0.1, Greatest: 3, Rate: 0.1, Seed: 1,
	}
}

func train(t *testing.T, m *sparse.Matrix[float64], p Params) *trainers.Result {
	t.Helper()
	r, err := Train(t.Context(), m, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// documented is the energy as documented, in float64.
func documented(w, c []float64) (sum float64) {
	dim := len(w) / 2
	for k := range dim {
		d, v, vc := w[k]-c[k], w[dim+k], c[dim+k]
		sum -= 0.5 * (vc/v + d*d/v - 1 - math.Log(vc/v))
	}
	return sum
}

// The energy is the divergence, by an integral over one component.
func TestEnergiesAreWhatTheyAreCalled(t *testing.T) {
	density := func(x, mean, variance float64) float64 {
		return math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
	}
	w, c := []float64{0.3, 1.2}, []float64{-0.4, 0.7}
	kl := 0.0
	const h = 1e-3
	for x := -12.0; x < 12; x += h {
		if p := density(x, c[0], c[1]); p > 0 {
			kl += h * p * math.Log(p/density(x, w[0], w[1]))
		}
	}
	if got := documented(w, c); math.Abs(got+kl) > 1e-6 {
		t.Errorf("energy %v, the divergence is %v", got, kl)
	}
	if got := Divergence([]float32{-0.4, 0.7}, []float32{0.3, 1.2}); math.Abs(got-kl) > 1e-6 {
		t.Errorf("divergence %v, want %v", got, kl)
	}
	if got := Divergence([]float32{1, 2, 0.5, 0.7}, []float32{1, 2, 0.5, 0.7}); got != 0 {
		t.Errorf("a distribution diverges by %v from itself", got)
	}
	if got, want := Cosine([]float32{1, 0, 9, 9}, []float32{1, 1, 3, 3}), math.Sqrt(0.5); math.Abs(got-want) > 1e-12 {
		t.Errorf("cosine %v, want %v", got, want)
	}
}

// draw makes a word and two contexts at random: of n variances, and as documented.
func draw(random *rand.Rand, dim, n int) (x [3]distribution, of [3][]float64) {
	for s := range x {
		x[s] = distribution{make([]float32, dim), make([]float32, n), []float32{startSquares, startSquares}}
		of[s] = make([]float64, 2*dim)
		for k := range n {
			x[s].variance[k] = 0.5 + random.Float32()
		}
		for k := range dim {
			x[s].mean[k] = float32(random.NormFloat64())
			of[s][k], of[s][dim+k] = float64(x[s].mean[k]), float64(x[s].variance[k%n])
		}
	}
	return x, of
}

// slopeOf is the derivative of what a word's energy with the first context has beyond that with the second, in some of
// the parameters of one of the three, by finite differences.
func slopeOf(of [3][]float64, s int, parameters ...int) float64 {
	const h = 1e-6
	var sides [2]float64
	for i, by := range []float64{h, -h} {
		for _, k := range parameters {
			of[s][k] += by
		}
		sides[i] = documented(of[0], of[1]) - documented(of[0], of[2])
		for _, k := range parameters {
			of[s][k] -= by
		}
	}
	return (sides[0] - sides[1]) / (2 * h)
}

// Energies and gradients are those of the documented formulas, the latter by finite differences.
func TestGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for _, dim := range []int{1, 7, 16, 40} {
		p := params()
		p.Dim, p.Margin, p.Length = dim, 1e4, 100
		x, of := draw(random, dim, dim)
		for _, c := range []int{1, 2} {
			if got, want := energy(x[0], x[c]), documented(of[0], of[c]); math.Abs(got-want) > 1e-5*math.Abs(want) {
				t.Fatalf("energy %v, want %v", got, want)
			}
		}
		gradients, _ := draw(random, dim, dim)
		(&model{p: p}).diagonal(x, gradients, 0.1)
		for s, g := range gradients {
			squares := [2]float64{startSquares, startSquares}
			for k, got := range slices.Concat(g.mean, g.variance) {
				if want := slopeOf(of, s, k); math.Abs(float64(got)-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%d, parameter %d of %d: gradient %v, by differences %v", s, k, dim, got, want)
				}
				squares[k/dim] += float64(got) * float64(got) / float64(dim)
			}
			for i, want := range squares {
				if got := float64(x[s].squares[i]); math.Abs(got-want) > 1e-5*want {
					t.Errorf("%d of %d: squares %v of gradients, want %v", s, dim, got, want)
				}
			}
		}
	}
}

// A step follows AdaGrad as documented and keeps within the bounds.
func TestStep(t *testing.T) {
	p := params()
	p.Dim, p.Length, p.Least, p.Greatest = 2, 2, 0.5, 1.5
	m := &model{p: p}
	var x [3]distribution
	for s := range x {
		x[s] = distribution{[]float32{0.1, 0.2}, []float32{1, 1}, []float32{startSquares, startSquares}}
	}
	step := func(rate float32, a, b, c, d float32) {
		var gradients [3]distribution
		var squares [3][2]float32
		for s := range 3 {
			gradients[s] = distribution{mean: []float32{a, b}, variance: []float32{c, d}}
			squares[s] = [2]float32{a*a + b*b, c*c + d*d}
		}
		m.step(x, gradients, squares, rate)
	}
	step(0.1, 3, 4, 0.1, -0.3)
	means, variances := math.Sqrt(startSquares+12.5), math.Sqrt(startSquares+0.05)
	want := []float64{0.1 + 0.3/means, 0.2 + 0.4/means, 1 + 0.01/variances, 1 - 0.03/variances}
	for s := range x {
		got := slices.Concat(x[s].mean, x[s].variance)
		for k, v := range got {
			if math.Abs(float64(v)-want[k]) > 1e-6 {
				t.Errorf("%d: %v, want %v", s, got, want)
			}
		}
	}
	step(1000, 1, 0, 1, 1)
	for s := range x {
		if math.Abs(float64(x[s].mean[0])-2) > 1e-4 || x[s].variance[0] != 1.5 {
			t.Errorf("%v is not within the bounds", x[s])
		}
	}
}

// The loss and the step of spherical distributions are those of the documented energy, by finite differences: a mean
// moves along its gradient by AdaGrad, and so does the variance along the sum over components.
func TestSpherical(t *testing.T) {
	const rate = 0.05
	for _, dim := range []int{1, 7, 16, 40} {
		p := params()
		p.Dim, p.Spherical, p.Length, p.Margin = dim, true, 100, 50
		m := &model{p: p}
		x, of := draw(rand.New(rand.NewPCG(4, uint64(dim))), dim, 1)
		loss := p.Margin - documented(of[0], of[1]) + documented(of[0], of[2])
		var want [3][]float64
		for s := range x {
			squares, all := 0.0, make([]int, dim)
			for k := range dim {
				all[k] = dim + k
				g := slopeOf(of, s, k)
				want[s] = append(want[s], g)
				squares += g * g / float64(dim)
			}
			for k := range want[s] {
				want[s][k] = of[s][k] + rate*want[s][k]/math.Sqrt(startSquares+squares)
			}
			g := slopeOf(of, s, all...)
			variance := of[s][dim] + rate*g/math.Sqrt(startSquares+g*g)
			want[s] = append(want[s], min(max(variance, p.Least), p.Greatest))
		}
		if got := m.spherical(x, rate); math.Abs(got-loss) > 1e-5*loss {
			t.Errorf("%d components: loss %v, want %v", dim, got, loss)
		}
		for s := range x {
			for k, got := range slices.Concat(x[s].mean, x[s].variance) {
				if math.Abs(float64(got)-want[s][k]) > 1e-5 {
					t.Errorf("%d components: %d, parameter %d is %v, want %v", dim, s, k, got, want[s][k])
				}
			}
		}
		before := x[0].variance[0]
		p.Margin = -1e6
		if m.p = p; m.spherical(x, rate) != 0 || x[0].variance[0] != before {
			t.Error("an update without loss")
		}
	}
}

// Training lowers the loss, brings words of a group together, and makes the word that is beside many broad.
func TestTrainLearns(t *testing.T) {
	const n, group = 240, 12
	for _, spherical := range []bool{false, true} {
		p := params()
		p.Passes, p.Samples, p.Subsample, p.Spherical = 6, 400_000, 0, spherical
		r := train(t, countstest.Groups(n, group), p)
		if last := r.Loss[p.Passes-1]; last > 0.8*r.Loss[0] {
			t.Errorf("spherical %t: losses %v", spherical, r.Loss)
		}
		row := func(i int) []float32 { return r.Vectors[i*2*p.Dim:][:2*p.Dim] }
		similar, broad, all := 0, 0, 0
		for i := range n {
			if i%group == 0 {
				continue
			}
			all++
			own := i/group*group + 1 + (i%group)%(group-1)
			if Cosine(row(i), row(own)) > Cosine(row(i), row((own+3*group)%n)) {
				similar++
			}
			if general := row(i / group * group); -Divergence(row(i), general) > -Divergence(general, row(i)) {
				broad++
			}
		}
		if float64(similar) < 0.9*float64(all) {
			t.Errorf("spherical %t: %d of %d words are closer to one of their group than to another", spherical, similar, all)
		}
		if float64(broad) < 0.9*float64(all) {
			t.Errorf("spherical %t: %d of %d words diverge less from the general word than it from them", spherical, broad, all)
		}
	}
}

func TestTrainer(t *testing.T) {
	p := params()
	trainertest.Test(t, trainertest.Trainer[Params]{
		Name: "gaussian", Params: p, Passes: p.Passes,
		Train: Train,
		Seed:  func(p *Params, seed uint64) { p.Seed = seed },
		Bad: map[string]func(*Params){
			"dim 0":         func(p *Params) { p.Dim = 0 },
			"passes 0":      func(p *Params) { p.Passes = 0 },
			"samples 0":     func(p *Params) { p.Samples = 0 },
			"negatives 0":   func(p *Params) { p.Negatives = 0 },
			"noise -1":      func(p *Params) { p.Noise = -1 },
			"subsample NaN": func(p *Params) { p.Subsample = math.NaN() },
			`energy "X"`:    func(p *Params) { p.Energy = "X" },
			"margin 0":      func(p *Params) { p.Margin = 0 },
			"length NaN":    func(p *Params) { p.Length = math.NaN() },
			"greatest 1, expected at least the least variance, 2": func(p *Params) { p.Least, p.Greatest = 2, 1 },
			"least 0":   func(p *Params) { p.Least, p.Greatest = 0, 1 },
			"rate +Inf": func(p *Params) { p.Rate = math.Inf(1) },
		},
		Empty: "the matrix has no entries",
	})
}
