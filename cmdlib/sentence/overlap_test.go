package sentence

import (
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
)

// Distances of histograms: zero of equal ones alone, symmetric, and 1 of those that share no bin; total variation is the
// exact cost of transport where every move costs 1.
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
