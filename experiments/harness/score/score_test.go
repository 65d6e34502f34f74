package score

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// F. J. Anscombe, Graphs in Statistical Analysis, The American Statistician 27,
// 1973: four sets with the same correlation, 0.816.
var (
	anscombeX = []float64{10, 8, 13, 9, 11, 14, 6, 4, 12, 7, 5}
	anscombe  = [][2][]float64{
		{anscombeX, {8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68}},
		{anscombeX, {9.14, 8.14, 8.74, 8.77, 9.26, 8.10, 6.13, 3.10, 9.13, 7.26, 4.74}},
		{anscombeX, {7.46, 6.77, 12.74, 7.11, 7.81, 8.84, 6.08, 5.39, 8.15, 6.42, 5.73}},
		{{8, 8, 8, 8, 8, 8, 8, 19, 8, 8, 8}, {6.58, 5.76, 7.71, 8.84, 8.47, 7.04, 5.25, 12.50, 5.56, 7.91, 6.89}},
	}
)

func TestPearson(t *testing.T) {
	for i, xy := range anscombe {
		if r, err := Pearson(xy[0], xy[1]); err != nil || math.Abs(r-0.816) > 6e-4 {
			t.Errorf("Anscombe's set %d: %v, %v, want 0.816", i+1, r, err)
		}
	}
}

// Neither the scale nor the place of the values matters, at the ends of the
// number range either.
func TestPearsonInvariance(t *testing.T) {
	x, y := anscombe[0][0], anscombe[0][1]
	want, _ := Pearson(x, y)
	for _, scale := range []float64{1, -1, 1e-300, 1e300} {
		for _, shift := range []float64{0, 100} {
			z := slices.Clone(y)
			for i := range z {
				z[i] = (z[i] + shift) * scale
			}
			got, err := Pearson(x, z)
			if err != nil || math.Abs(math.Abs(got)-want) > 1e-12 || (got < 0) != (scale < 0) {
				t.Errorf("scale %v, shift %v: %v, %v, want %v", scale, shift, got, err, want)
			}
		}
	}
	if r, _ := Pearson(x, x); r != 1 {
		t.Errorf("correlation with itself is %v", r)
	}
}

// The example of Wikipedia, Spearman's rank correlation coefficient: IQ and hours
// of television, ρ = −29/165.
func TestSpearman(t *testing.T) {
	iq := []float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110}
	hours := []float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}
	rho, err := Spearman(iq, hours)
	if err != nil || math.Abs(rho+29./165) > 1e-14 {
		t.Errorf("ρ = %v, %v, want −29/165", rho, err)
	}
	// Any increasing function leaves it.
	for i := range hours {
		hours[i] = math.Exp(hours[i])
	}
	if again, _ := Spearman(iq, hours); again != rho {
		t.Errorf("ρ changes from %v to %v under the exponential", rho, again)
	}
}

func TestRanksWithTies(t *testing.T) {
	if got, want := Ranks([]float64{3, 1, 3, 2, 3, 1}), []float64{5, 1.5, 5, 3, 5, 1.5}; !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
	// Against the definition: the number of smaller values, plus half the number of
	// equal ones and one half.
	random := rand.New(rand.NewPCG(1, 1))
	v := make([]float64, 200)
	for i := range v {
		v[i] = float64(random.IntN(30))
	}
	for i, got := range Ranks(v) {
		want := 0.5
		for _, a := range v {
			if a < v[i] {
				want++
			} else if a == v[i] {
				want += 0.5
			}
		}
		if got != want {
			t.Fatalf("rank of value %d is %v, want %v", i, got, want)
		}
	}
}

func TestCorrelationErrors(t *testing.T) {
	for want, xy := range map[string][2][]float64{
		"needs at least 2":   {{1}, {1}},
		"all 3 values are 4": {{1, 2, 3}, {4, 4, 4}},
		"all 2 values are 7": {{7, 7}, {1, 2}},
		"value 1 is NaN":     {{1, math.NaN(), 3}, {1, 2, 3}},
		"value 2 is +Inf":    {{1, 2, 3}, {1, 2, math.Inf(1)}},
		"there are 0":        {nil, nil},
	} {
		for name, f := range map[string]func(x, y []float64) (float64, error){"Pearson": Pearson, "Spearman": Spearman} {
			if r, err := f(xy[0], xy[1]); err == nil || r != 0 || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, %v, want an error with %q", name, r, err, want)
			}
		}
	}
}

func TestAveragePrecision(t *testing.T) {
	for _, c := range []struct {
		labels string
		scores []float64
		want   float64
	}{
		// Computed independently (method notes, fixture F8).
		{"10110", []float64{.9, .8, .7, .6, .5}, 0.805556},
		{"10110", []float64{.9, .7, .7, .2, .2}, 0.755556},
		// The example of scikit-learn's documentation of average_precision_score.
		{"0011", []float64{.1, .4, .35, .8}, 0.833333},
		// All equal: the share of positives.
		{"10000", []float64{3, 3, 3, 3, 3}, 0.2},
		{"1", []float64{0}, 1},
		{"01", []float64{math.Inf(1), math.Inf(-1)}, 0.5},
	} {
		labels := make([]bool, len(c.labels))
		for i, l := range c.labels {
			labels[i] = l == '1'
		}
		if got, err := AveragePrecision(labels, c.scores); err != nil || math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%s %v: %v, %v, want %v", c.labels, c.scores, got, err, c.want)
		}
	}
	if _, err := AveragePrecision([]bool{false}, []float64{1}); err == nil {
		t.Error("no error without a positive label")
	}
	if _, err := AveragePrecision([]bool{true}, []float64{math.NaN()}); err == nil {
		t.Error("no error for NaN")
	}
}

