package method

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sentence"
)

// The slope of a correlation is finite differences of it. Both are 0 where there is no correlation.
func TestCorrelation(t *testing.T) {
	x, y := []float64{1, 3, 2, 5}, []float64{2, 1, 4, 4}
	r, slope := correlation(x, y)
	if want := 2.75 / math.Sqrt(8.75*6.75); math.Abs(r-want) > 1e-12 {
		t.Errorf("a correlation of %v, want %v", r, want)
	}
	for i := range x {
		const h = 1e-5
		x[i] += h
		up, _ := correlation(x, y)
		x[i] -= 2 * h
		down, _ := correlation(x, y)
		x[i] += h
		if want := (up - down) / (2 * h); math.Abs(slope[i]-want) > 1e-8 {
			t.Errorf("slope %d: %v, by finite differences %v", i, slope[i], want)
		}
	}
	r, slope = correlation([]float64{.1, .1, .1}, []float64{0, 1, 3})
	if r != 0 || !slices.Equal(slope, make([]float64, 3)) {
		t.Errorf("%v of equal numbers, with the slope %v", r, slope)
	}
}

// judgedWorld is a source of words 0, 1, … with histograms over a few bins, between which all costs are 1. Its judged
// pairs are of two words each.
type judgedWorld struct {
	Source
	estimates *estimate.Estimates
	own       ot.Cost
	judged    []Judged
	learned   Learned // at last
}

const worldBins, worldWords = 8, 60

func newJudgedWorld(random *rand.Rand) *judgedWorld {
	const k = worldBins
	h := ot.Histograms{K: k, Data: make([]float32, worldWords*k)}
	for i := range worldWords {
		row, sum := h.Row(i), float32(0)
		for j := range row {
			row[j] = float32(math.Pow(random.Float64(), 4))
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	own := ot.Cost{K: k, Data: make([]float32, k*k)}
	for at := range own.Data {
		if at/k != at%k {
			own.Data[at] = 1
		}
	}
	known := slices.Repeat([]bool{true}, worldWords)
	return &judgedWorld{estimates: &estimate.Estimates{Histograms: h, Known: known}, own: own}
}

// otherCost is a cost that differs from the own one.
func otherCost(random *rand.Rand) ot.Cost {
	const k = worldBins
	c := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range i {
			x := float32(0.5 + random.Float64())
			c.Data[i*k+j], c.Data[j*k+i] = x, x
		}
	}
	return c
}

func somePairs(random *rand.Rand, n int) (pairs []Pair) {
	for range n {
		pairs = append(pairs, Pair{strconv.Itoa(random.IntN(worldWords)), strconv.Itoa(random.IntN(worldWords))})
	}
	return pairs
}

func (w *judgedWorld) Known(pairs []Pair) (known []sentence.Pair) {
	words := func(text string) (s sentence.Sentence) {
		for _, word := range strings.Fields(text) {
			id, _ := strconv.Atoi(word)
			s = append(s, int32(id))
		}
		return s
	}
	for _, p := range pairs {
		known = append(known, sentence.Pair{A: words(p.A), B: words(p.B)})
	}
	return known
}

func (w *judgedWorld) Probability(context.Context, Marginal) ([]float64, error) {
	return slices.Repeat([]float64{1. / worldWords}, worldWords), nil
}

func (w *judgedWorld) Estimates(context.Context, Estimates, Bins) (*estimate.Estimates, error) {
	return w.estimates, nil
}

func (w *judgedWorld) Ground(context.Context, Cost, Bins, float64) (*ground.Ground, error) {
	return &ground.Ground{Cost: w.own}, nil
}

func (w *judgedWorld) Engine() ot.Engine { return cpu.New() }

func (w *judgedWorld) Solver(t Transport) (distances, barycenters ot.Settings) {
	return t.Distances(), t.Barycenters()
}

func (w *judgedWorld) Judged(context.Context) ([]Judged, error) { return w.judged, nil }

func (w *judgedWorld) Learned(
	ctx context.Context, _ Method, learn func(ctx context.Context) (Learned, error),
) (l Learned, err error) {
	w.learned, err = learn(ctx)
	return w.learned, err
}

func (w *judgedWorld) Progress() func(done, total int64) { return nil }

// under returns the world with another cost of its own.
func (w *judgedWorld) under(c ot.Cost) *judgedWorld {
	other := *w
	other.own = c
	return &other
}

// problem is that of moving the words of pairs under the own cost.
func (w *judgedWorld) problem(pairs []Pair) (p ot.Problem, of []ot.Pair) {
	for _, pair := range w.Known(pairs) {
		of = append(of, ot.Pair{Source: pair.A[0], Target: pair.B[0]})
	}
	settings := KindOf(LearnedAverage{}).New().(LearnedAverage).Transport.Distances()
	return ot.Problem{Settings: settings, Values: true, Cost: w.own, Rows: w.estimates.Histograms}, of
}

// values are minus the values OT_λ of pairs under the own cost.
func (w *judgedWorld) values(t *testing.T, pairs []Pair) (values []float64) {
	p, of := w.problem(pairs)
	p.Pairs = of
	results, err := ot.Distances(t.Context(), cpu.New(), &p)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		values = append(values, -r.Value)
	}
	return values
}

