package gaussian

import (
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/countstest"
	"contextmover/experiments/harness/trainers/internal/trainertest"
)

func params() Params {
	return Params{
		Dim: 20, Passes: 2, Samples: 20_000, Negatives: 1, Noise: 0.75, Subsample: 1e-3, Energy: KL, Margin: 1,
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

// energy is the documented one, in float64.
func energy(w, c []float64, e Energy) (sum float64) {
	dim := len(w) / 2
	for k := range dim {
		d, v, vc := w[k]-c[k], w[dim+k], c[dim+k]
		if e == KL {
			sum -= 0.5 * (vc/v + d*d/v - 1 - math.Log(vc/v))
		} else {
			sum -= 0.5 * (d*d/(v+vc) + math.Log(v+vc) + math.Log(2*math.Pi))
		}
	}
	return sum
}

// KL is the divergence, and EL the likelihood that a difference of draws is 0: both by integrals over one component.
func TestEnergiesAreWhatTheyAreCalled(t *testing.T) {
	density := func(x, mean, variance float64) float64 {
		return math.Exp(-(x-mean)*(x-mean)/(2*variance)) / math.Sqrt(2*math.Pi*variance)
	}
	w, c := []float64{0.3, 1.2}, []float64{-0.4, 0.7}
	var kl, el float64
	const h = 1e-3
	for x := -12.0; x < 12; x += h {
		p, q := density(x, c[0], c[1]), density(x, w[0], w[1])
		el += h * p * q
		if p > 0 {
			kl += h * p * math.Log(p/q)
		}
	}
	if got := energy(w, c, KL); math.Abs(got+kl) > 1e-6 {
		t.Errorf("KL energy %v, the divergence is %v", got, kl)
	}
	if got := energy(w, c, EL); math.Abs(got-math.Log(el)) > 1e-6 {
		t.Errorf("EL energy %v, want %v", got, math.Log(el))
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

// Energies and gradients are those of the documented formulas, the latter by finite differences.
func TestGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for _, e := range []Energy{KL, EL} {
		for _, dim := range []int{1, 7, 40} {
			p := params()
			p.Dim, p.Energy = dim, e
			kernels := newKernels(e)
			testGradient(t, &model{kernels: kernels, p: p, logNormal: float64(dim) * math.Log(2*math.Pi)}, random)
		}
	}
}

func testGradient(t *testing.T, m *model, random *rand.Rand) {
	dim, e := m.p.Dim, m.p.Energy
	var of [3][]float64 // a word and two contexts, as documented
	var x [3][]float32  // in blocks
	for s := range x {
		of[s], x[s] = make([]float64, 2*dim), make([]float32, 2*lanes*blocks(dim))
		for k := range lanes * blocks(dim) {
			x[s][component(k)+lanes] = 1
		}
		for k := range dim {
			mean, variance := float32(random.NormFloat64()), 0.3+random.Float32()
			x[s][component(k)], x[s][component(k)+lanes] = mean, variance
			of[s][k], of[s][dim+k] = float64(mean), float64(variance)
		}
	}
	n := lanes * blocks(dim)
	terms, gradients := make([]float32, termRows*n), make([]float32, gradientRows*n)
	m.terms(x[0], x[1], x[2], terms)
	first, second := m.energies(terms, make([]float64, 2*blocks(dim)))
	for i, got := range []float64{first, second} {
		if want := energy(of[0], of[1+i], e); math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Fatalf("%s: energy %v, want %v", e, got, want)
		}
	}
	m.gradients(x[0], x[1], x[2], gradients)
	for s := range of {
		for k := range 2 * dim {
			const h = 1e-6
			before := of[s][k]
			of[s][k] = before + h
			up := energy(of[0], of[1], e) - energy(of[0], of[2], e)
			of[s][k] = before - h
			down := energy(of[0], of[1], e) - energy(of[0], of[2], e)
			of[s][k] = before
			at := k%dim/lanes*gradientRows*lanes + (2*s+k/dim)*lanes + k%dim%lanes
			got, square := float64(gradients[at]), float64(gradients[at+gradientRows/2*lanes])
			if want := (up - down) / (2 * h); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%s: %d, parameter %d of %d: gradient %v, by differences %v",
					e, s, k, dim, got, want)
			}
			if math.Abs(square-got*got) > 1e-6*square {
				t.Errorf("%s: square %v of gradient %v", e, square, got)
			}
		}
	}
}