// The interval of a mean has the width that the central limit theorem gives it.
func TestBootstrap(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	v := make([]float64, 400)
	mean, square := 0.0, 0.0
	for i := range v {
		v[i] = random.NormFloat64()
		mean += v[i] / 400
		square += v[i] * v[i] / 400
	}
	statistic := func(sample []int) float64 {
		sum := 0.0
		for _, i := range sample {
			sum += v[i]
		}
		return sum / float64(len(sample))
	}
	low, high, _ := bootstrap(t.Context(), len(v), 4000, 1, statistic)
	half := 1.96 * math.Sqrt((square-mean*mean)/400)
	if math.Abs(low-(mean-half)) > 0.1*half || math.Abs(high-(mean+half)) > 0.1*half {
		t.Errorf("interval [%v, %v], want about %v ± %v", low, high, mean, half)
	}
	if a, b, _ := bootstrap(t.Context(), len(v), 4000, 1, statistic); a != low || b != high {
		t.Error("another interval from the same seed")
	}
	if a, b, _ := bootstrap(t.Context(), len(v), 4000, 2, statistic); a == low || b == high {
		t.Error("the same interval from another seed")
	}
}

// The draws of the correlation are those of the statistic on the same samples, whatever the scale and the mean of the
// values, and NaN where all of a sample are equal.
func TestPearsonDraws(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct{ n, scale, shift, rare float64 }{{200, 1, 0, 0}, {200, 1e-9, 1, 0}, {50, 1e200, 0, 0}, {4, 1, 5, 0}, {30, 1, 0, 1}} {
		var x, y []float64
		for i := range int(c.n) {
			v := random.NormFloat64()
			if c.rare > 0 { // all but one equal: the mean and the last one far away
				v = 0
				if i == 0 {
					v = 1e9
				}
			}
			x, y = append(x, c.shift+c.scale*v), append(y, v+random.NormFloat64())
		}
		got, err := NewSampler(len(x), 9).PearsonDraws(t.Context(), x, y, 300)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := Draws(t.Context(), len(x), 300, 9, func(sample []int) float64 { return percentOf(x, y, sample) })
		for d := range want {
			if math.IsNaN(want[d]) != math.IsNaN(got[d]) || math.Abs(want[d]-got[d]) > 1e-8 {
				t.Errorf("%+v, draw %d: %v, want %v", c, d, got[d], want[d])
			}
		}
	}
	// What is kept is what is drawn, however many were asked for before; and so is what is not kept.
	x, y := make([]float64, 70_000), make([]float64, 70_000)
	for i := range x {
		x[i], y[i] = float64(i%7), float64(i%11)
	}
	for _, n := range []int{40, 1 << 16, 70_000} {
		sampler := NewSampler(n, 9)
		for _, draws := range []int{3, 70, 5} {
			got, err := sampler.PearsonDraws(t.Context(), x[:n], y[:n], draws)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := Draws(t.Context(), n, draws, 9, func(sample []int) float64 { return percentOf(x, y, sample) })
			for d := range want {
				if math.Abs(got[d]-want[d]) > 1e-9 {
					t.Fatalf("draw %d of %d items: %v, want %v", d, n, got[d], want[d])
				}
			}
		}
	}
	if draws, err := NewSampler(2, 1).PearsonDraws(t.Context(), []float64{1, 1}, []float64{1, 2}, 5); err != nil || len(draws) != 5 || !math.IsNaN(draws[4]) {
		t.Errorf("correlations of a constant: %v, %v", draws, err)
	}
	if _, err := NewSampler(2, 1).PearsonDraws(t.Context(), []float64{1, math.NaN()}, []float64{1, 2}, 5); err == nil {
		t.Error("correlation of a NaN")
	}
}

func TestBootstrapUndefined(t *testing.T) {
	low, high, _ := bootstrap(t.Context(), 3, 10, 1, func([]int) float64 { return math.NaN() })
	if !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("[%v, %v], want (−∞, +∞)", low, high)
	}
	n := 0
	low, high, _ = bootstrap(t.Context(), 3, 10, 1, func([]int) float64 {
		if n++; n%2 == 0 {
			return math.NaN()
		}
		return 4
	})
	if low != 4 || high != 4 {
		t.Errorf("[%v, %v], want [4, 4]", low, high)
	}
}

// numpy.percentile(range(11), [2.5, 97.5]) is [0.25, 9.75].
func TestPercentile(t *testing.T) {
	v := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if a, b := percentile(v, 0.025), percentile(v, 0.975); math.Abs(a-0.25) > 1e-12 || math.Abs(b-9.75) > 1e-12 {
		t.Errorf("%v, %v", a, b)
	}
	if percentile([]float64{3}, 0.975) != 3 {
		t.Error("percentile of one value")
	}
}

// bootstrap returns the 95 % interval of a statistic.
func bootstrap(
	ctx context.Context, n, draws int, seed uint64, statistic func(sample []int) float64,
) (low, high float64, err error) {
	values, err := Draws(ctx, n, draws, seed, statistic)
	low, high = Interval(values)
	return low, high, err
}