func (w *judgedWorld) score(t *testing.T, m Method, pairs []Pair) []float64 {
	scores, err := Score(t.Context(), m, w, pairs)
	if err != nil {
		t.Fatal(err)
	}
	return scores.Value
}

// Judgements that another cost has made are met better step by step; the cost stays symmetric, ≥ 0 and of the same mean.
func TestLearningSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	w := newJudgedWorld(random)
	other := w.under(otherCost(random))
	var sets []judged
	var p ot.Problem
	for range 2 {
		var set judged
		pairs := somePairs(random, 60)
		p, set.pairs = w.problem(pairs)
		set.judgements = other.values(t, pairs)
		sets = append(sets, set)
	}
	loss := func() (sum float64) { // 1 − ρ
		for _, set := range sets {
			r, _, err := set.correlation(t.Context(), cpu.New(), p)
			if err != nil {
				t.Fatal(err)
			}
			sum += (1 - r) / 2
		}
		return sum
	}
	before := loss()
	for range 20 {
		var err error
		if p.Cost, err = (Learning{Rate: 0.05}).step(t.Context(), cpu.New(), p, sets); err != nil {
			t.Fatal(err)
		}
	}
	if after := loss(); !(after < before/2) {
		t.Errorf("1 − ρ is %v after learning, %v before", after, before)
	}
	k, sum := p.Cost.K, 0.0
	for i, c := range p.Cost.Data {
		if sum += float64(c); !(c >= 0) || math.Abs(float64(c-p.Cost.Data[i%k*k+i/k])) > 1e-6 {
			t.Errorf("cost %d is %v, the other way %v", i, c, p.Cost.Data[i%k*k+i/k])
		}
	}
	if math.Abs(sum-float64(k*(k-1))) > 1e-3 {
		t.Errorf("the costs sum to %v, before to %d", sum, k*(k-1))
	}
	for at, c := range w.own.Data {
		if i, j := at/k, at%k; (i == j) != (c == 0) || c > 1 {
			t.Fatalf("the own cost has changed: %v from %d to %d", c, i, j)
		}
	}
}