// A step follows AdaGrad as documented and keeps within the bounds.
func TestStep(t *testing.T) {
	kernels := newKernels(KL)
	p := params()
	p.Dim, p.Length, p.Least, p.Greatest = 2, 2, 0.5, 1.5
	m := &model{kernels: kernels, p: p}
	var x, sums [3][]float32
	for s := range x {
		x[s], sums[s] = make([]float32, 2*lanes), []float32{startSquares, startSquares}
		x[s][0], x[s][1], x[s][lanes], x[s][lanes+1] = 0.1, 0.2, 1, 1
	}
	step := func(rate float32, of ...float32) {
		gradients, squares := make([]float32, gradientRows*lanes), make([]float32, 3*lanes)
		for s := range 3 {
			for i, g := range of {
				at := (2*s+i/2)*lanes + i%2
				gradients[at], gradients[at+gradientRows/2*lanes] = g, g*g
			}
		}
		m.step(x, sums, gradients, squares, rate)
	}
	step(0.1, 3, 4, 0.1, -0.3)
	means, variances := math.Sqrt(startSquares+12.5), math.Sqrt(startSquares+0.05)
	want := []float64{0.1 + 0.3/means, 0.2 + 0.4/means, 1 + 0.01/variances, 1 - 0.03/variances}
	for s := range x {
		got := []float32{x[s][0], x[s][1], x[s][lanes], x[s][lanes+1]}
		for k, v := range got {
			if math.Abs(float64(v)-want[k]) > 1e-6 {
				t.Errorf("%d: %v, want %v", s, got, want)
			}
		}
	}
	step(1000, 1, 0, 1, 1)
	for s := range x {
		if math.Abs(float64(x[s][0])-2) > 1e-4 || x[s][lanes] != 1.5 {
			t.Errorf("%v is not within the bounds", x[s])
		}
	}
}

// The loss and the step of spherical distributions are those of the documented energy, by finite differences: a mean
// moves along its gradient by AdaGrad, and so does the variance along the sum over components.
func TestSpherical(t *testing.T) {
	const rate = 0.05
	for _, e := range []Energy{KL, EL} {
		for _, dim := range []int{1, 7, 16, 40} {
			kernels := newKernels(e)
			p := params()
			p.Dim, p.Energy, p.Spherical, p.Length, p.Margin = dim, e, true, 100, 50
			m := &model{kernels: kernels, p: p, logNormal: float64(dim) * math.Log(2*math.Pi)}
			random := rand.New(rand.NewPCG(4, uint64(dim)))
			var of [3][]float64
			var x, sums [3][]float32
			for s := range x {
				of[s], x[s] = make([]float64, 2*dim), make([]float32, 2*lanes*blocks(dim))
				sums[s] = []float32{startSquares, startSquares}
				x[s][lanes] = 0.5 + random.Float32()
				for k := range dim {
					mean := float32(random.NormFloat64())
					x[s][component(k)], of[s][k], of[s][dim+k] = mean, float64(mean), float64(x[s][lanes])
				}
			}
			difference := func() float64 { return energy(of[0], of[1], e) - energy(of[0], of[2], e) }
			slope := func(s int, parameters ...int) float64 {
				const h = 1e-6
				var sides [2]float64
				for i, by := range []float64{h, -h} {
					for _, k := range parameters {
						of[s][k] += by
					}
					sides[i] = difference()
					for _, k := range parameters {
						of[s][k] -= by
					}
				}
				return (sides[0] - sides[1]) / (2 * h)
			}
			loss := p.Margin - difference()
			var want [3][]float64
			for s := range x {
				squares, all := 0.0, make([]int, dim)
				for k := range dim {
					all[k] = dim + k
					g := slope(s, k)
					want[s] = append(want[s], g)
					squares += g * g / float64(dim)
				}
				for k := range want[s] {
					want[s][k] = of[s][k] + rate*want[s][k]/math.Sqrt(startSquares+squares)
				}
				g := slope(s, all...)
				variance := of[s][dim] + rate*g/math.Sqrt(startSquares+g*g)
				want[s] = append(want[s], min(max(variance, p.Least), p.Greatest))
			}
			if got := m.spherical(x, sums, new(laneSums), rate); math.Abs(got-loss) > 1e-5*loss {
				t.Errorf("%s, %d components: loss %v, want %v", e, dim, got, loss)
			}
			for s := range x {
				for k, want := range want[s] {
					at := lanes
					if k < dim {
						at = component(k)
					}
					if got := float64(x[s][at]); math.Abs(got-want) > 1e-5 {
						t.Errorf("%s, %d components: %d, parameter %d is %v, want %v",
							e, dim, s, k, got, want)
					}
				}
			}
			before := x[0][lanes]
			p.Margin = -1e6
			if m.p = p; m.spherical(x, sums, new(laneSums), rate) != 0 || x[0][lanes] != before {
				t.Errorf("%s: an update without loss", e)
			}
		}
	}
}

// Training lowers the loss, brings words of a group together, and makes the word that is beside many broad.
func TestTrainLearns(t *testing.T) {
	const n, group = 240, 12
	for _, e := range []Energy{KL, EL} {
		for _, spherical := range []bool{false, true} {
			p := params()
			p.Passes, p.Samples, p.Subsample, p.Energy, p.Spherical = 6, 400_000, 0, e, spherical
			r := train(t, countstest.Groups(n, group), p)
			if last := r.Loss[p.Passes-1]; last > 0.8*r.Loss[0] {
				t.Errorf("%s, spherical %t: losses %v", e, spherical, r.Loss)
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
				t.Errorf("%s, spherical %t: %d of %d words are closer to one of their group than to another", e, spherical, similar, all)
			}
			if e == KL && float64(broad) < 0.9*float64(all) {
				t.Errorf("spherical %t: %d of %d words diverge less from the general word than it from them", spherical, broad, all)
			}
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
		Huge:  func(p *Params) { p.Dim, p.Samples = 1<<20, 1<<60 },
		Empty: "the matrix has no entries",
	})
}
