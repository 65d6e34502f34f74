package sentence

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// world is a small random vocabulary. Word 0 has no estimate, word 1 no vector.
type world struct {
	estimates   *estimate.Estimates
	vectors     []float32
	probability []float64
	ground      *ground.Ground
	random      *rand.Rand
}

const (
	words = 30
	bins  = 6
	dim   = 5
)

func newWorld(t testing.TB, metric ground.Metric) *world {
	w := &world{random: rand.New(rand.NewPCG(7, 7))}
	w.estimates = &estimate.Estimates{
		Histograms: ot.Histograms{K: bins, Data: make([]float32, words*bins)},
		Known:      make([]bool, words), Mass: make([]float64, words),
	}
	for i := 1; i < words; i++ {
		sum := 0.0
		h := make([]float64, bins)
		for k := range h {
			h[k] = w.random.ExpFloat64()
			sum += h[k]
		}
		for k := range h {
			w.estimates.Row(i)[k] = float32(h[k] / sum)
		}
		w.estimates.Known[i] = true
	}
	w.vectors = make([]float32, words*dim)
	for i := range w.vectors {
		if i/dim != 1 {
			w.vectors[i] = float32(w.random.NormFloat64()) + 1
		}
	}
	w.probability = make([]float64, words)
	for i := range w.probability {
		w.probability[i] = 0.1 / float64(i+1)
	}
	centroids := make([]float32, bins*dim)
	for i := range centroids {
		centroids[i] = float32(w.random.NormFloat64()) + 1
	}
	g, err := ground.New(centroids, bins, dim, ground.Params{Metric: metric, Normalisation: ground.Median, Clip: 14, Reg: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	w.ground = g
	return w
}

func (w *world) sentence(length int) Sentence {
	s := make(Sentence, length)
	for i := range s {
		s[i] = 2 + int32(w.random.IntN(words-2))
	}
	return s
}

func (w *world) pairs(n int) []Pair {
	pairs := make([]Pair, n)
	for i := range pairs {
		pairs[i] = Pair{w.sentence(1 + w.random.IntN(8)), w.sentence(1 + w.random.IntN(8))}
	}
	return pairs
}

func (w *world) transport() Transport {
	return Transport{
		Combiner: HistogramAverage{Estimates: w.estimates},
		Ground:   w.ground, Engine: reference.New(),
		Settings: ot.Settings{Reg: 0.1, MaxIter: 100},
		Points:   Points{Vectors: w.vectors, Dim: dim, Probability: w.probability},
	}
}

func (w *world) average() VectorAverage {
	return VectorAverage{Points: Points{Vectors: w.vectors, Dim: dim, Probability: w.probability}}
}

func scores(t *testing.T, m Method, pairs []Pair) Scores {
	t.Helper()
	s, err := m.Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Value) != len(pairs) || len(s.Covered) != len(pairs) {
		t.Fatalf("%d scores, %d covered, for %d pairs", len(s.Value), len(s.Covered), len(pairs))
	}
	for i, v := range s.Value {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("score %d is %v", i, v)
		}
	}
	return s
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance {
			t.Fatalf("%s: value %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestSentEvalOrder(t *testing.T) {
	a := []int{3, 2, 3, 3, 2}
	b := []int{1, 9, 1, 1, 8}
	gold := []float64{4, 0, 1, 4, 5}
	if got, want := SentEvalOrder(a, b, gold), []int{4, 1, 2, 0, 3}; !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
}

// The cosine of means and of SIF's weighted sums, in obvious loops.
func TestVectorAverageBruteForce(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(40)
	pairs[3].A = append(pairs[3].A, 1, 1) // words without a vector change nothing
	for _, weighting := range []Weighting{{}, {SIF, 1e-3}, {InverseMarginal, 1e-3}} {
		m := w.average()
		m.Weighting = weighting
		got := scores(t, m, pairs)
		want := make([]float64, len(pairs))
		for i, p := range pairs {
			side := func(s Sentence) []float64 {
				v := make([]float64, dim)
				for _, id := range s {
					weight := 1.0
					if !weighting.IsUniform() {
						weight = weighting.A / (weighting.A + w.probability[id])
					}
					for d := range v {
						v[d] += weight * float64(w.vectors[int(id)*dim+d])
					}
				}
				return v
			}
			want[i] = Similarity(side(p.A), side(p.B))
		}
		near(t, string(weighting.Scheme), got.Value, want, 1e-14)
		if got.Coverage() != 1 {
			t.Errorf("coverage %v", got.Coverage())
		}
	}
}

// SIF divides by the number of words, the others by the sum of the weights.
func TestScaleOfPoints(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	s := Sentence{4, 9, 4, 1}
	weight := func(id int32) float64 { return 1e-2 / (1e-2 + w.probability[id]) }
	sum := 2*weight(4) + weight(9)
	for _, c := range []struct {
		Weighting
		four, nine float64
	}{
		{Weighting{}, 2. / 3, 1. / 3},
		{Weighting{InverseMarginal, 1e-2}, 2 * weight(4) / sum, weight(9) / sum},
		{Weighting{SIF, 1e-2}, 2 * weight(4) / 3, weight(9) / 3},
	} {
		got := make([]float64, dim)
		if !(Points{Vectors: w.vectors, Dim: dim, Probability: w.probability, Weighting: c.Weighting}).average(got, s) {
			t.Fatal("no point")
		}
		for d, x := range got {
			want := c.four*float64(w.vectors[4*dim+d]) + c.nine*float64(w.vectors[9*dim+d])
			if math.Abs(x-want) > 1e-15*10 {
				t.Errorf("%v: coordinate %d is %v, want %v", c.Weighting, d, x, want)
			}
		}
	}
}

func TestUncovered(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(20)
	pairs[4].A = nil
	pairs[9].B = Sentence{0}  // no estimate, but a vector
	pairs[11].A = Sentence{1} // no vector, but an estimate
	pairs[13] = Pair{nil, nil}
	mixed := w.transport()
	mixed.Mix = 0.4
	for name, c := range map[string]struct {
		Method
		uncovered []int
	}{
		"vectors":   {w.average(), []int{4, 11, 13}},
		"transport": {w.transport(), []int{4, 9, 13}},
		"mixed":     {mixed, []int{4, 9, 11, 13}},
	} {
		got := scores(t, c.Method, pairs)
		worst := math.Inf(1)
		for i := range pairs {
			if got.Covered[i] == slices.Contains(c.uncovered, i) {
				t.Errorf("%s: pair %d covered: %v", name, i, got.Covered[i])
			}
			if got.Covered[i] {
				worst = min(worst, got.Value[i])
			}
		}
		for _, i := range c.uncovered {
			if got.Value[i] != worst {
				t.Errorf("%s: uncovered pair %d has %v, want the worst score %v", name, i, got.Value[i], worst)
			}
		}
		// The others do not notice.
		var rest []Pair
		var want []float64
		for i, p := range pairs {
			if got.Covered[i] {
				rest, want = append(rest, p), append(want, got.Value[i])
			}
		}
		near(t, name, scores(t, c.Method, rest).Value, want, 0)

		none := scores(t, c.Method, []Pair{{nil, Sentence{3}}, {}})
		if none.Coverage() != 0 || none.Value[0] != 0 || none.Value[1] != 0 {
			t.Errorf("%s: nothing covered gives %+v", name, none)
		}
		if empty := scores(t, c.Method, nil); empty.Coverage() != 1 {
			t.Errorf("%s: no pairs give %+v", name, empty)
		}
	}
}

// A word that occurs twice counts twice: doubling all words changes nothing, and
// repeating one moves the sentence towards it.
func TestRepeatedWords(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	once := Sentence{4, 9, 17}
	twice := Sentence{4, 9, 17, 4, 9, 17}
	more := Sentence{4, 9, 17, 17, 17}
	weighting := Weighting{InverseMarginal, 1e-2}
	for name, m := range map[string]Method{
		"vectors": VectorAverage{Points: Points{Vectors: w.vectors, Dim: dim, Probability: w.probability, Weighting: weighting}},
		"average": func() Method {
			m := w.transport()
			m.Combiner = HistogramAverage{Estimates: w.estimates, Weighting: weighting, Probability: w.probability}
			return m
		}(),
		"barycenter": func() Method {
			m := w.transport()
			m.Combiner = w.barycenter(false)
			return m
		}(),
	} {
		target := Sentence{17}
		got := scores(t, m, []Pair{{once, target}, {twice, target}, {more, target}}).Value
		if math.Abs(got[0]-got[1]) > 1e-6 {
			t.Errorf("%s: %v from the words once, %v twice", name, got[0], got[1])
		}
		if got[2] <= got[0] {
			t.Errorf("%s: %v with a word of the target repeated, %v without", name, got[2], got[0])
		}
	}
}

func TestErrors(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	vectors := func(f func(*VectorAverage)) Method { m := w.average(); f(&m); return m }
	moved := func(f func(*Transport)) Method { m := w.transport(); m.Mix = 0.4; f(&m); return m }
	fine := w.pairs(2)
	for want, c := range map[string]struct {
		Method
		pairs []Pair
	}{
		"word 1 of sentence 1 has the id 30, but there are 30 words":    {w.average(), []Pair{fine[0], {Sentence{3, 30}, fine[0].B}}},
		"has the id -1, but there are 30 words":                         {w.transport(), []Pair{{Sentence{-1}, fine[0].B}}},
		"dimension 0":                                                   {vectors(func(m *VectorAverage) { m.Dim = 0 }), fine},
		"150 coordinates of vectors, not a multiple of the dimension 4": {vectors(func(m *VectorAverage) { m.Dim = 4 }), fine},
		"batch of the principal component":                              {vectors(func(m *VectorAverage) { m.PCBatch = -1 }), fine},
		"sif weights with a = 0":                                        {vectors(func(m *VectorAverage) { m.Weighting.Scheme = SIF }), fine},
		"inverse marginal weights need the probability of each of 30 words, 0": {vectors(func(m *VectorAverage) {
			m.Weighting, m.Probability = Weighting{InverseMarginal, 1e-3}, nil
		}), fine},
		"the probability of word 2 is NaN": {vectors(func(m *VectorAverage) {
			m.Weighting, m.Probability = Weighting{SIF, 1e-3}, slices.Clone(m.Probability)
			m.Probability[2] = math.NaN()
		}), fine},
		"the probability of word 2 is +Inf": {vectors(func(m *VectorAverage) {
			m.Weighting, m.Probability = Weighting{SIF, 1e-3}, slices.Clone(m.Probability)
			m.Probability[2] = math.Inf(1)
		}), fine},
		"the probability of word 2 is -1": {vectors(func(m *VectorAverage) {
			m.Weighting, m.Probability = Weighting{SIF, 1e-3}, slices.Clone(m.Probability)
			m.Probability[2] = -1
		}), fine},
		`unknown weighting "tf-idf", expected one of: uniform, inverse marginal, sif`: {vectors(func(m *VectorAverage) { m.Weighting.Scheme = "tf-idf" }), fine},
		"needs a combiner":                     {moved(func(m *Transport) { m.Combiner = nil }), fine},
		"needs a ground cost":                  {moved(func(m *Transport) { m.Ground = nil }), fine},
		"needs an engine":                      {moved(func(m *Transport) { m.Engine = nil }), fine},
		"mix m = 1 is not in [0, 1)":           {moved(func(m *Transport) { m.Mix = 1 }), fine},
		"mix m = NaN":                          {moved(func(m *Transport) { m.Mix = math.NaN() }), fine},
		"negative, expected a number of pairs": {moved(func(m *Transport) { m.PCBatch = -64 }), fine},
		"points of dimension 3":                {moved(func(m *Transport) { m.Points.Dim = 3 }), fine},
		"the regularisation is 0":              {moved(func(m *Transport) { m.Settings.Reg = 0 }), fine},
		"needs estimates":                      {moved(func(m *Transport) { m.Combiner = HistogramAverage{} }), fine},
		"sentence 1 (word ids": {moved(func(m *Transport) {
			p, err := Precompute(t.Context(), m.Combiner, []Pair{{fine[0].A, fine[0].A}})
			if err != nil {
				t.Fatal(err)
			}
			m.Combiner = p
		}), fine},
	} {
		if _, err := c.Score(t.Context(), c.pairs); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// A word that does not occur weighs exactly 1; sums of counts serve as marginals, of
// which only ratios matter where they are far above a.
func TestMarginals(t *testing.T) {
	p := []float64{0, 3, 12}
	for _, scheme := range []Scheme{InverseMarginal, SIF} {
		w := Weighting{scheme, 1e-4}
		if err := w.validate(3, p); err != nil {
			t.Error(err)
		}
		if got := w.weight(0, p); got != 1 {
			t.Errorf("%v: a word with p = 0 weighs %v, want 1", scheme, got)
		}
		// a/(a+3) over a/(a+12) is 4 but for a relative a/3.
		if got := w.weight(1, p) / w.weight(2, p); math.Abs(got-4) > 4*1e-4/3 {
			t.Errorf("%v: ratio %v, want 4", scheme, got)
		}
	}
}

// The mean of any number of words is the sum in their order, bit for bit.
func TestHistogramAverageOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const k, words = 7, 40
	e := &estimate.Estimates{Histograms: ot.Histograms{K: k, Data: make([]float32, k*words)}, Known: make([]bool, words)}
	p := make([]float64, words)
	for i := range words {
		e.Known[i], p[i] = true, r.Float64()
		for j := range k {
			e.Row(i)[j] = r.Float32()
		}
	}
	w := Weighting{Scheme: InverseMarginal, A: 0.1}
	for n := 1; n < 12; n++ {
		var s Sentence
		sum, total := make([]float64, k), 0.0
		for range n {
			word := int32(r.IntN(words))
			s = append(s, word)
			for j, x := range e.Row(int(word)) {
				sum[j] += 0.1 / (0.1 + p[word]) * float64(x)
			}
		}
		for _, x := range sum {
			total += x
		}
		h, err := HistogramAverage{Estimates: e, Weighting: w, Probability: p}.Combine(t.Context(), []Sentence{s})
		if err != nil {
			t.Fatal(err)
		}
		for j, x := range h.Row(0) {
			if want := float32(sum[j] / total); x != want {
				t.Errorf("%d words, bin %d: %v, want %v", n, j, x, want)
			}
		}
	}
}