// Of judgements that another cost has made steps are taken, and scores of further pairs correlate better with those of
// that cost. This holds of several sets and of one, which is halved.
func TestStepsAreChosen(t *testing.T) {
	m := KindOf(LearnedAverage{}).New().(LearnedAverage)
	m.Steps = 20
	for _, sets := range []int{1, 3} {
		random := rand.New(rand.NewPCG(6, uint64(sets)))
		w := newJudgedWorld(random)
		other := w.under(otherCost(random))
		for range sets {
			pairs := somePairs(random, 240/sets)
			w.judged = append(w.judged, Judged{pairs, other.values(t, pairs)})
		}
		further := somePairs(random, 100)
		learned, own := w.score(t, m, further), w.score(t, m.Average, further)
		want := other.values(t, further)
		after, _ := correlation(learned, want)
		before, _ := correlation(own, want)
		l := w.learned
		if l.Steps == 0 || len(l.LeftOut) != 21 || l.LeftOut[l.Steps] != slices.Max(l.LeftOut) {
			t.Errorf("%d sets: %d steps, correlations of what is left out %v", sets, l.Steps, l.LeftOut)
		}
		if !(1-after < (1-before)/2) {
			t.Errorf("%d sets: a correlation of %v with the true scores, %v before learning", sets, after, before)
		}
	}
}

// Where what is learned from some pairs is of no use for others, no step is taken, and scores are those of Average to
// the last bit: of judgements that the own cost has made, and of two sets that contradict each other.
func TestNoStepIsChosen(t *testing.T) {
	m := KindOf(LearnedAverage{}).New().(LearnedAverage)
	for name, judge := range map[string]func(w, other *judgedWorld, set int, pairs []Pair) []float64{
		"own": func(w, _ *judgedWorld, _ int, pairs []Pair) []float64 { return w.values(t, pairs) },
		"contradiction": func(_, other *judgedWorld, set int, pairs []Pair) []float64 {
			values := other.values(t, pairs)
			for i := range values {
				values[i] *= float64(1 - 2*set)
			}
			return values
		},
	} {
		random := rand.New(rand.NewPCG(7, 7))
		w := newJudgedWorld(random)
		other := w.under(otherCost(random))
		for set := range 2 {
			pairs := somePairs(random, 60)
			w.judged = append(w.judged, Judged{pairs, judge(w, other, set, pairs)})
		}
		further := somePairs(random, 100)
		learned, own := w.score(t, m, further), w.score(t, m.Average, further)
		if w.learned.Steps > 0 {
			t.Errorf("%s: %d steps, correlations of what is left out %v", name, w.learned.Steps, w.learned.LeftOut)
		}
		if !slices.Equal(w.learned.Cost, w.own.Data) || !slices.Equal(learned, own) {
			t.Errorf("%s: without a step the cost or the scores are others than the own ones", name)
		}
	}
}

// From judgements that are noise nothing is learned that holds for others: what is left out correlates with chance, in
// the mean over worlds.
func TestNoiseIsNotLearned(t *testing.T) {
	m := KindOf(LearnedAverage{}).New().(LearnedAverage)
	const worlds = 10
	mean := 0.0
	for world := range worlds {
		random := rand.New(rand.NewPCG(8, uint64(world)))
		w := newJudgedWorld(random)
		for range 4 {
			pairs := somePairs(random, 100)
			noise := make([]float64, len(pairs))
			for i := range noise {
				noise[i] = random.NormFloat64()
			}
			w.judged = append(w.judged, Judged{pairs, noise})
		}
		w.score(t, m, somePairs(random, 1))
		mean += w.learned.LeftOut[m.Steps] / worlds
	}
	if math.Abs(mean) > 0.05 { // three standard errors of 4000 pairs
		t.Errorf("after learning from noise, a correlation of %v with other noise", mean)
	}
}

// A mix, and what is no transport, are refused.
func TestLearnedSettings(t *testing.T) {
	m := KindOf(LearnedAverage{}).New()
	if err := m.Validate(); err != nil || m.Needs().Learned != m {
		t.Errorf("the defaults: %v, %+v", err, m.Needs())
	}
	if err := Set(m, "mix", .5).Validate(); err == nil {
		t.Error("a mix: no error")
	}
	for steps, want := range map[int]bool{0: true, 1000: true, -1: false, 1001: false} {
		if err := Set(m, "learning_steps", steps).Validate(); (err == nil) != want {
			t.Errorf("%d steps: %v", steps, err)
		}
	}
	if err := Set(m, "compare", MaximumMeanDiscrepancy).Validate(); err == nil {
		t.Error("no transport: no error")
	}
}
