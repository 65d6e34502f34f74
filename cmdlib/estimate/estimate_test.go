package estimate

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
)

func matrixOf[T float32 | float64](rows [][]T) *sparse.Matrix[T] {
	m := &sparse.Matrix[T]{Rows: len(rows), Cols: len(rows[0]), Start: []int64{0}}
	for _, row := range rows {
		for j, x := range row {
			if x != 0 {
				m.Index = append(m.Index, int32(j))
				m.Value = append(m.Value, x)
			}
		}
		m.Start = append(m.Start, int64(len(m.Value)))
	}
	return m
}

func histograms(t *testing.T, m *sparse.Matrix[float32], assignment []int32, k int, p Params) *Estimates {
	t.Helper()
	e, err := Histograms(context.Background(), m, assignment, k, p)
	if err != nil {
		t.Fatal(err)
	}
	for w := range e.Len() {
		sum := 0.0
		for _, v := range e.Row(w) {
			sum += float64(v)
		}
		if e.Known[w] && math.Abs(sum-1) > 1e-6 || !e.Known[w] && sum != 0 {
			t.Fatalf("word %d (known: %v) has a histogram that sums to %v", w, e.Known[w], sum)
		}
	}
	return e
}

// Values computed independently, six decimals (method notes, fixture F2).
func TestFixtureF2(t *testing.T) {
	counts := matrixOf([][]float64{{0, 6, 2, 1}, {6, 0, 1, 3}, {2, 1, 0, 8}, {1, 3, 8, 0}})
	associations, err := sppmi.Compute(context.Background(), counts, sppmi.Params{Smoothing: 0.75, Shift: 1})
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[Params][2]float64{
		{None, 0}:        {.924280, .075720},
		{Total, 0}:       {.924280, .075720},
		{Total, 0.5}:     {.923421, .076579},
		{Total, 1}:       {.922552, .077448},
		{None, 1}:        {.924280, .075720},
		{ClusterSize, 0}: {.924280, .075720}, // both clusters have two contexts
	} {
		e := histograms(t, associations, []int32{0, 0, 1, 1}, 2, p)
		for c, v := range e.Row(1) {
			if math.Abs(float64(v)-want[c]) > 1e-6 {
				t.Errorf("%v β = %v: bin %d is %.6f, want %.6f", p.Normalisation, p.Beta, c, v, want[c])
			}
		}
		for w, mass := range []float64{1.016354, .990014 + .081105, .966624, .035524 + .944871} {
			if math.Abs(e.Mass[w]-mass) > 2e-6 {
				t.Errorf("mass of word %d is %.6f, want %.6f", w, e.Mass[w], mass)
			}
		}
	}
}

func random(rows, cols int, density float64) [][]float32 {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	m := make([][]float32, rows)
	for i := range m {
		m[i] = make([]float32, cols)
		for j := range m[i] {
			if r.Float64() < density {
				m[i][j] = float32(r.ExpFloat64())
			}
		}
	}
	return m
}

// The formulas of the package comment in obvious loops.
func TestBruteForce(t *testing.T) {
	const rows, cols, k = 300, 50, 8
	a := random(rows, cols, 0.1)
	assignment := make([]int32, cols)
	for c := range assignment {
		assignment[c] = int32(c%k) - 1 // −1 … 6: cluster 7 is empty
	}
	a[4] = make([]float32, cols)
	a[5] = make([]float32, cols)
	a[5][0], a[5][8] = 1, 2 // contexts without a cluster only
	for _, p := range []Params{{None, 0}, {Total, 0}, {Total, 0.3}, {Total, 1}, {ClusterSize, 0}} {
		e := histograms(t, matrixOf(a), assignment, k, p)
		var s [rows][k]float64
		var total, size [k]float64
		for c, cluster := range assignment {
			if cluster < 0 {
				continue
			}
			size[cluster]++
			for w := range a {
				s[w][cluster] += float64(a[w][c])
				total[cluster] += float64(a[w][c])
			}
		}
		for w := range s {
			sum := 0.0
			for c := range k {
				switch {
				case p.Normalisation == Total && total[c] > 0:
					s[w][c] /= math.Pow(total[c], p.Beta)
				case p.Normalisation == ClusterSize && size[c] > 0:
					s[w][c] /= size[c]
				}
				sum += s[w][c]
			}
			if e.Known[w] != (sum > 0) {
				t.Fatalf("%+v: word %d known: %v", p, w, e.Known[w])
			}
			for c, v := range e.Row(w) {
				if sum > 0 && math.Abs(float64(v)-s[w][c]/sum) > 1e-6 {
					t.Fatalf("%+v: word %d, bin %d: %v, want %v", p, w, c, v, s[w][c]/sum)
				}
			}
		}
		if e.Known[4] || e.Known[5] || e.Mass[4] != 0 || e.Mass[5] != 3 {
			t.Errorf("words without a clustered context: known %v, mass %v", e.Known[4:6], e.Mass[4:6])
		}
	}
}

