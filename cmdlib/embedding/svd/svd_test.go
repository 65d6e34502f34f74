package svd

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

	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/sparse"
)

// sparse returns a matrix whose entries are non-zero with probability density.
func randomMatrix(rows, cols int, density float64, seed uint64) *sparse.Matrix[float32] {
	random := rand.New(rand.NewPCG(seed, 0))
	m := &sparse.Matrix[float32]{Rows: rows, Cols: cols, Start: []int64{0}}
	for range rows {
		for j := range cols {
			if random.Float64() < density {
				m.Index = append(m.Index, int32(j))
				m.Value = append(m.Value, float32(random.NormFloat64()))
			}
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}

// withValues returns a full rows×cols matrix of the given singular values.
func withValues(rows, cols int, values []float64, seed uint64) *sparse.Matrix[float32] {
	random := rand.New(rand.NewPCG(seed, 0))
	orthogonal := func(n int) *mat.Dense {
		d := mat.NewDense(n, len(values), nil)
		for i := range n {
			for j := range values {
				d.Set(i, j, random.NormFloat64())
			}
		}
		var qr mat.QR
		qr.Factorize(d)
		var q mat.Dense
		qr.QTo(&q)
		return mat.DenseCopyOf(q.Slice(0, n, 0, len(values)))
	}
	var us, a mat.Dense
	us.Mul(orthogonal(rows), mat.NewDiagDense(len(values), values))
	a.Mul(&us, orthogonal(cols).T())
	m := &sparse.Matrix[float32]{Rows: rows, Cols: cols, Start: []int64{0}}
	for i := range rows {
		for j := range cols {
			m.Index = append(m.Index, int32(j))
			m.Value = append(m.Value, float32(a.At(i, j)))
		}
		m.Start = append(m.Start, int64(len(m.Index)))
	}
	return m
}

func dense(m *sparse.Matrix[float32]) *mat.Dense {
	d := mat.NewDense(m.Rows, m.Cols, nil)
	for i := range m.Rows {
		index, value := m.Row(i)
		for e, j := range index {
			d.Set(i, int(j), float64(value[e]))
		}
	}
	return d
}

func compute(t testing.TB, m *sparse.Matrix[float32], p Params) *Result {
	t.Helper()
	r, err := Compute(context.Background(), m, p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Vectors) != m.Rows*p.Dim || len(r.Values) != p.Dim {
		t.Fatalf("%d entries, %d values", len(r.Vectors), len(r.Values))
	}
	for i, v := range r.Vectors {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			t.Fatalf("entry %d is %v", i, v)
		}
	}
	return r
}

// column returns column j of the vectors of r.
func column(r *Result, j int) []float64 {
	dim := len(r.Values)
	c := make([]float64, len(r.Vectors)/dim)
	for i := range c {
		c[i] = float64(r.Vectors[i*dim+j])
	}
	return c
}

func dot(x, y []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(x), x), mat.NewVecDense(len(y), y))
}

// With Dim + Oversampling equal to the smaller side nothing is left to chance;
// with power iterations the leading part of a falling spectrum is found as well.
func TestExact(t *testing.T) {
	falling := make([]float64, 60)
	for i := range falling {
		falling[i] = 100 * math.Pow(float64(i+1), -1)
	}
	for name, test := range map[string]struct {
		m         *sparse.Matrix[float32]
		p         Params
		subspaces bool
	}{
		"square, all columns":   {randomMatrix(70, 70, 0.2, 1), Params{Dim: 60, Oversampling: 10, PowerIterations: 1}, true},
		"tall, all columns":     {randomMatrix(300, 40, 0.3, 2), Params{Dim: 40, PowerIterations: 0}, true},
		"wide, all columns":     {randomMatrix(40, 300, 0.3, 3), Params{Dim: 30, Oversampling: 100, PowerIterations: 1}, true},
		"falling spectrum":      {withValues(200, 150, falling, 4), Params{Dim: 10, Oversampling: 20, PowerIterations: 4}, true},
		"more than one strip":   {randomMatrix(150, 140, 0.5, 5), Params{Dim: 100, Oversampling: 40, PowerIterations: 1}, false},
		"one column":            {randomMatrix(30, 1, 0.9, 6), Params{Dim: 1, Oversampling: 3, PowerIterations: 1}, true},
		"one row":               {randomMatrix(1, 30, 0.9, 7), Params{Dim: 1, Oversampling: 3, PowerIterations: 1}, true},
		"single vector, random": {withValues(100, 100, falling, 8), Params{Dim: 1, Oversampling: 5, PowerIterations: 5}, true},
	} {
		t.Run(name, func(t *testing.T) {
			var exact mat.SVD
			if !exact.Factorize(dense(test.m), mat.SVDThin) {
				t.Fatal("gonum's decomposition failed")
			}
			want := exact.Values(nil)
			var u mat.Dense
			exact.UTo(&u)

			test.p.Seed = 17
			r := compute(t, test.m, test.p)
			for j, v := range r.Values {
				if math.Abs(v-want[j]) > 1e-4*want[j]+2e-6*want[0] {
					t.Errorf("value %d: %v, exact %v", j, v, want[j])
				}
			}
			if !test.subspaces {
				return
			}
			// Singular values of U_exactᵀ·U are cosines of the angles between the spaces.
			var c mat.Dense
			got := mat.NewDense(test.m.Rows, test.p.Dim, nil)
			for j := range test.p.Dim {
				got.SetCol(j, column(r, j))
			}
			c.Mul(u.Slice(0, test.m.Rows, 0, test.p.Dim).T(), got)
			var angles mat.SVD
			angles.Factorize(&c, mat.SVDNone)
			for _, cosine := range angles.Values(nil) {
				if math.Abs(cosine-1) > 1e-4 {
					t.Errorf("a cosine of an angle between the spaces is %v", cosine)
				}
			}
		})
	}
}

