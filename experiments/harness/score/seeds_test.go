package score

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestWithSeeds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	draws := make([]float64, 10_000)
	other := make([]float64, len(draws))
	for d := range draws {
		draws[d] = 50 + random.NormFloat64()
		other[d] = draws[d] - 2 + 0.1*random.NormFloat64()
	}
	if got := WithSeeds(draws, 50, nil); !slices.Equal(got, draws) {
		t.Error("without seeds the draws changed")
	}
	// What the seed does to both sides alike cancels.
	a, b := WithSeeds(draws, 50, []float64{53, 41}), WithSeeds(other, 48, []float64{51, 39})
	for d := range a {
		if want := draws[d] - other[d]; math.Abs(a[d]-b[d]-want) > 1e-12 {
			t.Fatalf("draw %d: difference %v, want %v", d, a[d]-b[d], want)
		}
	}
	// Independent of the items, the variances add up, around the mean over the seeds.
	seeds := []float64{52, 49, 51, 48}
	mean, variance := moments(WithSeeds(draws, 50, seeds))
	_, items := moments(draws)
	_, between := moments(append([]float64{50}, seeds...))
	// Standard errors: of the mean √(3/10⁴) ≈ .017, of the covariance term 2·√(2/10⁴) ≈ .028.
	if math.Abs(mean-50) > .07 || math.Abs(variance-items-between) > .12 {
		t.Errorf("mean %v, variance %v, want 50 and %v + %v", mean, variance, items, between)
	}
}

func moments(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	return mean, variance
}

func TestHolm(t *testing.T) {
	// Worked by hand: 4·.01, 3·.02 = .06, then 2·.025 = .05 and 1·.04, which may not fall.
	got := Holm([]float64{.04, .01, .025, .02})
	for i, want := range []float64{.06, .04, .06, .06} {
		if math.Abs(got[i]-want) > 1e-15 {
			t.Errorf("adjusted %v", got)
			break
		}
	}
	if one := Holm([]float64{.03}); one[0] != .03 {
		t.Errorf("one test: %v", one)
	}
	// With nothing to find, the probability of deciding any of 20 is at most 5 %. Of 4000
	// families 200 are expected, ± 14; the bound is three of them above.
	random, wrong := rand.New(rand.NewPCG(3, 4)), 0
	for range 4000 {
		p := make([]float64, 20)
		for i := range p {
			p[i] = random.Float64()
		}
		if slices.Min(Holm(p)) <= .05 {
			wrong++
		}
	}
	if wrong > 242 {
		t.Errorf("%d of 4000 families with a wrong decision", wrong)
	}
}
