package cluster

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// gaussians returns n points around each of the k given centres' rows.
func gaussians(centres [][]float64, n int, sigma float64, seed uint64) []float32 {
	random := rand.New(rand.NewPCG(seed, 1))
	var points []float32
	for range n {
		for _, c := range centres {
			for _, v := range c {
				points = append(points, float32(v+sigma*random.NormFloat64()))
			}
		}
	}
	return points
}

// axes returns 2·dim centres at ±distance on each axis.
func axes(dim int, distance float64) [][]float64 {
	var centres [][]float64
	for j := range dim {
		for _, sign := range []float64{-1, 1} {
			c := make([]float64, dim)
			c[j] = sign * distance
			centres = append(centres, c)
		}
	}
	return centres
}

func cloud(n, dim int, seed uint64) []float32 {
	return gaussians([][]float64{make([]float64, dim)}, n, 1, seed)
}

func run(t testing.TB, points []float32, dim int, p Params) *Result {
	t.Helper()
	if p.MaxIter == 0 {
		p.MaxIter = 300
	}
	r, err := KMeans(context.Background(), points, dim, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Centroids) != p.K*dim || len(r.Assignment) != len(points)/dim {
		t.Fatalf("%d coordinates of centroids, %d assignments", len(r.Centroids), len(r.Assignment))
	}
	for i, v := range r.Centroids {
		if math.IsNaN(float64(v)) {
			t.Fatalf("coordinate %d of centroid %d is NaN", i%dim, i/dim)
		}
	}
	return r
}

// distances returns the squared distances of a point to all centroids of r.
func distances(r *Result, x []float32, spherical bool) []float64 {
	if spherical {
		length := norm(x)
		x = slices.Clone(x)
		for j := range x {
			x[j] = float32(float64(x[j]) / length)
		}
	}
	var d []float64
	for c := range slices.Chunk(r.Centroids, len(x)) {
		d = append(d, distance(x, c))
	}
	return d
}

// Every point is assigned to its nearest centroid, found by trying all of them, and
// the inertia is the sum of these distances. The bounds must not hide a nearer one.
func TestBruteForce(t *testing.T) {
	for _, spherical := range []bool{false, true} {
		for _, size := range []struct{ n, dim, k int }{{3000, 20, 40}, {2000, 3, 17}, {500, 100, 5}, {200, 1, 9}, {4000, 8, 2100}} {
			if spherical && size.dim == 1 {
				continue
			}
			points := cloud(size.n, size.dim, 1)
			for _, most := range []int{1, 2, 5, 300} {
				r := run(t, points, size.dim, Params{K: size.k, Spherical: spherical, MaxIter: most, Seed: 3})
				sum := 0.0
				for i, c := range r.Assignment {
					x := points[i*size.dim:][:size.dim]
					d := distances(r, x, spherical)
					if nearest := slices.Min(d); d[c] > nearest*(1+1e-5)+1e-6 {
						t.Fatalf("%v, spherical %v: point %d is at distance² %v, nearest %v", size, spherical, i, d[c], nearest)
					}
					sum += d[c]
				}
				if math.Abs(sum-r.Inertia) > 1e-5*sum {
					t.Errorf("inertia %v, expected %v", r.Inertia, sum)
				}
				if r.Iterations > most {
					t.Errorf("%d iterations, at most %d wanted", r.Iterations, most)
				}
			}
		}
	}
}

