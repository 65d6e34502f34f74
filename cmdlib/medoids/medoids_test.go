package medoids

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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

func ExampleCluster() {
	groups, err := Cluster(context.Background(), 5, onLine(0, 1, 2, 10, 11), 2)
	if err != nil {
		panic(err)
	}
	fmt.Println(groups.Medoids, groups.Assignment, groups.Total)
	// Output:
	// [1 3] [0 0 0 1 1] 3
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
		g, err := Cluster(t.Context(), n, d, k)
		if err != nil {
			t.Fatal(err)
		}
		if got := total(n, d, g.Medoids); math.Abs(got-g.Total) > 1e-9 {
			t.Fatalf("total %v, but its medoids have %v", g.Total, got)
		}
		for at := range g.Medoids {
			for c := range n {
				other := append([]int(nil), g.Medoids...)
				other[at] = c
				if total(n, d, other) < g.Total-1e-9 {
					t.Fatalf("%v instead of %v is better", other, g.Medoids)
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
		if g.Total < best+1e-9 {
			optimal++
		}
		for i, m := range g.Assignment {
			for _, other := range g.Medoids {
				if d[i*n+other] < d[i*n+g.Medoids[m]] {
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
	apart, err := Cluster(t.Context(), 6, onLine(0, .1, .2, 10, 10.1, 10.2), 2)
	if err != nil || apart.Silhouette < .9 {
		t.Errorf("%+v, %v", apart, err)
	}
	three, err := Cluster(t.Context(), 6, onLine(0, .1, .2, 10, 10.1, 10.2), 3)
	if err != nil || three.Silhouette >= apart.Silhouette {
		t.Errorf("three groups of two: %+v, %v", three, err)
	}
	one, err := Cluster(t.Context(), 3, onLine(0, 1, 2), 1)
	if err != nil || one.Silhouette != 0 || one.Medoids[0] != 1 {
		t.Errorf("%+v, %v", one, err)
	}
	same, err := Cluster(t.Context(), 3, make([]float64, 9), 2)
	if err != nil || math.IsNaN(same.Silhouette) {
		t.Errorf("%+v, %v", same, err)
	}
}

func TestErrors(t *testing.T) {
	for want, f := range map[string]func() error{
		"0 groups of 2 things": func() error { _, err := Cluster(t.Context(), 2, onLine(0, 1), 0); return err },
		"3 groups of 2 things": func() error { _, err := Cluster(t.Context(), 2, onLine(0, 1), 3); return err },
		"from 0 to 1 is NaN":   func() error { _, err := Cluster(t.Context(), 2, []float64{0, math.NaN(), 1, 0}, 1); return err },
		"from 1 to 0 is -1":    func() error { _, err := Cluster(t.Context(), 2, []float64{0, 1, -1, 0}, 1); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Cluster(ctx, 2, onLine(0, 1), 1); err == nil {
		t.Error("no error after an interruption")
	}
}
