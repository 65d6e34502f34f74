package divergence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
)

// Distances of histograms: zero of equal ones alone, symmetric, and 1 of those that
// share no bin; total variation is the exact cost of transport where every move costs 1.
func TestDivergences(t *testing.T) {
	const k = 12
	random := rand.New(rand.NewPCG(1, 2))
	histogram := func() []float32 {
		p, sum := make([]float32, k), float32(0)
		for i := range p {
			if random.IntN(3) > 0 {
				p[i] = random.Float32()
				sum += p[i]
			}
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	flat := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range flat.Data {
		if i/k != i%k {
			flat.Data[i] = 1
		}
	}
	for range 50 {
		p, q := histogram(), histogram()
		for _, d := range Divergences() {
			if x := d.Between(p, p); math.Abs(x) > 1e-7 {
				t.Errorf("%s: %v of a histogram and itself", d, x)
			}
			x := d.Between(p, q)
			if y := d.Between(q, p); math.Abs(x-y) > 1e-12 || !(x > 0 && x <= 1) {
				t.Errorf("%s: %v and %v the other way", d, x, y)
			}
		}
		problem := &ot.Problem{
			Settings: ot.Settings{Reg: 1, MaxIter: 1}, Cost: flat,
			Rows: ot.Histograms{K: k, Data: append(append([]float32{}, p...), q...)}, Pairs: []ot.Pair{{Source: 0, Target: 1}},
		}
		results, err := ot.Distances(t.Context(), exact.New(), problem)
		if err != nil {
			t.Fatal(err)
		}
		if got := TotalVariation.Between(p, q); math.Abs(got-results[0].Cost) > 1e-5 {
			t.Errorf("total variation %v, transport %v", got, results[0].Cost)
		}
	}
	p, q := []float32{1, 0, 0}, []float32{0, .5, .5}
	for _, d := range Divergences() {
		if x := d.Between(p, q); math.Abs(x-1) > 1e-7 {
			t.Errorf("%s: %v of histograms that share nothing", d, x)
		}
	}
	// Hellinger and Jensen–Shannon by hand.
	p, q = []float32{.5, .5}, []float32{1, 0}
	if got, want := Hellinger.Between(p, q), math.Sqrt(1-math.Sqrt(.5)); math.Abs(got-want) > 1e-7 {
		t.Errorf("Hellinger %v, want %v", got, want)
	}
	want := math.Sqrt((0.5*math.Log2(0.5/0.75)+0.5*math.Log2(0.5/0.25))/2 + math.Log2(1/0.75)/2)
	if got := JensenShannon.Between(p, q); math.Abs(got-want) > 1e-7 {
		t.Errorf("Jensen–Shannon %v, want %v", got, want)
	}
}

// Of two histograms of one bin each the mean discrepancy is √(2 − 2 exp(−C²/2)); it is a distance.
func TestMaximumMeanDiscrepancy(t *testing.T) {
	const k = 5
	random := rand.New(rand.NewPCG(3, 4))
	points := make([]float64, 2*k)
	for i := range points {
		points[i] = random.NormFloat64()
	}
	cost := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range k {
			cost.Data[i*k+j] = float32(math.Hypot(points[2*i]-points[2*j], points[2*i+1]-points[2*j+1]))
		}
	}
	between := MaximumMeanDiscrepancy(cost)
	for i := range k {
		for j := range k {
			p, q := make([]float32, k), make([]float32, k)
			p[i], q[j] = 1, 1
			c := float64(cost.Data[i*k+j])
			if got, want := between(p, q), math.Sqrt(2-2*math.Exp(-c*c/2)); math.Abs(got-want) > 1e-7 {
				t.Errorf("bins %d and %d: %v, want %v", i, j, got, want)
			}
		}
	}
	triangles(t, k, between)
}

// On a line there is one direction, and its distance is that of transport; elsewhere no slice is longer than transport.
func TestSlicedWasserstein(t *testing.T) {
	const k = 6
	random := rand.New(rand.NewPCG(5, 6))
	for _, dim := range []int{1, 3} {
		points := make([]float32, k*dim)
		for i := range points {
			points[i] = float32(random.NormFloat64())
		}
		cost := ot.Cost{K: k, Data: make([]float32, k*k)}
		for i := range k {
			for j := range k {
				sum := 0.0
				for d := range dim {
					x := float64(points[i*dim+d] - points[j*dim+d])
					sum += x * x
				}
				cost.Data[i*k+j] = float32(math.Sqrt(sum))
			}
		}
		between := SlicedWasserstein(points, k, dim, 50, 1)
		triangles(t, k, between)
		for range 20 {
			p, q := anyHistogram(random, k), anyHistogram(random, k)
			problem := &ot.Problem{
				Settings: ot.Settings{Reg: 1, MaxIter: 1}, Cost: cost,
				Rows: ot.Histograms{K: k, Data: slices.Concat(p, q)}, Pairs: []ot.Pair{{Source: 0, Target: 1}},
			}
			results, err := ot.Distances(t.Context(), exact.New(), problem)
			if err != nil {
				t.Fatal(err)
			}
			got, moved := between(p, q), results[0].Cost
			if dim == 1 && math.Abs(got-moved) > 1e-5 || got > moved+1e-5 || got == 0 {
				t.Errorf("%d dimensions: sliced %v, transport %v", dim, got, moved)
			}
		}
	}
}

func anyHistogram(random *rand.Rand, k int) []float32 {
	h, sum := make([]float32, k), float32(0)
	for i := range h {
		h[i] = random.Float32()
		sum += h[i]
	}
	for i := range h {
		h[i] /= sum
	}
	return h
}

// triangles checks that a distance is one.
func triangles(t *testing.T, k int, between Between) {
	t.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	for range 50 {
		p, q, r := anyHistogram(random, k), anyHistogram(random, k), anyHistogram(random, k)
		pq, qp, pr, rq := between(p, q), between(q, p), between(p, r), between(r, q)
		if between(p, p) > 1e-7 || math.Abs(pq-qp) > 1e-9 || !(pq > 0) || pq > pr+rq+1e-9 {
			t.Errorf("distances %v, back %v, by a third %v + %v, to itself %v", pq, qp, pr, rq, between(p, p))
		}
	}
}
