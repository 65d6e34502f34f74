package score

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
)

func TestPoissonInvertsItsDistribution(t *testing.T) {
	random, uniform := rand.NewPCG(3, 1), rand.New(rand.NewPCG(3, 1))
	for range 100_000 {
		u, k := uniform.Float64(), 0
		for at, p := math.Exp(-1), math.Exp(-1); u >= at && k < 17; at += p {
			k++
			p /= float64(k)
		}
		if got := poisson(random); int(got) != k {
			t.Fatalf("%d at %v, want %d", got, u, k)
		}
	}
}

func TestDrawsDoNotDependOnProcessors(t *testing.T) {
	p := NewPairs(terms("a", upTo(30)...), append(terms("b", upTo(15)...), terms("b", upTo(15)...)...))
	value := func(d int, w []int32) float64 {
		sum := float64(d)
		for i, x := range w {
			sum += float64(i) * float64(x)
		}
		return sum
	}
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want := drawn(p.Draws(t.Context(), 500, 3, value))
	runtime.GOMAXPROCS(4)
	if got := drawn(p.Draws(t.Context(), 500, 3, value)); !slices.Equal(got, want) {
		t.Error("draws on four processors are not those on one")
	}
}
