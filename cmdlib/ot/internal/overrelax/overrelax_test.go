package overrelax

import (
	"math"
	"testing"
)

// TestStepsRaiseTheObjective checks the inequality that convergence rests on, and that φ is what it is said to be: near
// r^ω where r is near 1, at most 4r, and φ(1/r) = 1/φ(r).
func TestStepsRaiseTheObjective(t *testing.T) {
	for omega := 1.; omega < 2; omega += 1. / 64 {
		for e := -60.0; e <= 60; e += 0x1p-6 {
			log := Log2(0, e, omega)
			r, phi := math.Exp2(e), math.Exp2(log)
			rise := float64(log*math.Ln2) - (phi-1)/r
			if math.Abs(e) > 0.1 && !(rise > 0) || rise < -1e-15 {
				t.Fatalf("ω = %v, r = %v: the objective rises by %v", omega, r, rise)
			}
			if math.Abs(log+Log2(e, 0, omega)-e) > 1e-12 || math.Abs(log-e) > 2 {
				t.Fatalf("ω = %v: log φ(2^%v) = %v, backwards %v", omega, e, log, Log2(e, 0, omega)-e)
			}
			if math.Abs(e) < 0.1 && math.Abs(log-float64(omega*e)) > e*e {
				t.Fatalf("ω = %v: log φ(2^%v) = %v", omega, e, log)
			}
		}
	}
	for _, far := range []float64{-1e6, 1e6} {
		if log := Log2(0, far, largest); math.Abs(math.Abs(log-far)-2) > 1e-9 {
			t.Errorf("log φ(2^%v) = %v", far, log)
		}
	}
}

// TestPace follows the error of one mode, which falls as theory says: ω comes near its best, from below and from above,
// and iterations become plain where the error grows.
func TestPace(t *testing.T) {
	for _, theta := range []float64{0.9, 0.99, 0.999} {
		best := 2 / (1 + math.Sqrt(1-theta))
		for _, start := range []float64{0, 1, largest} {
			p := Pace{chosen: start}
			error := 1.0
			for i := 0; i <= 300; i += 10 {
				p.Look(i, error)
				rho := p.Omega() - 1
				if p.Omega() < best { // the larger root
					half := theta*square(p.Omega())/2 - rho
					rho = half + math.Sqrt(square(half)-square(rho))
				}
				error *= math.Pow(rho, 10)
			}
			if got := p.Omega(); math.Abs(got-best) > 0.08 {
				t.Errorf("θ = %v from ω = %v: ω = %v, expected about %v", theta, start, got, best)
			}
			if p.Look(310, 2*p.error); p.Omega() != 1 {
				t.Errorf("ω = %v where the error has grown, expected plain iterations", p.Omega())
			}
		}
	}
}
