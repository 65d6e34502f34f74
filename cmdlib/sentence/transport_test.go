package sentence

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

func (w *world) barycenter(debiased bool) Barycenter {
	return Barycenter{
		Estimates: w.estimates, Cost: w.ground.Cost, Engine: reference.New(),
		Settings: ot.Settings{Reg: 0.1, MaxIter: 200}, Debiased: debiased,
	}
}

func combine(t *testing.T, c Combiner, sentences ...Sentence) ot.Histograms {
	t.Helper()
	h, err := c.Combine(t.Context(), sentences)
	if err != nil {
		t.Fatal(err)
	}
	if h.Len() != len(sentences) {
		t.Fatalf("%d histograms for %d sentences", h.Len(), len(sentences))
	}
	for i := range sentences {
		sum := 0.0
		for _, x := range h.Row(i) {
			sum += float64(x)
		}
		if sum != 0 && math.Abs(sum-1) > 1e-5 {
			t.Fatalf("histogram %d sums to %v", i, sum)
		}
	}
	return h
}

func TestHistogramAverage(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	s := Sentence{4, 0, 9, 4, 0} // word 0 has no estimate
	h := combine(t, HistogramAverage{Estimates: w.estimates}, s, Sentence{0}, nil, Sentence{7})
	for k, x := range h.Row(0) {
		if want := (2*w.estimates.Row(4)[k] + w.estimates.Row(9)[k]) / 3; math.Abs(float64(x-want)) > 1e-7 {
			t.Errorf("bin %d is %v, want %v", k, x, want)
		}
	}
	if !isZero(h.Row(1)) || !isZero(h.Row(2)) {
		t.Error("sentences without an estimate have a histogram")
	}
	for k, x := range h.Row(3) {
		if math.Abs(float64(x-w.estimates.Row(7)[k])) > 1e-7 {
			t.Errorf("bin %d of a single word is %v, its estimate %v", k, x, w.estimates.Row(7)[k])
		}
	}
	// Equal probabilities make equal weights.
	same := make([]float64, words)
	for i := range same {
		same[i] = 0.01
	}
	for _, scheme := range []Scheme{InverseMarginal, SIF} {
		again := combine(t, HistogramAverage{Estimates: w.estimates, Probability: same, Weighting: Weighting{scheme, 1e-3}}, s)
		for k, x := range again.Data {
			if math.Abs(float64(x-h.Row(0)[k])) > 1e-7 {
				t.Errorf("%v: bin %d is %v, uniform %v", scheme, k, x, h.Row(0)[k])
			}
		}
	}
}

func TestBarycenters(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	for _, debiased := range []bool{false, true} {
		b := w.barycenter(debiased)
		h := combine(t, b, Sentence{4, 9, 17}, Sentence{0, 4, 9, 0, 17}, Sentence{0}, Sentence{17, 4, 9}, Sentence{5})
		if !slices.Equal(h.Row(0), h.Row(1)) {
			t.Error("words without an estimate change the barycenter")
		}
		if !isZero(h.Row(2)) {
			t.Error("a sentence without an estimate has a barycenter")
		}
		for k, x := range h.Row(3) {
			if math.Abs(float64(x-h.Row(0)[k])) > 1e-6 {
				t.Errorf("bin %d depends on the order of the words: %v, %v", k, x, h.Row(0)[k])
			}
		}
		if debiased { // a single histogram is its own barycenter
			for k, x := range h.Row(4) {
				if math.Abs(float64(x-w.estimates.Row(5)[k])) > 1e-3 {
					t.Errorf("bin %d of a single word is %v, its estimate %v", k, x, w.estimates.Row(5)[k])
				}
			}
		}
		// It costs no more than the average: that is what it minimises.
		if !debiased {
			continue
		}
		average := combine(t, HistogramAverage{Estimates: w.estimates}, Sentence{4, 9, 17})
		if b, a := w.spread(t, h.Row(0)), w.spread(t, average.Row(0)); b > a+1e-3 {
			t.Errorf("the words cost %v to the barycenter, %v to the average", b, a)
		}
	}
}

