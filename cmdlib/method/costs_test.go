package method

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
)

// A hub is near to all others: scaled, it is no nearer to them than they are to one another.
func TestLocallyScaled(t *testing.T) {
	const k = 14
	c := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range k {
			switch {
			case i == j:
			case i == 0 || j == 0:
				c.Data[i*k+j] = 1
			default:
				c.Data[i*k+j] = 2
			}
		}
	}
	s := locallyScaled(c)
	ratio := func(c ot.Cost) float64 { return float64(c.Data[1]) / float64(c.Data[k+2]) }
	if ratio(s) <= ratio(c) {
		t.Errorf("the hub is at %v of the other costs, before %v", ratio(s), ratio(c))
	}
	sum := func(c ot.Cost) (sum float64) {
		for _, x := range c.Data {
			sum += float64(x)
		}
		return sum
	}
	if math.Abs(sum(s)-sum(c)) > 1e-4*sum(c) {
		t.Errorf("costs sum to %v, before %v", sum(s), sum(c))
	}
	for i := range k {
		if s.Data[i*k+i] != 0 {
			t.Errorf("bin %d costs %v from itself", i, s.Data[i*k+i])
		}
	}
}

// Vectors, whitened by themselves, have the mean 0 and the covariance 1 under their weights.
func TestWhitened(t *testing.T) {
	const n, dim = 200, 4
	random := rand.New(rand.NewPCG(1, 0))
	v, p := make([]float32, n*dim), make([]float64, n)
	for i := range n {
		p[i] = random.Float64()
		x := random.NormFloat64()
		for d := range dim {
			v[i*dim+d] = float32(3 + x*float64(d) + random.NormFloat64())
		}
	}
	white, m, err := whitened(v, v, dim, p)
	if err != nil || m != dim {
		t.Fatalf("%d dimensions, %v", m, err)
	}
	total := 0.0
	for _, share := range p {
		total += share
	}
	for d := range dim {
		for e := range dim {
			mean, second := 0.0, 0.0
			for i, share := range p {
				mean += share / total * float64(white[i*dim+d])
				second += share / total * float64(white[i*dim+d]) * float64(white[i*dim+e])
			}
			want := 0.0
			if d == e {
				want = 1
			}
			if math.Abs(mean) > 1e-4 || math.Abs(second-want) > 1e-4 {
				t.Errorf("direction %d: mean %v; with %d: %v, want %v", d, mean, e, second, want)
			}
		}
	}
}

// Bins that the same words have cost less from one another than bins of other words.
func TestUnsupervisedCost(t *testing.T) {
	const k, n = 6, 12
	h := ot.Histograms{K: k, Data: make([]float32, n*k)}
	random := rand.New(rand.NewPCG(2, 0))
	for i := range n {
		for j := range k {
			if (i < n/2) == (j < k/2) {
				h.Row(i)[j] = random.Float32()
			}
		}
	}
	c, err := learnedCost(context.Background(), cpu.New(), h)
	if err != nil {
		t.Fatal(err)
	}
	within, across := 0.0, math.Inf(1)
	for i := range k {
		for j := range k {
			x := float64(c.Data[i*k+j])
			if x != float64(c.Data[j*k+i]) || i == j && x != 0 || x < 0 || x > 1 {
				t.Errorf("cost %v from bin %d to bin %d, %v back", x, i, j, c.Data[j*k+i])
			}
			if (i < k/2) == (j < k/2) {
				within = max(within, x)
			} else {
				across = min(across, x)
			}
		}
	}
	if within >= across {
		t.Errorf("costs up to %v within, from %v across", within, across)
	}
}