// With one context per cluster and no normalisation, a histogram is the word's
// row divided by its sum; scaling a row changes nothing.
func TestIdentityClusters(t *testing.T) {
	a := random(20, 6, 0.8)
	for j := range a[1] {
		a[1][j] = a[0][j] * 8
	}
	e := histograms(t, matrixOf(a), []int32{0, 1, 2, 3, 4, 5}, 6, Params{Normalisation: None})
	for c, v := range e.Row(0) {
		if want := float64(a[0][c]) / e.Mass[0]; math.Abs(float64(v)-want) > 1e-7 {
			t.Errorf("bin %d: %v, want %v", c, v, want)
		}
		if e.Row(1)[c] != v {
			t.Errorf("bin %d changes from %v to %v with the row's scale", c, v, e.Row(1)[c])
		}
	}
}

// With β = 1 every cluster weighs the same: the mean of H̄ over words is equal in
// all bins, so a word with the corpus's average profile has a uniform histogram.
func TestBetaOneGivesAverageWordAUniformHistogram(t *testing.T) {
	a := random(50, 12, 0.7)
	average := make([]float32, 12)
	for j := range average {
		for i := range a {
			average[j] += a[i][j]
		}
	}
	e := histograms(t, matrixOf(append(a, average)), []int32{0, 1, 2, 0, 1, 2, 0, 1, 2, 3, 3, 3}, 4, Params{Total, 1})
	for c, v := range e.Row(50) {
		if math.Abs(float64(v)-0.25) > 1e-6 {
			t.Errorf("bin %d is %v, want 1/4", c, v)
		}
	}
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	m := matrixOf(random(1000, 40, 0.5))
	assignment := make([]int32, 40)
	for c := range assignment {
		assignment[c] = int32(c % 7)
	}
	var want *Estimates
	for _, threads := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		got := histograms(t, m, assignment, 7, Params{Total, 0.5})
		if want == nil {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d threads give other estimates", threads)
		}
	}
}

func TestErrors(t *testing.T) {
	one := func(v float32) *sparse.Matrix[float32] { return matrixOf([][]float32{{1, v}}) }
	for want, f := range map[string]func() error{
		"0 clusters": func() error {
			_, err := Histograms(t.Context(), one(1), []int32{0, 0}, 0, Params{Normalisation: None})
			return err
		},
		"β = 2": func() error {
			_, err := Histograms(t.Context(), one(1), []int32{0, 0}, 1, Params{Total, 2})
			return err
		},
		"β = NaN": func() error {
			_, err := Histograms(t.Context(), one(1), []int32{0, 0}, 1, Params{Total, math.NaN()})
			return err
		},
		`unknown normalisation "ppmi", expected one of: none, total, cluster size`: func() error {
			_, err := Histograms(t.Context(), one(1), []int32{0, 0}, 1, Params{"ppmi", 0})
			return err
		},
		"context 1 is in cluster 1": func() error {
			_, err := Histograms(t.Context(), one(1), []int32{0, 1}, 1, Params{Normalisation: None})
			return err
		},
		"context 0 is in cluster -2": func() error {
			_, err := Histograms(t.Context(), one(1), []int32{-2, 0}, 1, Params{Normalisation: None})
			return err
		},
		"word 0 with context 1 is -1": func() error {
			_, err := Histograms(t.Context(), one(-1), []int32{0, 0}, 1, Params{Normalisation: None})
			return err
		},
		"word 0 with context 1 is NaN": func() error {
			_, err := Histograms(t.Context(), one(float32(math.NaN())), []int32{0, 0}, 1, Params{Normalisation: None})
			return err
		},
		"word 0 with context 1 is +Inf": func() error {
			_, err := Histograms(t.Context(), one(float32(math.Inf(1))), []int32{0, 0}, 1, Params{Normalisation: None})
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
