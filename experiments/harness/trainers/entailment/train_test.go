package entailment

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/countstest"
	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/trainertest"
)

func params() Params {
	return Params{Dim: 20, Passes: 2, Samples: 20_000, Negatives: 3, Noise: 0.75, Subsample: 1e-3, Rate: 0.05, Prior: -2, Bias: 3, Seed: 1}
}

func train(t *testing.T, m *sparse.Matrix[float64], p Params) *trainers.Result {
	t.Helper()
	r, err := Train(t.Context(), m, nil, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// pairLoss is the loss of one pair by the documented formulas, from log-odds.
func pairLoss(x, y []float64, p Params, label float64) float64 {
	s := p.Bias
	for k := range x {
		z := p.Prior + Softplus(x[k]) + Softplus(y[k])
		s -= Sigmoid(-z) * (Softplus(x[k]) + Softplus(y[k]))
	}
	if label > 0 {
		return Softplus(-s)
	}
	return Softplus(s)
}

// A step moves log-odds by the rate times the gradient for softplus(X), the numerical one
// of the documented loss.
func TestStepFollowsTheGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	p := params()
	const rate = float32(1e-3)
	for _, label := range []float32{0, 1} {
		for range 20 {
			const n = 11 // padding after it
			m := &model{
				Parameters: pages.NewParameters(1, 32), dim: n, half: 16, odds: float32(math.Exp(p.Prior)), bias: float32(p.Bias),
			}
			x, y := make([]float64, n), make([]float64, n)
			for _, side := range m.Sides {
				for k := range 16 {
					side[16+k] = 1
				}
			}
			for k := range n {
				x[k], y[k] = random.NormFloat64(), random.NormFloat64()
				for _, c := range []struct {
					to []float32
					x  float64
				}{{m.Sides[0], x[k]}, {m.Sides[1], y[k]}} {
					c.to[k] = float32(Softplus(c.x))
					c.to[16+k] = float32(Sigmoid(-c.x))
				}
			}
			before := slices.Clone(m.Sides[0])
			loss := m.pair(m.Sides[0], 0, label, rate)
			if want := pairLoss(x, y, p, float64(label)); math.Abs(loss-want) > 1e-5*want {
				t.Fatalf("loss %v, want %v", loss, want)
			}
			for k := range n {
				const h = 1e-5
				up, down := slices.Clone(x), slices.Clone(x)
				up[k] += h
				down[k] -= h
				gradient := (pairLoss(up, y, p, float64(label)) - pairLoss(down, y, p, float64(label))) / (2 * h)
				// For A = softplus(X): dloss/dA = gradient/σ(X); X moves by that, A by σ(X) times it.
				want := -float64(rate) * gradient
				got := float64(m.Sides[0][k]) - float64(before[k])
				if math.Abs(got-want) > 2e-7+1e-3*math.Abs(want) {
					t.Errorf("label %v, component %d: A moved by %v, want %v", label, k, got, want)
				}
				if r := math.Exp(-float64(m.Sides[0][k])); math.Abs(float64(m.Sides[0][16+k])-r) > 1e-6 {
					t.Errorf("component %d: R = %v, want e^−A = %v", k, m.Sides[0][16+k], r)
				}
			}
			for k := n; k < 16; k++ {
				if m.Sides[0][k] != 0 || m.Sides[0][16+k] != 1 {
					t.Fatal("padding moved")
				}
			}
		}
	}
}

func TestKernelsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, half := range []int{8, 24, 200} {
		w, c := make([]float32, 2*half), make([]float32, 2*half)
		for k := range half {
			w[k], c[k] = float32(random.ExpFloat64()), float32(random.ExpFloat64())
			w[half+k], c[half+k] = float32(math.Exp(-float64(w[k]))), float32(math.Exp(-float64(c[k])))
		}
		v, d := slices.Clone(w), slices.Clone(c)
		for range 50 {
			a, b := score(w, c, 0.1), scorePortable(v, d, 0.1)
			if math.Abs(float64(a-b)) > 1e-4*float64(b) {
				t.Fatalf("scores %v and %v", a, b)
			}
			step(w, c, 0.1, 0.3)
			stepPortable(v, d, 0.1, 0.3)
		}
		for k := range w {
			if math.Abs(float64(w[k]-v[k])) > 1e-4 || math.Abs(float64(c[k]-d[k])) > 1e-4 {
				t.Fatalf("half %d: component %d is %v and %v, %v and %v", half, k, w[k], v[k], c[k], d[k])
			}
		}
	}
}

// Training lowers the loss, and knows less of the words that are beside many others.
func TestTrainLearns(t *testing.T) {
	const n, group = 240, 12
	p := params()
	p.Passes, p.Samples, p.Subsample, p.Rate = 6, 300_000, 0, 0.5
	r := train(t, countstest.Groups(n, group), p)
	// That of knowing nothing, with one true pair for every three others.
	chance := 4*math.Log(4) - 3*math.Log(3)
	if last := r.Loss[p.Passes-1]; last > 0.9*chance || last >= r.Loss[0] {
		t.Errorf("losses %v, chance %v", r.Loss, chance)
	}
	row := func(i int) []float32 { return r.Vectors[i*p.Dim:][:p.Dim] }
	right, all := 0, 0
	for i := range n {
		if i%group == 0 {
			continue
		}
		all++
		general := i / group * group
		if Backward(row(i), row(general)) > Backward(row(general), row(i)) {
			right++
		}
	}
	if float64(right) < 0.9*float64(all) {
		t.Errorf("%d of %d words entail the general word of their group more than it them", right, all)
	}
}

// A start is where training begins: with next to no rate the vectors stay.
func TestStart(t *testing.T) {
	m, p := countstest.Groups(100, 10), params()
	p.Rate, p.Samples = 1e-9, 1000
	start := make([]float32, 100*p.Dim)
	random := rand.New(rand.NewPCG(9, 0))
	for i := range start {
		start[i] = float32(2 * random.NormFloat64())
	}
	r, err := Train(t.Context(), m, start, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range r.Vectors {
		if math.Abs(float64(x-start[i])) > 1e-3 {
			t.Fatalf("component %d went from %v to %v", i, start[i], x)
		}
	}
	start[57] = float32(math.NaN())
	if _, err := Train(t.Context(), m, start, p, nil); err == nil || !strings.Contains(err.Error(), "word 2: component 17") {
		t.Errorf("error for a NaN in the start: %v", err)
	}
}

func TestTrainer(t *testing.T) {
	p := params()
	trainertest.Test(t, trainertest.Trainer[Params]{
		Name: "entailment", Params: p, Passes: p.Passes,
		Train: func(
			ctx context.Context, m *sparse.Matrix[float64], p Params, progress trainertest.Progress,
		) (*trainers.Result, error) {
			return Train(ctx, m, nil, p, progress)
		},
		Seed: func(p *Params, seed uint64) { p.Seed = seed },
		Bad: map[string]func(*Params){
			"dim 0":        func(p *Params) { p.Dim = 0 },
			"passes 0":     func(p *Params) { p.Passes = 0 },
			"samples 0":    func(p *Params) { p.Samples = 0 },
			"negatives 0":  func(p *Params) { p.Negatives = 0 },
			"rate -1":      func(p *Params) { p.Rate = -1 },
			"noise NaN":    func(p *Params) { p.Noise = math.NaN() },
			"prior 99":     func(p *Params) { p.Prior = 99 },
			"bias +Inf":    func(p *Params) { p.Bias = math.Inf(1) },
			"subsample -1": func(p *Params) { p.Subsample = -1 },
		},
		Empty: "nothing to learn",
	})
}