// spread is the mean cost from words 4, 9 and 17 to h.
func (w *world) spread(t *testing.T, h []float32) float64 {
	rows := slices.Concat(w.estimates.Row(4), w.estimates.Row(9), w.estimates.Row(17), h)
	r, err := ot.Distances(t.Context(), reference.New(), &ot.Problem{
		Settings: ot.Settings{Reg: 0.01, MaxIter: 2000}, Cost: w.ground.Cost, Rows: ot.Histograms{K: bins, Data: rows},
		Pairs: []ot.Pair{{Source: 0, Target: 3}, {Source: 1, Target: 3}, {Source: 2, Target: 3}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return (r[0].Cost + r[1].Cost + r[2].Cost) / 3
}

// The score of a pair is minus the cost of the problem written out.
func TestTransportIsTheDistanceOfCombinedHistograms(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(10)
	got := scores(t, w.transport(), pairs)
	for i, p := range pairs {
		h := combine(t, HistogramAverage{Estimates: w.estimates}, p.A, p.B)
		r, err := ot.Distances(t.Context(), reference.New(), &ot.Problem{
			Settings: ot.Settings{Reg: 0.1, MaxIter: 100}, Cost: w.ground.Cost, Rows: h, Pairs: []ot.Pair{{Source: 0, Target: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Value[i] != -r[0].Cost {
			t.Errorf("pair %d has %v, its distance is %v", i, got.Value[i], r[0].Cost)
		}
	}
}

// A mixed pair is the plain problem on K+2 bins, point of the first, point of the
// second, centroids, with the mass of the paper's code.
func TestMixIsAProblemOnTwoMoreBins(t *testing.T) {
	for _, metric := range []ground.Metric{ground.Euclidean, ground.SquaredEuclidean, ground.Angular} {
		w := newWorld(t, metric)
		pairs := w.pairs(6)
		const m = 0.4
		transport := w.transport()
		transport.Mix = m
		transport.Points.Weighting = Weighting{InverseMarginal, 1e-2}
		got := scores(t, transport, pairs)
		for i, p := range pairs {
			h := combine(t, HistogramAverage{Estimates: w.estimates}, p.A, p.B)
			var points [2][]float32
			for side, s := range []Sentence{p.A, p.B} {
				v := make([]float64, dim)
				transport.Points.average(v, s)
				for _, x := range v {
					points[side] = append(points[side], float32(x))
				}
			}
			const n = bins + 2
			cost := ot.Cost{K: n, Data: make([]float32, n*n)}
			for side, x := range points {
				row := make([]float32, bins)
				w.ground.ToBins(row, x)
				for k, c := range row {
					cost.Data[side*n+2+k], cost.Data[(2+k)*n+side] = c, c
				}
			}
			cost.Data[1] = w.ground.Between(points[0], points[1])
			cost.Data[n] = cost.Data[1]
			rows := ot.Histograms{K: n, Data: make([]float32, 2*n)}
			rows.Row(0)[0], rows.Row(1)[1] = m, m
			for k := range bins {
				copy(cost.Data[(2+k)*n+2:(3+k)*n], w.ground.Data[k*bins:(k+1)*bins])
				rows.Row(0)[2+k] = (1 - m) * h.Row(0)[k]
				rows.Row(1)[2+k] = (1 - m) * h.Row(1)[k]
			}
			r, err := ot.Distances(t.Context(), reference.New(), &ot.Problem{
				Settings: transport.Settings, Cost: cost, Rows: rows, Pairs: []ot.Pair{{Source: 0, Target: 1}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Value[i]+r[0].Cost) > 1e-5 {
				t.Errorf("%s, pair %d: %v, on %d bins %v", metric, i, got.Value[i], n, -r[0].Cost)
			}
		}
	}
}

// Mass that goes to the points leaves the rest as it was: m → 0 is no mix, m → 1
// the cost between the points.
func TestMixLimits(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(10)
	plain := scores(t, w.transport(), pairs)
	m := w.transport()
	m.Settings.MaxIter = 1000
	m.Mix = 1e-6
	converged := w.transport()
	converged.Settings.MaxIter = 1000
	near(t, "m → 0", scores(t, m, pairs).Value, scores(t, converged, pairs).Value, 1e-4)
	m.Mix = 1 - 1e-6
	between := make([]float64, len(pairs))
	for i, p := range pairs {
		x, y := make([]float64, dim), make([]float64, dim)
		m.Points.average(x, p.A)
		m.Points.average(y, p.B)
		x32, y32 := make([]float32, dim), make([]float32, dim)
		for j := range x {
			x32[j], y32[j] = float32(x[j]), float32(y[j])
		}
		between[i] = -float64(w.ground.Between(x32, y32))
	}
	near(t, "m → 1", scores(t, m, pairs).Value, between, 1e-4)
	m.Mix = 0
	m.Settings.MaxIter = 100
	near(t, "m = 0", scores(t, m, pairs).Value, plain.Value, 0)
}

// All metrics are symmetric, so are the scores of converged plans.

func TestSymmetry(t *testing.T) {
	w := newWorld(t, ground.Angular)
	pairs := w.pairs(10)
	swapped := slices.Clone(pairs)
	for i, p := range pairs {
		swapped[i] = Pair{p.B, p.A}
	}
	for _, mix := range []float64{0, 0.5} {
		m := w.transport()
		m.Mix, m.Settings.MaxIter = mix, 2000
		near(t, "swapped", scores(t, m, swapped).Value, scores(t, m, pairs).Value, 1e-6)
	}
}

func TestPrecomputed(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(10)
	pairs = append(pairs, pairs[3], Pair{pairs[0].A, pairs[1].B}, Pair{nil, pairs[2].A})
	m := w.transport()
	want := scores(t, m, pairs)
	p, err := Precompute(t.Context(), m.Combiner, pairs)
	if err != nil {
		t.Fatal(err)
	}
	m.Combiner = p
	near(t, "precomputed", scores(t, m, pairs).Value, want.Value, 0)
}

// counting counts how many sentences it is asked to combine.
type counting struct {
	Combiner
	sentences int
}

func (c *counting) Combine(ctx context.Context, sentences []Sentence) (ot.Histograms, error) {
	c.sentences += len(sentences)
	return c.Combiner.Combine(ctx, sentences)
}

func TestEqualSentencesAreCombinedOnce(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	m := w.transport()
	c := &counting{Combiner: m.Combiner}
	m.Combiner = c
	scores(t, m, []Pair{{Sentence{2, 3}, Sentence{4}}, {Sentence{4}, Sentence{2, 3}}, {Sentence{3, 2}, Sentence{4}}})
	if c.sentences != 3 {
		t.Errorf("%d sentences are combined, want 3", c.sentences)
	}
}

func TestProgress(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(50)
	pairs[49].A = nil
	for _, mix := range []float64{0, 0.3} {
		m := w.transport()
		m.Mix = mix
		last := int64(0)
		m.Progress = func(done, total int64) {
			if done < last || done > total {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			last = done
		}
		scores(t, m, pairs)
		if last < 49 {
			t.Errorf("the last progress is %d", last)
		}
	}
}

func TestCancelled(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	mixed := w.transport()
	mixed.Mix = 0.4
	for _, m := range []Method{w.average(), w.transport(), mixed} {
		if _, err := m.Score(ctx, w.pairs(3)); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: %v", m, err)
		}
	}
}
