package tsne

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// clusters returns n points in dim dimensions around c centres, far from each other;
// point i belongs to cluster i mod c.
func clusters(n, dim, c int) []float32 {
	random := rand.New(rand.NewPCG(5, 6))
	centres := make([]float64, c*dim)
	for i := range centres {
		centres[i] = 4 * random.NormFloat64()
	}
	points := make([]float32, n*dim)
	for i := range points {
		points[i] = float32(centres[i/dim%c*dim+i%dim] + random.NormFloat64())
	}
	return points
}

// trustworthiness of a map [Venna and Kaski 2001]: 1 if the k nearest neighbours on
// the map are neighbours of the points, about 1/2 for a random map.
func trustworthiness(d, e []float64, n, k int) float64 {
	order := func(d []float64, i int) []int {
		others := make([]int, 0, n-1)
		for j := range n {
			if j != i {
				others = append(others, j)
			}
		}
		slices.SortFunc(others, func(a, b int) int { return cmp.Compare(d[i*n+a], d[i*n+b]) })
		return others
	}
	var loss float64
	for i := range n {
		rank := make([]int, n)
		for r, j := range order(d, i) {
			rank[j] = r + 1
		}
		for _, j := range order(e, i)[:k] {
			loss += math.Max(0, float64(rank[j]-k))
		}
	}
	return 1 - 2*loss/float64(n*k*(2*n-3*k-1))
}

func mapDistances(xy []float64, n int) []float64 {
	d := make([]float64, n*n)
	for i := range n {
		for j := range n {
			d[i*n+j] = math.Hypot(xy[2*i]-xy[2*j], xy[2*i+1]-xy[2*j+1])
		}
	}
	return d
}

func TestNeighboursStayNeighbours(t *testing.T) {
	const n, dim, c = 120, 10, 6
	points := clusters(n, dim, c)
	m, err := Embed(t.Context(), points, n, dim, Params{Perplexity: 15, Iterations: 500}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := mapDistances(m, n)
	// The clusters lie far from each other, so the ranks of a point's m mates are 1 to m. A map
	// that kept the clusters and mixed the points in each would take k of those at random and
	// lose Σ_{r=k+1}^{m} (r−k) · k/m a point. A map of neighbours loses less.
	const k, mates = 10, n/c - 1
	const lost = (mates - k) * (mates - k + 1) / 2 * float64(k) / mates
	const mixed = 1 - 2*lost/(k*(2*n-3*k-1))
	if trust := trustworthiness(squares(t, points, n, dim), e, n, k); trust <= mixed {
		t.Errorf("trustworthiness %.4f, want more than the %.4f of a map of the clusters", trust, mixed)
	}
	for i := range n {
		nearest := -1
		for j := range n {
			if j != i && (nearest < 0 || e[i*n+j] < e[i*n+nearest]) {
				nearest = j
			}
		}
		if nearest%c != i%c {
			t.Errorf("point %d of cluster %d has point %d of cluster %d for its nearest on the map", i, i%c, nearest, nearest%c)
		}
	}
	var x, y, largest float64
	for i := range n {
		x, y = x+m[2*i], y+m[2*i+1]
		largest = max(largest, math.Abs(m[2*i]), math.Abs(m[2*i+1]))
	}
	// The mean and this sum are n additions of numbers up to n·largest each, along two axes.
	if math.Hypot(x, y) > 2*math.Sqrt2*n*n*largest*0x1p-53 {
		t.Errorf("the map is centred at (%g, %g)", x/n, y/n)
	}
}

// The gradient's fixed point is a minimum: a longer descent lowers the divergence.
func TestDivergenceFalls(t *testing.T) {
	const n, dim = 60, 5
	points := clusters(n, dim, 4)
	last := math.Inf(1)
	for _, iterations := range []int{40, 120, 500} {
		m, err := Embed(t.Context(), points, n, dim, Params{Perplexity: 10, Iterations: iterations}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := divergence(t, points, m, n, dim, 10)
		if !(got < last) || got < 0 {
			t.Errorf("divergence %g after %d iterations, %g before", got, iterations, last)
		}
		last = got
	}
}

// divergence is KL(P‖Q) of a map y of n points, in nats.
func divergence(t *testing.T, points []float32, y []float64, n, dim int, perplexity float64) (sum float64) {
	t.Helper()
	p, err := affinities(t.Context(), squares(t, points, n, dim), n, perplexity)
	if err != nil {
		t.Fatal(err)
	}
	kernel := make([]float64, n*n)
	all := studentKernel(kernel, y, n)
	for i := range n {
		for j := range i {
			sum += 2 * p[i*n+j] * math.Log(p[i*n+j]*all/kernel[i*n+j])
		}
	}
	return sum
}

func squares(t *testing.T, points []float32, n, dim int) []float64 {
	t.Helper()
	d, err := distances(t.Context(), points, n, dim)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Each point's Gaussian has the perplexity asked for.
func TestPerplexity(t *testing.T) {
	const n, dim, want = 50, 4, 12.0
	d := squares(t, clusters(n, dim, 3), n, dim)
	p := make([]float64, n)
	for i := range n {
		gaussian(p, d[i*n:][:n], i, want)
		var sum, entropy float64
		for _, v := range p {
			sum += v
			if v > 0 {
				entropy -= v * math.Log(v)
			}
		}
		// The search ends where the entropy is within 1e-7 of ln want. The sum and the entropy
		// are n terms, each rounded a few times.
		const rounding = 4 * n * 0x1p-53
		if math.Abs(sum-1) > rounding || p[i] != 0 || math.Abs(entropy-math.Log(want)) > 1e-7+rounding*math.Log(n) {
			t.Fatalf("point %d: sum %g, own affinity %g, perplexity %g", i, sum, p[i], math.Exp(entropy))
		}
	}
}

func TestSameBits(t *testing.T) {
	const n, dim = 40, 6
	points := clusters(n, dim, 4)
	first, err := Embed(t.Context(), points, n, dim, Params{Perplexity: 30, Iterations: 100, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second, err := Embed(t.Context(), points, n, dim, Params{Perplexity: 30, Iterations: 100, Seed: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, second) {
		t.Error("two maps of the same points differ")
	}
}

// Degenerate points give a finite map.
func TestDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		points []float32
		n, dim int
	}{
		"all equal":     {make([]float32, 20*3), 20, 3},
		"two points":    {[]float32{0, 1}, 2, 1},
		"one dimension": {[]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 10, 1},
		"duplicates":    {append(make([]float32, 30), clusters(5, 2, 2)...), 20, 2},
	} {
		m, err := Embed(t.Context(), c.points, c.n, c.dim, Params{Perplexity: 30, Iterations: 60}, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, v := range m {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: %v on the map", name, v)
				break
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := Params{Perplexity: 30, Iterations: 10}
	for want, f := range map[string]func() ([]float64, error){
		"expected at least two points": func() ([]float64, error) { return Embed(t.Context(), []float32{1}, 1, 1, good, nil) },
		"context canceled": func() ([]float64, error) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return Embed(ctx, []float32{1, 2, 3}, 3, 1, good, nil)
		},
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

func BenchmarkEmbed300(b *testing.B) {
	points := clusters(300, 300, 20)
	for b.Loop() {
		if _, err := Embed(b.Context(), points, 300, 300, Params{Perplexity: 30, Iterations: 1000}, nil); err != nil {
			b.Fatal(err)
		}
	}
}
