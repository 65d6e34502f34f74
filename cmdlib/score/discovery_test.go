package score

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func ExampleFalseDiscovery() {
	fmt.Printf("%.3f\n", FalseDiscovery([]float64{0.01, 0.5, 0.02, 0.03}))
	// Output:
	// [0.040 0.500 0.040 0.040]
}

// The example of Benjamini and Hochberg (1995), section 3.2: of 15 p-values four are discoveries at 0.05.
func TestFalseDiscoveryOfThePaper(t *testing.T) {
	p := []float64{.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344, .0459, .3240, .4262, .5719, .6528, .7590, 1}
	found := 0
	for i, q := range FalseDiscovery(p) {
		if q <= 0.05 {
			found++
		}
		if q < p[i] {
			t.Errorf("q = %v below p = %v", q, p[i])
		}
	}
	if found != 4 {
		t.Errorf("%d discoveries, want 4", found)
	}
}

// Among tests of which a fifth is true, the share of false discoveries is on average what was asked for, or less.
func TestFalseDiscoveryIsControlled(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sum := 0.0
	const trials, m = 300, 100
	for range trials {
		p := make([]float64, m)
		for i := range p {
			if p[i] = r.Float64(); i < m/5 {
				p[i] = math.Pow(p[i], 12)
			}
		}
		found, wrong := 0, 0
		for i, q := range FalseDiscovery(p) {
			if q <= 0.2 {
				found++
				if i >= m/5 {
					wrong++
				}
			}
		}
		sum += float64(wrong) / math.Max(float64(found), 1)
	}
	if mean := sum / trials; mean > 0.2 || mean < 0.08 {
		t.Errorf("on average %v of the discoveries are false, expected about 0.8 · 0.2", mean)
	}
}