func TestOrthonormalAndScaled(t *testing.T) {
	m := randomMatrix(400, 350, 0.1, 9)
	p := Params{Dim: 80, Oversampling: 10, PowerIterations: 2, Seed: 3}
	plain := compute(t, m, p)
	for i := range p.Dim {
		for j := range i + 1 {
			want := 0.0
			if i == j {
				want = 1
			}
			if got := dot(column(plain, i), column(plain, j)); math.Abs(got-want) > 2e-6 {
				t.Errorf("u_%d·u_%d = %v", i, j, got)
			}
		}
	}
	if !slices.IsSortedFunc(plain.Values, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
		t.Errorf("values do not decrease: %v", plain.Values)
	}
	for _, exponent := range []float64{0.5, 1} {
		p.Exponent = exponent
		scaled := compute(t, m, p)
		for i, v := range scaled.Vectors {
			j := i % p.Dim
			want := float64(plain.Vectors[i]) * math.Pow(plain.Values[j], exponent)
			if math.Abs(float64(v)-want) > 1e-5*math.Pow(plain.Values[j], exponent) {
				t.Fatalf("exponent %v, entry %d: %v, expected %v", exponent, i, v, want)
			}
		}
	}
}

func TestSigns(t *testing.T) {
	r := compute(t, randomMatrix(200, 180, 0.2, 10), Params{Dim: 20, Oversampling: 10, PowerIterations: 2})
	for j := range 20 {
		c := column(r, j)
		if high, low := slices.Max(c), slices.Min(c); high < -low {
			t.Errorf("column %d runs from %v to %v", j, low, high)
		}
	}
}

func TestLowRank(t *testing.T) {
	want := []float64{50, 20, 7, 3, 0.5}
	for name, m := range map[string]*sparse.Matrix[float32]{
		"dense":         withValues(120, 90, want, 11),
		"one row":       {Rows: 3, Cols: 5, Start: []int64{0, 0, 2, 2}, Index: []int32{1, 4}, Value: []float32{30, 40}},
		"a stored zero": {Rows: 3, Cols: 3, Start: []int64{0, 2, 2, 2}, Index: []int32{0, 2}, Value: []float32{50, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			want := want
			if m.Rows == 3 {
				want = want[:1]
			}
			dim := min(m.Rows, m.Cols, 12)
			r := compute(t, m, Params{Dim: dim, Oversampling: 4, PowerIterations: 2, Seed: 1})
			for j, v := range r.Values {
				c := column(r, j)
				if j >= len(want) {
					if v != 0 || dot(c, c) != 0 {
						t.Errorf("value %d beyond the rank is %v, norm² of its vector %v", j, v, dot(c, c))
					}
					continue
				}
				if math.Abs(v-want[j]) > 1e-4*want[j] || math.Abs(dot(c, c)-1) > 1e-5 {
					t.Errorf("value %d: %v, expected %v; norm² %v", j, v, want[j], dot(c, c))
				}
			}
		})
	}
}

