package ot_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
)

// dyadic is a problem whose masses and costs are multiples of 2⁻¹⁰, so that steps of 2⁻¹⁶
// are exact in float32. The last bin of the source and the first of the target are empty.
func dyadic(reg float64, iterations int) *ot.Problem {
	p := &ot.Problem{
		Settings: ot.Settings{Reg: reg, MaxIter: iterations},
		Cost: ot.Cost{K: 4, Data: []float32{
			0, 0.5, 1.25, 0.75,
			0.5, 0, 0.625, 1,
			1.25, 0.625, 0, 0.375,
			0.75, 1, 0.375, 0,
		}},
		Rows: ot.Histograms{K: 4, Data: []float32{
			0.5, 0.125, 0.375, 0,
			0, 0.25, 0.125, 0.625,
		}},
		Pairs:  []ot.Pair{{Source: 0, Target: 1}},
		Values: true,
	}
	return p
}

const (
	step = 0x1p-16
	// exactly is what step² leaves of third derivatives, which are some
	// thousands at bins that are far from all others in units of λ.
	exactly = 1e-6
)

// slope is the derivative of a value at x, by central differences; forward ones where x is 0 and must not be
// less. Mass goes from a bin to another one and keeps the sum; costs stay symmetric if both entries move.
func slope(t *testing.T, value func() float64, move func(by float32), forward bool) float64 {
	t.Helper()
	at := func(by float32) float64 {
		move(by)
		defer move(-by)
		return value()
	}
	if forward { // of second order
		return (4*at(step) - at(2*step) - 3*at(0)) / (2 * step)
	}
	return (at(step) - at(-step)) / (2 * step)
}

func solved(t *testing.T, p *ot.Problem) *ot.Plan {
	t.Helper()
	plan, err := reference.New().Plan(t.Context(), p, 0)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// The gradient of OT_λ in histograms, empty bins among them, and in the cost, against differences.
func TestGradient(t *testing.T) {
	for _, reg := range []float64{1, 0.25} {
		p := dyadic(reg, 500)
		plan := solved(t, p)
		value := func() float64 { return solved(t, p).Value }
		for side, potential := range [][]float64{plan.F, plan.G} {
			row := p.Rows.Row(side)
			for bin := range row {
				const from = 2
				if bin == from {
					continue
				}
				got := slope(t, value, func(by float32) { row[bin] += by; row[from] -= by }, row[bin] == 0)
				if want := potential[bin] - potential[from]; math.Abs(got-want) > exactly {
					t.Errorf("λ=%v, side %d, mass from bin %d to %d: %v, want %v ± %.1e", reg, side, from, bin, got, want, exactly)
				}
			}
		}
		for i, mass := range plan.Mass {
			got := slope(t, value, func(by float32) { p.Cost.Data[i] += by }, p.Cost.Data[i] == 0)
			if math.Abs(got-mass) > exactly {
				t.Errorf("λ=%v, cost %d: %v, want %v ± %.1e", reg, i, got, mass, exactly)
			}
		}
	}
}

// The gradient of unbalanced transport in histograms, and the mass that it moves, between the limits.
func TestUnbalancedGradient(t *testing.T) {
	const reg, penalty = 0.5, 0.75
	p := dyadic(reg, 500)
	p.Penalty = penalty
	plan := solved(t, p)
	if !(plan.Moved > 0.1 && plan.Moved < 0.99) {
		t.Errorf("%v moves", plan.Moved)
	}
	for side, potential := range [][]float64{plan.F, plan.G} {
		row := p.Rows.Row(side)
		for bin := range row {
			const from = 2
			if bin == from {
				continue
			}
			got := slope(t, func() float64 { return solved(t, p).Value }, func(by float32) { row[bin] += by; row[from] -= by }, row[bin] == 0)
			want := (penalty + reg) * (math.Exp(-potential[from]/penalty) - math.Exp(-potential[bin]/penalty))
			if math.Abs(got-want) > exactly {
				t.Errorf("side %d, mass from bin %d to %d: %v, want %v ± %.1e", side, from, bin, got, want, exactly)
			}
		}
	}
}

// After too few iterations the potentials are not the gradient
// of the value; what they lack shrinks with the marginal error.
func TestGradientBeforeConvergence(t *testing.T) {
	const reg = 0.125
	last := math.Inf(1)
	for _, iterations := range []int{1, 3, 10, 100} {
		p := dyadic(reg, iterations)
		plan := solved(t, p)
		row := p.Rows.Row(1)
		got := slope(t, func() float64 { return solved(t, p).Value }, func(by float32) { row[1] += by; row[2] -= by }, false)
		off := math.Abs(got - (plan.G[1] - plan.G[2]))
		switch {
		case iterations == 1 && off < 1e-3:
			t.Errorf("after one iteration the potentials are the gradient: off by %v, marginal error %v", off, plan.MarginalError)
		case off > 8*plan.MarginalError+1e-5:
			t.Errorf("after %d iterations off by %v, marginal error %v", iterations, off, plan.MarginalError)
		case off > last+1e-5:
			t.Errorf("after %d iterations off by %v, before by %v", iterations, off, last)
		}
		last = off
	}
}

// For large λ the divergence is half of the squared energy distance.
func TestEnergyDistance(t *testing.T) {
	p := dyadic(1e4, 50)
	a, b := p.Rows.Row(0), p.Rows.Row(1)
	var want float64
	for i, c := range p.Cost.Data {
		want -= float64(a[i/4]-b[i/4]) * float64(a[i%4]-b[i%4]) * float64(c) / 2
	}
	d, err := ot.Divergences(t.Context(), reference.New(), p)
	if err != nil {
		t.Fatal(err)
	}
	// The next term is of the order of cost²/λ.
	if got := d[0].Value; math.Abs(got-want) > 1e-3 {
		t.Errorf("%v, want %v", got, want)
	}
}

// Two histograms that are nearly equal: the transport cost of
// the regularised plan is mostly blur, the divergence is not.
func ExampleDivergences() {
	p := &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 1000},
		Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}},
		Rows:     ot.Histograms{K: 2, Data: []float32{.5, .5, .5, .5, .25, .75}},
		Pairs:    []ot.Pair{{Source: 0, Target: 1}, {Source: 0, Target: 2}},
	}
	all, err := ot.Divergences(context.Background(), reference.New(), p)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range all {
		fmt.Printf("cost %.4f, divergence %.4f\n", d.Between.Cost, d.Value)
	}
	// Output:
	// cost 0.2689, divergence 0.0000
	// cost 0.3370, divergence 0.0736
}
