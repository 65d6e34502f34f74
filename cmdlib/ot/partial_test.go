package ot_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
	"contextmover/cmdlib/ot/reference"
)

// drawn is a problem of two random histograms over k bins with random asymmetric costs up to 1.
func drawn(rng *rand.Rand, k int) *ot.Problem {
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 1000}, Cost: ot.Cost{K: k},
		Rows: ot.Histograms{K: k, Data: make([]float32, 2*k)}, Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}
	for range k * k {
		p.Cost.Data = append(p.Cost.Data, 0.01+0.99*rng.Float32())
	}
	for side := range 2 {
		row := p.Rows.Row(side)
		var sum float32
		for j := range row {
			row[j] = rng.Float32()
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return p
}

func partial(t *testing.T, engine ot.Engine, p *ot.Problem, price float64) *ot.Partial {
	t.Helper()
	x, err := ot.PartialPlan(t.Context(), engine, p, 0, price)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Without regularisation a plan is optimal: what moves and what does not make up the histograms
// and the cost; nothing moves for more than two prices, and no two bins have mass left that
// would move for less. All moves from half of the largest cost on, nothing at price 0.
func TestPartial(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	for _, k := range []int{1, 2, 7, 20} {
		p := drawn(rng, k)
		all, err := exact.New().Plan(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		moved, cost := -1.0, -1.0
		for _, price := range []float64{0, 0.02, 0.1, 0.2, 0.35, 0.5, 3} {
			x := partial(t, exact.New(), p, price)
			const tol = 1e-6
			var mass, sum float64
			rows, columns := make([]float64, k), make([]float64, k)
			for at, m := range x.Mass {
				c := float64(p.Cost.Data[at])
				if m < 0 || m > tol && c > 2*price+tol {
					t.Errorf("K=%d ρ=%v: %v moves for %v", k, price, m, c)
				}
				if left := min(x.Source[at/k], x.Target[at%k]); left > tol && c < 2*price-tol {
					t.Errorf("K=%d ρ=%v: %v is left that would move for %v", k, price, left, c)
				}
				mass, sum = mass+m, sum+m*c
				rows[at/k] += m
				columns[at%k] += m
			}
			for i := range k {
				sum += price * (x.Source[i] + x.Target[i])
				if a, b := float64(p.Rows.Row(0)[i]), float64(p.Rows.Row(1)[i]); math.Abs(rows[i]+x.Source[i]-a) > tol || math.Abs(columns[i]+x.Target[i]-b) > tol {
					t.Errorf("K=%d ρ=%v: bin %d is not made up", k, price, i)
				}
			}
			if math.Abs(mass-x.Moved) > tol || math.Abs(sum-x.Cost) > tol {
				t.Errorf("K=%d ρ=%v: moved %v and cost %v, want %v and %v", k, price, x.Moved, x.Cost, mass, sum)
			}
			if x.Moved < moved-tol || x.Cost < cost-tol {
				t.Errorf("K=%d ρ=%v: moved %v for %v, at a lower price %v for %v", k, price, x.Moved, x.Cost, moved, cost)
			}
			moved, cost = x.Moved, x.Cost
			switch {
			case price == 0 && (x.Moved > tol || x.Cost > tol):
				t.Errorf("K=%d: for nothing moved %v at %v", k, x.Moved, x.Cost)
			case price >= 0.5 && (x.Moved < 1-tol || math.Abs(x.Cost-all.Cost) > tol):
				t.Errorf("K=%d ρ=%v: moved %v for %v, all together cost %v", k, price, x.Moved, x.Cost, all.Cost)
			}
			// Regularised plans tend to it.
			for _, engine := range []ot.Engine{reference.New(), cpu.New()} {
				q := *p
				q.Reg, q.MaxIter = 0.002, 5000
				if k == 20 && engine.Name() == "reference" {
					continue // slow
				}
				if got := partial(t, engine, &q, price); !(math.Abs(got.Cost-x.Cost) < 0.02) {
					t.Errorf("K=%d ρ=%v: %s costs %v, exact %v", k, price, engine.Name(), got.Cost, x.Cost)
				}
			}
		}
	}
}

func TestPartialErrors(t *testing.T) {
	p := drawn(rand.New(rand.NewPCG(1, 8)), 3)
	for _, price := range []float64{-1, math.NaN(), math.Inf(1), 1e300} {
		if _, err := p.Partial(price); err == nil {
			t.Errorf("no error for a price of %v", price)
		}
	}
	for name, spoil := range map[string]func(p *ot.Problem){
		"with a border":              func(p *ot.Problem) { p.Border = &ot.Border{} },
		"of a row that is not there": func(p *ot.Problem) { p.Pairs = []ot.Pair{{Source: 0, Target: 2}} },
		"of too little mass":         func(p *ot.Problem) { p.Rows.Data = make([]float32, 6) },
	} {
		q := *p
		spoil(&q)
		if _, err := q.Partial(1); err == nil {
			t.Errorf("no error for a problem %s", name)
		}
	}
}

// Half of the mass stays where it is; the other half would have
// to move by 2, which costs more than the price of both sides.
func ExamplePartialPlan() {
	x, err := ot.PartialPlan(context.Background(), exact.New(), &ot.Problem{
		Cost:  ot.Cost{K: 3, Data: []float32{0, 1, 2, 1, 0, 1, 2, 1, 0}},
		Rows:  ot.Histograms{K: 3, Data: []float32{.5, .5, 0, 0, .5, .5}},
		Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}, 0, 0.4)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("moved %.2f, only in the source %.2f, only in the target %.2f\n", x.Moved, x.Source, x.Target)
	// Output:
	// moved 0.50, only in the source [0.50 0.00 0.00], only in the target [0.00 0.00 0.50]
}
