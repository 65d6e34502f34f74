package dive

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/skipgram"
	"contextmover/experiments/harness/trainers/internal/trainertest"
)

func params() Params {
	return Params{Dim: 20, Passes: 2, Samples: 20_000, Negatives: 5, Filter: 0, Inclusion: 0.5, Rate: 0.05, Seed: 1}
}

// matrix has n words in groups: a word is beside those of its group, and the first word of each group is beside all
// that its group's are, and more often.
func matrix(n, group int) *sparse.Matrix[float64] {
	random := rand.New(rand.NewPCG(7, 0))
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	for i := range n {
		for j := range n {
			x := 0.0
			if i/group == j/group {
				x = 5 + random.Float64()
				if i%group == 0 || j%group == 0 {
					x *= 3
				}
			} else if random.IntN(20) == 0 {
				x = 0.5
			}
			if x > 0 {
				m.Index, m.Value = append(m.Index, int32(j)), append(m.Value, x)
			}
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}

func train(t *testing.T, m *sparse.Matrix[float64], p Params) *trainers.Result {
	t.Helper()
	r, err := Train(t.Context(), m, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// objective is that of a pair in float64: weight·ln σ(w·c), or −weight·ln σ(−w·c) for a negative weight.
func objective(w, c []float64, weight float64) float64 {
	dot := 0.0
	for k, x := range w {
		dot += x * c[k]
	}
	if weight > 0 {
		return -weight * math.Log1p(math.Exp(-dot))
	}
	return weight * math.Log1p(math.Exp(dot))
}

// gradient is the objective's for w, by its formula; that for c is the same with w and c exchanged.
func gradient(w, c []float64, weight float64) []float64 {
	dot := 0.0
	for k, x := range w {
		dot += x * c[k]
	}
	g := weight / (1 + math.Exp(dot))
	if weight < 0 {
		g = weight / (1 + math.Exp(-dot))
	}
	to := make([]float64, len(w))
	for k, x := range c {
		to[k] = g * x
	}
	return to
}

// The formula of the gradient is that of finite differences, and a step follows it as documented.
func TestStepFollowsTheGradient(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for _, weight := range []float64{1, -1, -0.2, -30} {
		for range 20 {
			const dim, rate = 11, 0.05 // padding after it
			m := &model{Parameters: pages.NewParameters(1, stride(dim)), dim: dim}
			w, c := make([]float64, dim), make([]float64, dim)
			for k := range m.Stride / 2 {
				m.Sides[0][component(k)+lanes], m.Sides[1][component(k)+lanes] = startSquares, startSquares
			}
			for k := range dim {
				m.Sides[0][component(k)], m.Sides[1][component(k)] = random.Float32(), random.Float32()
				w[k], c[k] = float64(m.Sides[0][component(k)]), float64(m.Sides[1][component(k)])
			}
			got := m.pair(m.Sides[0], 0, weight, rate)
			if want := math.Exp(objective(w, c, weight) / math.Abs(weight)); math.Abs(got-want) > 1e-6 {
				t.Fatalf("σ = %v, want %v", got, want)
			}
			for side, x := range [][2][]float64{{w, c}, {c, w}} {
				formula := gradient(x[0], x[1], weight)
				moved := m.Sides[side]
				for k := range dim {
					const h = 1e-5
					up, down := slices.Clone(x[0]), slices.Clone(x[0])
					up[k] += h
					down[k] -= h
					difference := (objective(up, x[1], weight) - objective(down, x[1], weight)) / (2 * h)
					if math.Abs(formula[k]-difference) > 1e-8*math.Max(1, math.Abs(difference)) {
						t.Fatalf("weight %v: gradient %v by its formula, %v by differences", weight, formula[k], difference)
					}
					squares := startSquares + difference*difference
					if got := float64(moved[component(k)+lanes]); math.Abs(got-squares) > 1e-5*squares {
						t.Errorf("weight %v: squares %v, want %v", weight, got, squares)
					}
					want := math.Max(0, x[0][k]+rate*difference/math.Sqrt(squares))
					if got := float64(moved[component(k)]); math.Abs(got-want) > 1e-6 {
						t.Errorf("weight %v: component %d went from %v to %v, want %v", weight, k, x[0][k], got, want)
					}
				}
				for k := dim; k < m.Stride/2; k++ {
					if moved[component(k)] != 0 {
						t.Fatal("padding moved")
					}
				}
			}
		}
	}
}

func TestKernelsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	for _, dim := range []int{1, 8, 24, 100} {
		n := stride(dim)
		w, c := make([]float32, n), make([]float32, n)
		for k := range w {
			w[k], c[k] = random.Float32(), random.Float32()
		}
		v, d := slices.Clone(w), slices.Clone(c)
		for i := range 50 {
			a, b := dot(w, c), dotPortable(v, d)
			if math.Abs(float64(a-b)) > 1e-4*(1+math.Abs(float64(b))) {
				t.Fatalf("products %v and %v", a, b)
			}
			g := float32(0.3)
			if i%2 == 1 {
				g = -0.3
			}
			step(w, c, g, 0.1)
			stepPortable(v, d, g, 0.1)
		}
		for k := range w {
			if math.Abs(float64(w[k]-v[k])) > 1e-4 || math.Abs(float64(c[k]-d[k])) > 1e-4 {
				t.Fatalf("dimension %d: component %d is %v and %v, %v and %v", dim, k, w[k], v[k], c[k], d[k])
			}
		}
	}
}

// Where a product may take any value from 0 on, it becomes the shifted information of the paper,
// ln(X Total / (k_I Z #c)).
func TestProductsBecomeShiftedInformation(t *testing.T) {
	const n = 12
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	random := rand.New(rand.NewPCG(5, 0))
	columns, total := make([]float64, n), 0.0
	for range n {
		for j := range n {
			x := math.Exp(1.5 * random.NormFloat64())
			m.Index, m.Value = append(m.Index, int32(j)), append(m.Value, x)
			columns[j] += x
			total += x
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	p := Params{Dim: 40, Passes: 40, Samples: 4_000_000, Negatives: 20, Inclusion: 0.05, Rate: 0.1, Seed: 1}
	s, mod := trained(t, m, p)
	worst := 0.0
	for i := range n {
		for j := range n {
			want := math.Log(m.Value[i*n+j] * n / (p.Inclusion * columns[j]))
			w, c := mod.Word(s.Positions[i]), mod.Context(s.Positions[j])
			if want > 1 {
				worst = max(worst, math.Abs(float64(dot(w, c))-want))
			}
		}
	}
	if worst > 0.35 {
		t.Errorf("a product is %v from the shifted information", worst)
	}
}

// The general word of a group has larger vectors than the others, in the direction of theirs.
func TestTrainLearnsInclusion(t *testing.T) {
	const n, group = 240, 12
	p := params()
	p.Passes, p.Samples, p.Rate, p.Dim = 6, 1_000_000, 0.1, 30
	r := train(t, matrix(n, group), p)
	if r.Loss[p.Passes-1] >= 0.9*r.Loss[0] {
		t.Errorf("losses %v", r.Loss)
	}
	row := func(i int) []float32 { return r.Vectors[i*p.Dim:][:p.Dim] }
	right, closer, all := 0, 0, 0
	for i := range n {
		general, other := i/group*group, (i+group)%n
		if slices.Min(row(i)) < 0 {
			t.Fatalf("word %d has a component below 0", i)
		}
		if i == general {
			continue
		}
		all++
		if CDeltaS(row(i), row(general)) > 0 {
			right++
		}
		if AL1(row(i), row(general)) > AL1(row(i), row(other/group*group)) {
			closer++
		}
	}
	if float64(right) < 0.9*float64(all) || float64(closer) < 0.9*float64(all) {
		t.Errorf("of %d words %d find their group's general word more general, %d find it closer than another's", all, right, closer)
	}
}

// A word none of whose counts passes the filter has no vector.
func TestFilteredWord(t *testing.T) {
	const n, group, common = 130, 10, 5
	m := &sparse.Matrix[float64]{Rows: n, Cols: n, Start: []int64{0}}
	for i := range n {
		for j := range n {
			x := 0.0
			switch {
			case i == common || j == common: // as often beside each word
				x = 1
			case i/group == j/group:
				x = 5
			}
			if x > 0 {
				m.Index, m.Value = append(m.Index, int32(j)), append(m.Value, x)
			}
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	p := params()
	p.Filter = 1e3
	if _, err := Train(t.Context(), m, p, nil); err == nil || !strings.Contains(err.Error(), "take a lower filter") {
		t.Errorf("error %v where nothing passes", err)
	}
	p.Filter = 2
	r := train(t, m, p)
	if row := r.Vectors[common*p.Dim:][:p.Dim]; slices.Max(row) != 0 {
		t.Errorf("the vector of a word that is filtered out is %v", row)
	}
	if row := r.Vectors[15*p.Dim:][:p.Dim]; slices.Max(row) == 0 {
		t.Error("another word has no vector")
	}
}

func TestScores(t *testing.T) {
	narrow, wide := []float32{1, 0, 2}, []float32{2, 3, 4}
	if got := DeltaS(narrow, wide); got != 6 {
		t.Errorf("ΔS = %v, want 6", got)
	}
	if got, want := CDeltaS(narrow, wide), 10/math.Sqrt(5*29)*6; math.Abs(got-want) > 1e-12 {
		t.Errorf("C·ΔS = %v, want %v", got, want)
	}
	if got := CDeltaS(wide, narrow); got >= 0 {
		t.Errorf("C·ΔS the other way round = %v", got)
	}
	zero := make([]float32, 3)
	if CDeltaS(zero, wide) != 0 || AL1(zero, wide) != -1 || AL1(wide, zero) != -1 {
		t.Error("scores of a vector of zeros")
	}
	if got := AL1(narrow, []float32{3, 0, 6}); math.Abs(got) > 1e-12 {
		t.Errorf("AL1 of a multiple is %v", got)
	}
}

// AL1 finds the least sum over all multiples.
func TestAL1IsTheMinimum(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for range 50 {
		x, y := make([]float32, 6), make([]float32, 6)
		var p, q float64
		for k := range x {
			if random.IntN(3) > 0 {
				x[k] = random.Float32()
			}
			if random.IntN(3) > 0 {
				y[k] = random.Float32()
			}
			q, p = q+float64(x[k]), p+float64(y[k])
		}
		if p == 0 || q == 0 {
			continue
		}
		distance := func(a float64) (d float64) {
			for k := range x {
				over := a*float64(x[k])/q - float64(y[k])/p
				d += max(overPenalty*over, -over)
			}
			return d
		}
		least := math.Inf(1)
		for i := range 20_000 {
			least = min(least, distance(float64(i)/1000))
		}
		if got := -AL1(x, y); got > least+1e-9 || got < least-0.01 {
			t.Errorf("AL1 = %v, the least of many multiples %v", got, least)
		}
	}
}

// trained is a model after training, with its sampler.
func trained(t *testing.T, m *sparse.Matrix[float64], p Params) (*skipgram.Sampler, *model) {
	t.Helper()
	s, err := skipgram.New(t.Context(), m, p.sampling())
	if err != nil {
		t.Fatal(err)
	}
	mod, err := newModel(t.Context(), s, p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Train(t.Context(), mod.train, trainers.Training{Dim: p.Dim, Vector: mod.vector}); err != nil {
		t.Fatal(err)
	}
	return s, mod
}

func TestTrainer(t *testing.T) {
	p := params()
	trainertest.Test(t, trainertest.Trainer[Params]{
		Name: "dive", Params: p, Passes: p.Passes,
		Train: Train,
		Seed:  func(p *Params, seed uint64) { p.Seed = seed },
		Bad: map[string]func(*Params){
			"dim 0":          func(p *Params) { p.Dim = 0 },
			"passes 0":       func(p *Params) { p.Passes = 0 },
			"samples 0":      func(p *Params) { p.Samples = 0 },
			"negatives 0":    func(p *Params) { p.Negatives = 0 },
			"rate -1":        func(p *Params) { p.Rate = -1 },
			"filter NaN":     func(p *Params) { p.Filter = math.NaN() },
			"inclusion 0":    func(p *Params) { p.Inclusion = 0 },
			"inclusion +Inf": func(p *Params) { p.Inclusion = math.Inf(1) },
		},
		Empty: "the matrix has no entries",
	})
}
