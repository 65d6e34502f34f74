package ground

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func random(n int) []float32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(r.NormFloat64())
	}
	return x
}

func ground(t *testing.T, centroids []float32, k, dim int, p Params) *Ground {
	t.Helper()
	g, err := New(centroids, k, dim, p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var symmetric = []Metric{Euclidean, SquaredEuclidean, Angular}

// The three steps in obvious loops, for every metric and normalisation.
func TestBruteForce(t *testing.T) {
	const k, dim = 12, 7
	c := random(k * dim)
	for _, metric := range symmetric {
		for _, normalisation := range normalisations {
			for _, clip := range []float64{0, 11} {
				p := Params{metric, normalisation, clip, 0.1}
				g := ground(t, c, k, dim, p)
				raw := make([]float64, 0, k*k)
				for i := range k {
					for j := range k {
						var dot, xx, yy, squared float64
						for d := range dim {
							x, y := float64(c[i*dim+d]), float64(c[j*dim+d])
							dot, xx, yy, squared = dot+x*y, xx+x*x, yy+y*y, squared+(x-y)*(x-y)
						}
						switch {
						case i == j:
							raw = append(raw, 0)
						case metric == Euclidean:
							raw = append(raw, math.Sqrt(squared))
						case metric == SquaredEuclidean:
							raw = append(raw, squared)
						default:
							raw = append(raw, math.Acos(max(-1, min(1, dot/math.Sqrt(xx*yy)))))
						}
					}
				}
				sorted := slices.Sorted(slices.Values(raw))
				sum := 0.0
				for _, d := range raw {
					sum += d
				}
				for i, d := range raw {
					want := d
					switch normalisation {
					case Max:
						want /= sorted[k*k-1]
					case Median:
						want /= (sorted[k*k/2-1] + sorted[k*k/2]) / 2
					case Mean:
						want /= sum / (k * k)
					case Log2:
						want = math.Log2(1 + d)
					case Ln:
						want = math.Log(1 + d)
					}
					if clip > 0 {
						want = min(want, clip*0.1)
					}
					if math.Abs(float64(g.Data[i])-want) > 1e-6*(1+want) {
						t.Fatalf("%+v: entry %d is %v, want %v", p, i, g.Data[i], want)
					}
				}
			}
		}
	}
}

func TestMetricProperties(t *testing.T) {
	const k, dim = 20, 30
	c := random(k * dim)
	for _, metric := range symmetric {
		for _, normalisation := range normalisations {
			g := ground(t, c, k, dim, Params{Metric: metric, Normalisation: normalisation})
			for i := range k {
				if g.Data[i*k+i] != 0 {
					t.Fatalf("%s, %s: diagonal %v", metric, normalisation, g.Data[i*k+i])
				}
				for j := range k {
					if g.Data[i*k+j] != g.Data[j*k+i] {
						t.Fatalf("%s, %s: not symmetric at (%d, %d)", metric, normalisation, i, j)
					}
				}
			}
			// The logarithm of a metric plus one is a metric; a squared one is not.
			for i := 0; i < k && metric != SquaredEuclidean; i++ {
				for j := range k {
					for l := range k {
						if g.Data[i*k+j] > g.Data[i*k+l]+g.Data[l*k+j]+1e-5 {
							t.Fatalf("%s, %s: triangle inequality fails at %d, %d, %d", metric, normalisation, i, j, l)
						}
					}
				}
			}
		}
	}
}

// A point in the place of a centroid costs what the centroid costs, exactly.
func TestPoints(t *testing.T) {
	const k, dim = 9, 13
	c := random(k * dim)
	row := make([]float32, k)
	for _, metric := range metrics {
		for _, normalisation := range normalisations {
			g := ground(t, c, k, dim, Params{metric, normalisation, 12, 0.1})
			for i := range k {
				g.ToBins(row, c[i*dim:(i+1)*dim])
				if !slices.Equal(row, g.Data[i*k:(i+1)*k]) {
					t.Fatalf("%s, %s: centroid %d costs %v, its row is %v", metric, normalisation, i, row, g.Data[i*k:(i+1)*k])
				}
				for j := range k {
					if b := g.Between(c[i*dim:(i+1)*dim], c[j*dim:(j+1)*dim]); b != row[j] {
						t.Fatalf("%s, %s: Between(%d, %d) = %v, want %v", metric, normalisation, i, j, b, row[j])
					}
				}
			}
		}
	}
}

// TestManyPoints compares points, far from the centroids, near to and on them, with the
// definitions.
func TestManyPoints(t *testing.T) {
	const k, dim, n = 37, 50, 100 // more than one block
	c := random(k * dim)
	points := random(n * dim)
	for i := range 60 {
		x := points[i*dim:][:dim]
		copy(x, c[i%k*dim:][:dim])
		if i > 0 {
			x[i%dim] += float32(math.Exp2(-float64(i)))
		}
	}
	rows := make([]float32, n*k)
	for _, metric := range []Metric{Euclidean, SquaredEuclidean, Angular} {
		g := ground(t, c, k, dim, Params{Metric: metric, Normalisation: None})
		g.ToBins(rows, points)
		for i := range n {
			for j := range k {
				x, y := points[i*dim:][:dim], c[j*dim:][:dim]
				var xx, yy, squared, chord float64
				for d := range dim {
					u, v := float64(x[d]), float64(y[d])
					xx, yy, squared = xx+u*u, yy+v*v, squared+(u-v)*(u-v)
				}
				for d := range dim {
					chord = math.Hypot(chord, float64(x[d])/math.Sqrt(xx)-float64(y[d])/math.Sqrt(yy))
				}
				want := map[Metric]float64{SquaredEuclidean: squared, Euclidean: math.Sqrt(squared), Angular: 2 * math.Asin(chord/2)}[metric]
				got := float64(rows[i*k+j])
				if equal := slices.Equal(x, y); equal && got != 0 || !equal && !(math.Abs(got-want) <= 1e-7*want+1e-15) {
					t.Fatalf("%s: cost from point %d to centroid %d is %v, want %v", metric, i, j, got, want)
				}
			}
		}
	}
}

func TestAngles(t *testing.T) {
	// (1,0), (0,2), (−3,0), (1e-4 rad from the first)
	c := []float32{1, 0, 0, 2, -3, 0, 1, 1e-4}
	g := ground(t, c, 4, 2, Params{Metric: Angular, Normalisation: None})
	for i, want := range []float64{0, math.Pi / 2, math.Pi, math.Atan(1e-4)} {
		if got := float64(g.Data[i]); math.Abs(got-want) > 1e-6*want {
			t.Errorf("angle of vectors 0 and %d is %v, want %v", i, got, want)
		}
	}
	row := make([]float32, 4)
	g.ToBins(row, []float32{0, 0})
	for _, v := range append(row, g.Between([]float32{0, 0}, []float32{1, 1}), g.Between([]float32{1, 1}, []float32{0, 0})) {
		if v != float32(math.Pi/2) {
			t.Errorf("angle to the zero vector is %v", v)
		}
	}
}

// Scaling the space changes no cost that is divided by a constant.
func TestScaleInvariance(t *testing.T) {
	const k, dim = 10, 5
	c := random(k * dim)
	scaled := slices.Clone(c)
	for i := range scaled {
		scaled[i] *= 1024
	}
	for _, metric := range symmetric {
		for _, n := range []Normalisation{Max, Median, Mean} {
			a, b := ground(t, c, k, dim, Params{Metric: metric, Normalisation: n}), ground(t, scaled, k, dim, Params{Metric: metric, Normalisation: n})
			if !slices.Equal(a.Data, b.Data) {
				t.Errorf("%s, %s: costs change with the scale of the space", metric, n)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := Params{Euclidean, Median, 0, 0.1}
	with := func(f func(*Params)) Params { p := good; f(&p); return p }
	for want, f := range map[string]func() ([]float32, Params){
		`metric "cosine", expected one of: euclidean, squared euclidean, angular`: func() ([]float32, Params) {
			return random(6), with(func(p *Params) { p.Metric = "cosine" })
		},
		`normalisation "min", expected one of: none, max, median, mean, log2, ln`: func() ([]float32, Params) {
			return random(6), with(func(p *Params) { p.Normalisation = "min" })
		},
		"clip -1":     func() ([]float32, Params) { return random(6), with(func(p *Params) { p.Clip = -1 }) },
		"but λ = 0":   func() ([]float32, Params) { return random(6), with(func(p *Params) { p.Clip, p.Reg = 10, 0 }) },
		"but λ = NaN": func() ([]float32, Params) { return random(6), with(func(p *Params) { p.Clip, p.Reg = 10, math.NaN() }) },
		"coordinate 1 of centroid 2 is NaN": func() ([]float32, Params) {
			c := random(6)
			c[5] = float32(math.NaN())
			return c, good
		},
		"centroid 1 has length zero": func() ([]float32, Params) {
			return []float32{1, 2, 0, 0, 3, 4}, with(func(p *Params) { p.Metric = Angular })
		},
		"the max of the costs between centroids is 0": func() ([]float32, Params) {
			return []float32{1, 2, 1, 2, 1, 2}, with(func(p *Params) { p.Normalisation = Max })
		},
		"the median of the costs": func() ([]float32, Params) { return []float32{1, 2, 1, 2, 3, 2}, good },
		"the mean of the costs": func() ([]float32, Params) {
			return make([]float32, 6), with(func(p *Params) { p.Normalisation = Mean })
		},
	} {
		c, p := f()
		if _, err := New(c, 3, 2, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := New(nil, 0, 2, good); err == nil {
		t.Error("no error for no centroids")
	}
}

// The costs of the three steps without the first: those that New makes of the same raw costs, whatever the metric.
func TestScaled(t *testing.T) {
	const k, dim = 9, 5
	c := random(k * dim)
	raw := make([]float64, k*k)
	for i, d := range ground(t, c, k, dim, Params{Metric: SquaredEuclidean, Normalisation: None}).Data {
		raw[i] = float64(d)
	}
	for _, normalisation := range normalisations {
		p := Params{SquaredEuclidean, normalisation, 8, 0.1}
		want := ground(t, c, k, dim, p)
		p.Metric = "another"
		got, err := Scaled(raw, k, p)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range got.Data {
			if math.Abs(float64(d-want.Data[i])) > 1e-6*float64(want.Data[i]) {
				t.Fatalf("%s: cost %d is %v, New's is %v", normalisation, i, d, want.Data[i])
			}
		}
	}
	for name, costs := range map[string][]float64{
		"negative": {0, -1, 1, 0}, "NaN": {0, math.NaN(), 1, 0}, "infinite": {0, math.Inf(1), 1, 0}, "all zero": make([]float64, 4),
	} {
		if _, err := Scaled(costs, 2, Params{Normalisation: Median}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
