package usage

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// onLine returns the distances of points on a line.
func onLine(points ...float64) []float64 {
	var d []float64
	for _, x := range points {
		for _, y := range points {
			d = append(d, math.Abs(x-y))
		}
	}
	return d
}

func TestMedoidsOnALine(t *testing.T) {
	g, err := kMedoids(t.Context(), 5, onLine(0, 1, 2, 10, 11), 2)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(g.centres, []int{1, 3}) || !slices.Equal(g.assignment, []int{0, 0, 0, 1, 1}) || g.total != 3 {
		t.Errorf("%+v", g)
	}
}

// total is the objective of a choice of medoids.
func total(n int, d []float64, medoids []int) (sum float64) {
	for i := range n {
		best := math.Inf(1)
		for _, m := range medoids {
			best = min(best, d[i*n+m])
		}
		sum += best
	}
	return sum
}

// No single exchange makes a result better, and on small problems it is mostly the best there is.
func TestLocalMinimum(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	optimal := 0
	const trials = 60
	for range trials {
		n, k := 6+r.IntN(7), 2+r.IntN(2)
		d := make([]float64, n*n)
		for i := range d {
			if i/n != i%n {
				d[i] = r.Float64()
			}
		}
		g, err := kMedoids(t.Context(), n, d, k)
		if err != nil {
			t.Fatal(err)
		}
		if got := total(n, d, g.centres); math.Abs(got-g.total) > 1e-9 {
			t.Fatalf("total %v, but its medoids have %v", g.total, got)
		}
		for at := range g.centres {
			for c := range n {
				other := append([]int(nil), g.centres...)
				other[at] = c
				if total(n, d, other) < g.total-1e-9 {
					t.Fatalf("%v instead of %v is better", other, g.centres)
				}
			}
		}
		best := math.Inf(1)
		for a := range n {
			for b := range n {
				for c := range n {
					best = min(best, total(n, d, []int{a, b, c}[:k]))
				}
			}
		}
		if g.total < best+1e-9 {
			optimal++
		}
		for i, m := range g.assignment {
			for _, other := range g.centres {
				if d[i*n+other] < d[i*n+g.centres[m]] {
					t.Fatal("a thing is not in the group of its nearest medoid")
				}
			}
		}
	}
	if optimal < trials*2/3 {
		t.Errorf("%d of %d results are optimal", optimal, trials)
	}
}

func TestSilhouette(t *testing.T) {
	apart, err := kMedoids(t.Context(), 6, onLine(0, .1, .2, 10, 10.1, 10.2), 2)
	if err != nil || apart.silhouette < .9 {
		t.Errorf("%+v, %v", apart, err)
	}
	three, err := kMedoids(t.Context(), 6, onLine(0, .1, .2, 10, 10.1, 10.2), 3)
	if err != nil || three.silhouette >= apart.silhouette {
		t.Errorf("three groups of two: %+v, %v", three, err)
	}
	one, err := kMedoids(t.Context(), 3, onLine(0, 1, 2), 1)
	if err != nil || one.silhouette != 0 || one.centres[0] != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	same, err := kMedoids(t.Context(), 3, make([]float64, 9), 2)
	if err != nil || math.IsNaN(same.silhouette) {
		t.Errorf("%+v, %v", same, err)
	}
}

func TestMedoidsFail(t *testing.T) {
	for want, f := range map[string]func() error{
		"0 groups of 2 things": func() error { _, err := kMedoids(t.Context(), 2, onLine(0, 1), 0); return err },
		"3 groups of 2 things": func() error { _, err := kMedoids(t.Context(), 2, onLine(0, 1), 3); return err },
		"from 0 to 1 is NaN":   func() error { _, err := kMedoids(t.Context(), 2, []float64{0, math.NaN(), 1, 0}, 1); return err },
		"from 1 to 0 is -1":    func() error { _, err := kMedoids(t.Context(), 2, []float64{0, 1, -1, 0}, 1); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := kMedoids(ctx, 2, onLine(0, 1), 1); err == nil {
		t.Error("no error after an interruption")
	}
}