// Bounds spare distances, and change nothing: assignments are those without
// them, iteration by iteration, ties and new seeds of empty clusters included.
func TestBoundsChangeNothing(t *testing.T) {
	grid := func(n, dim int) []float32 { // many points at the same distance to several
		random := rand.New(rand.NewPCG(1, 2))
		points := make([]float32, n*dim)
		for i := range points {
			points[i] = float32(random.IntN(4))
		}
		return points
	}
	for _, c := range []struct {
		name   string
		points []float32
		dim, k int
	}{{"cloud", cloud(3000, 12, 5), 12, 150}, {"grid", grid(3000, 5), 5, 150}, {"groups of 64", cloud(4000, 6, 5), 6, 2100}} {
		s, err := prepare(t.Context(), c.points, c.dim, false)
		if err != nil {
			t.Fatal(err)
		}
		seeds := make([]int, c.k)
		for i := range seeds {
			seeds[i] = i
		}
		bounded, plain := newLloyd(s, Params{K: c.k}, seeds), newLloyd(s, Params{K: c.k}, seeds)
		reseeded, spared := 0, 0
		for iteration := range 20 {
			if iteration == 3 {
				// Too far away for any point.
				for _, l := range []*lloyd{bounded, plain} {
					for j := range l.centroid(40) {
						l.centroid(40)[j] = 1e3
					}
					for i := range l.assignment {
						l.upper[i] += 1e5
					}
				}
			}
			for i := range plain.upper {
				plain.upper[i] = math.Inf(1)
			}
			clear(plain.lower)
			for i := range bounded.upper {
				if bounded.settled(i) {
					spared++
				}
			}
			for _, l := range []*lloyd{bounded, plain} {
				if _, err := l.assign(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			reseeded += bounded.reseed()
			plain.reseed()
			if i := slices.Compare(bounded.assignment, plain.assignment); i != 0 || !slices.Equal(bounded.centroids, plain.centroids) {
				t.Fatalf("%s: assignments differ in iteration %d", c.name, iteration)
			}
			for _, l := range []*lloyd{bounded, plain} {
				if err := l.update(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if reseeded == 0 || spared == 0 {
			t.Errorf("%s: %d clusters reseeded, %d times a point was spared; nothing was tested", c.name, reseeded, spared)
		}
	}
}

// At the end of a run without tolerance centroids are the means of their points.
func TestMeans(t *testing.T) {
	const dim = 10
	points := cloud(1000, dim, 2)
	for _, spherical := range []bool{false, true} {
		r := run(t, points, dim, Params{K: 12, Spherical: spherical, Seed: 1})
		for c := range 12 {
			mean, count := make([]float64, dim), 0.0
			for i, at := range r.Assignment {
				if int(at) != c {
					continue
				}
				x := points[i*dim:][:dim]
				length := 1.0
				if spherical {
					length = norm(x)
				}
				for j, v := range x {
					mean[j] += float64(v) / length
				}
				count++
			}
			if spherical {
				count = 0
				for _, v := range mean {
					count += v * v
				}
				count = math.Sqrt(count)
			}
			for j := range mean {
				if got := float64(r.Centroids[c*dim+j]); math.Abs(got-mean[j]/count) > 1e-6 {
					t.Errorf("spherical %v, centroid %d, coordinate %d: %v, expected %v", spherical, c, j, got, mean[j]/count)
				}
			}
		}
	}
}

func TestInertiaNeverIncreases(t *testing.T) {
	for _, spherical := range []bool{false, true} {
		points := cloud(2000, 8, 4)
		before := math.Inf(1)
		for most := 1; most < 30; most++ {
			r := run(t, points, 8, Params{K: 25, Spherical: spherical, MaxIter: most, Seed: 2})
			if r.Inertia > before*(1+1e-7) {
				t.Errorf("spherical %v: inertia %v after %d iterations, %v before", spherical, r.Inertia, most, before)
			}
			before = r.Inertia
		}
	}
}

func TestSeparated(t *testing.T) {
	const dim, n = 12, 200
	centres := axes(dim, 10)
	for _, spherical := range []bool{false, true} {
		points := gaussians(centres, n, 0.05, 5)
		r := run(t, points, dim, Params{K: len(centres), Spherical: spherical, Seed: 7})
		var found []int32
		for c := range centres {
			at := r.Assignment[c]
			if slices.Contains(found, at) {
				t.Errorf("spherical %v: two groups share cluster %d", spherical, at)
			}
			found = append(found, at)
			for i := c; i < len(r.Assignment); i += len(centres) {
				if r.Assignment[i] != at {
					t.Fatalf("spherical %v: group %d is torn", spherical, c)
				}
			}
			want := slices.Clone(centres[c])
			if spherical {
				for j := range want {
					want[j] /= 10
				}
			}
			for j, v := range want {
				if got := float64(r.Centroids[int(at)*dim+j]); math.Abs(got-v) > 0.2 {
					t.Errorf("spherical %v, group %d: coordinate %d of the centroid is %v, expected about %v", spherical, c, j, got, v)
				}
			}
		}
	}
}

// D² sampling finds each of many far groups with high probability; uniform sampling
// would miss about a third of them.
func TestSeedingSpreads(t *testing.T) {
	points := gaussians(axes(20, 100), 50, 0.1, 6)
	s, err := prepare(context.Background(), points, 20, false)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(5) {
		seeds, err := plusPlus(context.Background(), s, 40, seed)
		if err != nil {
			t.Fatal(err)
		}
		groups := map[int]bool{}
		for _, i := range seeds {
			groups[i%40] = true
		}
		if len(groups) != 40 {
			t.Errorf("seed %d: %d of 40 groups found", seed, len(groups))
		}
	}
}

// The law of the third seed, given the first two, on a line of four points: by hand from
// D². Many draws in a batch must not change it.
func TestSeedingLaw(t *testing.T) {
	positions := []float32{0, 1, 3, 7}
	want := map[[3]int]float64{}
	square := func(i int, seeds ...int) float64 {
		d := math.Inf(1)
		for _, j := range seeds {
			d = min(d, math.Pow(float64(positions[i]-positions[j]), 2))
		}
		return d
	}
	for a := range 4 {
		for b := range 4 {
			for c := range 4 {
				if a == b || a == c || b == c {
					continue
				}
				first, second := 0.0, 0.0
				for i := range 4 {
					first += square(i, a)
					second += square(i, a, b)
				}
				want[[3]int{a, b, c}] = square(b, a) / first * square(c, a, b) / second / 4
			}
		}
	}
	const draws = 20000
	got := map[[3]int]float64{}
	s, err := prepare(context.Background(), positions, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(draws) {
		seeds, err := plusPlus(context.Background(), s, 3, seed)
		if err != nil {
			t.Fatal(err)
		}
		got[[3]int(seeds)]++
	}
	for seeds, p := range want {
		if sigma := math.Sqrt(p * (1 - p) / draws); math.Abs(got[seeds]/draws-p) > 4.5*sigma {
			t.Errorf("seeds %v: frequency %v, probability %v ± %v", seeds, got[seeds]/draws, p, sigma)
		}
	}
}

func TestReseed(t *testing.T) {
	// Three clusters for points on a line; the second one starts too far away for any point.
	s, err := prepare(context.Background(), []float32{0, 1, 2, 10, 50}, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	l := newLloyd(s, Params{K: 3}, []int{1, 4, 3})
	l.centroids[1] = 100
	if _, err := l.assign(context.Background()); err != nil {
		t.Fatal(err)
	}
	if l.count[1] != 0 {
		t.Fatalf("counts %v", l.count)
	}
	if n := l.reseed(); n != 1 {
		t.Errorf("%d clusters reseeded", n)
	}
	// 50 is farthest from its centroid, 10.
	if !slices.Equal(l.assignment, []int32{0, 0, 0, 2, 1}) || !slices.Equal(l.count, []int{3, 1, 1}) {
		t.Errorf("assignment %v, counts %v", l.assignment, l.count)
	}
	if l.centroid(1)[0] != s.row(4)[0] {
		t.Errorf("centroid %v, expected %v", l.centroid(1)[0], s.row(4)[0])
	}
}

func TestSphericalIsEuclideanOnTheSphere(t *testing.T) {
	const dim = 6
	points := cloud(1500, dim, 8)
	for i := range len(points) / dim {
		x := points[i*dim:][:dim]
		length := norm(x)
		for j := range x {
			x[j] = float32(float64(x[j]) / length)
		}
	}
	// One assignment to the same seeds; later centroids differ in their length.
	s, err := prepare(context.Background(), points, dim, true)
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := plusPlus(context.Background(), s, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	var assignments [2][]int32
	for k, spherical := range []bool{false, true} {
		s, err := prepare(context.Background(), points, dim, spherical)
		if err != nil {
			t.Fatal(err)
		}
		l := newLloyd(s, Params{K: 20, Spherical: spherical}, seeds)
		if _, err := l.assign(context.Background()); err != nil {
			t.Fatal(err)
		}
		assignments[k] = l.assignment
	}
	if !slices.Equal(assignments[0], assignments[1]) {
		t.Error("assignments differ")
	}
	// Lengths don't matter to a spherical clustering.
	scaled := slices.Clone(points)
	for i := range scaled {
		scaled[i] *= float32(int(1) << (i / dim % 9))
	}
	a := run(t, points, dim, Params{K: 20, Spherical: true})
	b := run(t, scaled, dim, Params{K: 20, Spherical: true})
	if !slices.Equal(a.Assignment, b.Assignment) {
		t.Error("lengths change a spherical clustering")
	}
}

func TestEdges(t *testing.T) {
	points := cloud(40, 5, 9)
	t.Run("one cluster", func(t *testing.T) {
		r := run(t, points, 5, Params{K: 1})
		for j := range 5 {
			mean := 0.0
			for i := range 40 {
				mean += float64(points[i*5+j]) / 40
			}
			if math.Abs(float64(r.Centroids[j])-mean) > 1e-6 {
				t.Errorf("coordinate %d: %v, expected %v", j, r.Centroids[j], mean)
			}
		}
		if r.Iterations != 2 {
			t.Errorf("%d iterations", r.Iterations)
		}
	})
	t.Run("a cluster each", func(t *testing.T) {
		r := run(t, points, 5, Params{K: 40})
		if r.Inertia > 1e-10 || len(slices.Compact(slices.Sorted(slices.Values(r.Assignment)))) != 40 {
			t.Errorf("inertia %v, assignment %v", r.Inertia, r.Assignment)
		}
	})
	t.Run("duplicates", func(t *testing.T) {
		r := run(t, slices.Repeat(points, 30), 5, Params{K: 40, Seed: 4})
		if r.Inertia > 1e-9 {
			t.Errorf("inertia %v", r.Inertia)
		}
		for i, c := range r.Assignment {
			if c != r.Assignment[i%40] {
				t.Fatalf("point %d and its equal %d are in clusters %d and %d", i, i%40, c, r.Assignment[i%40])
			}
		}
	})
	t.Run("zero vectors", func(t *testing.T) {
		with := slices.Concat(points, make([]float32, 10), points)
		r := run(t, with, 5, Params{K: 7, Spherical: true})
		for i, c := range r.Assignment {
			if zero := i == 40 || i == 41; zero != (c == -1) || c < -1 || c >= 7 {
				t.Errorf("point %d is in cluster %d", i, c)
			}
		}
		if r := run(t, with, 5, Params{K: 7}); slices.Contains(r.Assignment, -1) {
			t.Error("a Euclidean clustering leaves points out")
		}
	})
	t.Run("opposite points", func(t *testing.T) {
		r := run(t, []float32{1, 0, -1, 0, 0, 1, 0, -1}, 2, Params{K: 1, Spherical: true})
		if math.Abs(norm(r.Centroids)-1) > 1e-6 {
			t.Errorf("centroid %v", r.Centroids)
		}
	})
	t.Run("far from the origin", func(t *testing.T) {
		// The spread is 1e-4 of the mean: nothing would be left of it in differences of squares.
		shifted := gaussians(axes(5, 1), 50, 0.01, 10)
		for i := range shifted {
			shifted[i] += 10000
		}
		r := run(t, shifted, 5, Params{K: 10, Seed: 2})
		for i, c := range r.Assignment {
			if c != r.Assignment[i%10] {
				t.Fatalf("point %d is in cluster %d, expected %d", i, c, r.Assignment[i%10])
			}
		}
	})
	t.Run("scales", func(t *testing.T) {
		want := run(t, points, 5, Params{K: 6})
		for _, exponent := range []int{-120, 100, 125} {
			scaled := slices.Clone(points)
			for i := range scaled {
				scaled[i] = float32(math.Ldexp(float64(scaled[i]), exponent))
			}
			r := run(t, scaled, 5, Params{K: 6})
			if !slices.Equal(r.Assignment, want.Assignment) || math.Abs(math.Ldexp(r.Inertia, -2*exponent)-want.Inertia) > 1e-6*want.Inertia {
				t.Errorf("scale 2^%d: another clustering", exponent)
			}
		}
	})
}

func TestDeterminism(t *testing.T) {
	points := cloud(5000, 30, 11)
	original := slices.Clone(points)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, spherical := range []bool{false, true} {
		var first *Result
		for _, threads := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(threads)
			r := run(t, points, 30, Params{K: 50, Spherical: spherical, Tol: 1e-3, Seed: 21})
			if first == nil {
				first = r
			} else if !slices.Equal(first.Centroids, r.Centroids) || !slices.Equal(first.Assignment, r.Assignment) || first.Inertia != r.Inertia || first.Iterations != r.Iterations {
				t.Errorf("%d processors give another result than one", threads)
			}
		}
	}
	if !slices.Equal(points, original) {
		t.Error("the points were changed")
	}
}

func TestErrors(t *testing.T) {
	good := Params{K: 3, MaxIter: 10, Tol: 1e-4}
	with := func(change func(p *Params)) Params { p := good; change(&p); return p }
	points := cloud(10, 4, 1)
	spoilt := func(v float32) []float32 { x := slices.Clone(points); x[4*7+2] = v; return x }
	for want, test := range map[string]struct {
		points []float32
		p      Params
	}{
		"0 clusters":                      {points, with(func(p *Params) { p.K = 0 })},
		"11 clusters of 10 points":        {points, with(func(p *Params) { p.K = 11 })},
		"3 clusters of 0 points":          {nil, good},
		"at most 0 iterations":            {points, with(func(p *Params) { p.MaxIter = 0 })},
		"tolerance NaN":                   {points, with(func(p *Params) { p.Tol = math.NaN() })},
		"tolerance 1,":                    {points, with(func(p *Params) { p.Tol = 1 })},
		"coordinate 2 of point 7 is NaN":  {spoilt(float32(math.NaN())), good},
		"coordinate 2 of point 7 is +Inf": {spoilt(float32(math.Inf(1))), good},
		"only 2 are distinct":             {slices.Repeat(points[:8], 5), good},
		"only 1 are distinct":             {slices.Repeat([]float32{1e30}, 40), good},
		"of which 2 are not zero":         {append(slices.Clone(points[:8]), make([]float32, 32)...), with(func(p *Params) { p.Spherical = true })},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := KMeans(context.Background(), test.points, 4, test.p, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "cluster: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
		})
	}
	defer func() {
		if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "cluster: ") {
			t.Errorf("panic %v", r)
		}
	}()
	KMeans(context.Background(), points[:7], 4, good, nil)
}

func TestProgressAndCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	points := cloud(1000, 5, 12)
	p := Params{K: 10, MaxIter: 100}
	last := int64(0)
	if _, err := KMeans(ctx, points, 5, p, func(done, total int64) {
		if total != 100 || done <= last {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	}); err != nil {
		t.Fatal(err)
	}
	if last != 100 {
		t.Errorf("progress ends at %d", last)
	}
	if _, err := KMeans(ctx, points, 5, p, func(done, total int64) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after a cancellation", err)
	}
}