// Values far from 1 neither overflow nor vanish, as long as float32 holds the result.
func TestScale(t *testing.T) {
	m := withValues(60, 50, []float64{4, 2, 1}, 12)
	for _, scale := range []float32{1e-37, 1e-15, 1e15, 1e37} {
		scaled := *m
		scaled.Value = slices.Clone(m.Value)
		for i := range scaled.Value {
			scaled.Value[i] *= scale
		}
		r := compute(t, &scaled, Params{Dim: 3, Oversampling: 5, PowerIterations: 2})
		for j, want := range []float64{4, 2, 1} {
			if math.Abs(r.Values[j]/float64(scale)-want) > 1e-4*want {
				t.Errorf("scale %v: value %d is %v", scale, j, r.Values[j])
			}
		}
	}
}

func TestDeterminism(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, test := range []struct {
		m *sparse.Matrix[float32]
		p Params
	}{
		{randomMatrix(5000, 4700, 0.01, 13), Params{Dim: 60, Oversampling: 20, PowerIterations: 1, Exponent: 0.5, Seed: 5}},
		// Small matrices so large that gonum works on them in parallel.
		{randomMatrix(800, 700, 0.1, 14), Params{Dim: 290, Oversampling: 10, PowerIterations: 1, Seed: 5}},
	} {
		var first *Result
		for _, threads := range []int{1, 2, 4} {
			runtime.GOMAXPROCS(threads)
			r := compute(t, test.m, test.p)
			if first == nil {
				first = r
			} else if !slices.Equal(first.Vectors, r.Vectors) || !slices.Equal(first.Values, r.Values) {
				t.Errorf("%d processors give another result than one", threads)
			}
		}
		test.p.Seed++
		if slices.Equal(first.Vectors, compute(t, test.m, test.p).Vectors) {
			t.Error("the seed has no effect")
		}
	}
}

func TestErrors(t *testing.T) {
	good := Params{Dim: 2, Oversampling: 3, PowerIterations: 1}
	with := func(change func(p *Params)) Params { p := good; change(&p); return p }
	value := func(v float32) *sparse.Matrix[float32] { m := randomMatrix(8, 6, 1, 1); m.Value[13] = v; return m }
	huge := randomMatrix(8, 6, 1, 1)
	for i := range huge.Value {
		huge.Value[i] = 3e38
	}
	for want, test := range map[string]struct {
		m *sparse.Matrix[float32]
		p Params
	}{
		"dim 0":                 {randomMatrix(8, 6, 1, 1), with(func(p *Params) { p.Dim = 0 })},
		"dimension 7 of a 8×6":  {randomMatrix(8, 6, 1, 1), with(func(p *Params) { p.Dim = 7 })},
		"oversampling -1":       {randomMatrix(8, 6, 1, 1), with(func(p *Params) { p.Oversampling = -1 })},
		"power_iterations -2":   {randomMatrix(8, 6, 1, 1), with(func(p *Params) { p.PowerIterations = -2 })},
		"exponent NaN":          {randomMatrix(8, 6, 1, 1), with(func(p *Params) { p.Exponent = math.NaN() })},
		"exponent 1.5":          {randomMatrix(8, 6, 1, 1), with(func(p *Params) { p.Exponent = 1.5 })},
		"empty (0×4)":           {&sparse.Matrix[float32]{Rows: 0, Cols: 4, Start: []int64{0}}, good},
		"no non-zero entry":     {randomMatrix(8, 6, 0, 1), good},
		"row 2, column 1 is Na": {value(float32(math.NaN())), good},
		"row 2, column 1 is -I": {value(float32(math.Inf(-1))), good},
		"overflows float32":     {huge, with(func(p *Params) { p.Exponent = 1 })},
		"sparse: ":              {&sparse.Matrix[float32]{Rows: 2, Cols: 2, Start: []int64{0, 1}}, good},
	} {
		t.Run(want, func(t *testing.T) {
			_, err := Compute(context.Background(), test.m, test.p, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "svd: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestProgressAndCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	m, p := randomMatrix(50, 50, 0.3, 2), Params{Dim: 5, Oversampling: 5, PowerIterations: 3}
	var seen []int64
	if _, err := Compute(ctx, m, p, func(done, total int64) {
		if total != 8 {
			t.Errorf("%d products in all, expected 8", total)
		}
		seen = append(seen, done)
	}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(seen) != "[1 2 3 4 5 6 7 8]" {
		t.Errorf("progress %v", seen)
	}
	if _, err := Compute(ctx, m, p, func(done, total int64) {
		if done == 3 {
			cancel()
		}
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after a cancellation", err)
	}
}
