package sppmi

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/scratch"
)

// sparse returns the non-zeros of a dense matrix.
func matrixOf(rows [][]float64) *sparse.Matrix[float64] {
	m := &sparse.Matrix[float64]{Rows: len(rows), Cols: len(rows[0]), Start: []int64{0}}
	for _, row := range rows {
		for j, x := range row {
			if x != 0 {
				m.Index = append(m.Index, int32(j))
				m.Value = append(m.Value, x)
			}
		}
		m.Start = append(m.Start, int64(len(m.Value)))
	}
	return m
}

func dense(m *Matrix) [][]float64 {
	rows := make([][]float64, m.Rows)
	for i := range rows {
		rows[i] = make([]float64, m.Cols)
		index, value := m.Row(i)
		for e, j := range index {
			rows[i][j] = float64(value[e])
		}
	}
	return rows
}

func compute(t *testing.T, counts [][]float64, p Params) *Matrix {
	t.Helper()
	m, err := Compute(context.Background(), matrixOf(counts), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	for e, v := range m.Value {
		if !(v > 0) {
			t.Fatalf("stored entry %d is %v", e, v)
		}
	}
	return m
}

// Values computed independently, six decimals (method notes, fixture F1).
func TestFixtureF1(t *testing.T) {
	counts := [][]float64{{0, 4, 1}, {4, 0, 2}, {1, 2, 0}}
	type cell struct {
		w, c int
		want float64
	}
	for alpha, cells := range map[float64][]cell{
		1:    {{0, 1, .624154}, {1, 2, .441833}, {0, 2, 0}},
		0.75: {{0, 1, .679778}, {1, 0, .634198}, {1, 2, .324170}, {2, 1, .497456}},
		0.15: {{0, 1, .832656}, {1, 0, .677683}, {1, 2, .061159}, {2, 1, .650335}},
	} {
		got := dense(compute(t, counts, Params{Smoothing: alpha, Shift: 1}))
		for _, c := range cells {
			if math.Abs(got[c.w][c.c]-c.want) > 1e-6 {
				t.Errorf("α = %v: SPPMI(%d, %d) = %.6f, want %.6f", alpha, c.w, c.c, got[c.w][c.c], c.want)
			}
		}
	}
}

// The obvious loops over a dense, asymmetric matrix.
func TestBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const rows, cols = 40, 30
	counts := make([][]float64, rows)
	for i := range counts {
		counts[i] = make([]float64, cols)
		for j := range counts[i] {
			if random.Float64() < 0.3 {
				counts[i][j] = math.Exp(4 * random.NormFloat64())
			}
		}
	}
	counts[7] = make([]float64, cols) // a word that occurs with nothing
	for i := range counts {
		counts[i][5] = 0 // a context that never occurs
	}
	for _, p := range []Params{{1, 1}, {0.75, 1}, {0.15, 5}, {0, 1}, {0.55, 1.3}} {
		got := dense(compute(t, counts, p))
		row, col, total := make([]float64, rows), make([]float64, cols), 0.0
		for i := range counts {
			for j, x := range counts[i] {
				row[i] += x
				col[j] += x
			}
		}
		for _, x := range col {
			if x > 0 {
				total += math.Pow(x, p.Smoothing)
			}
		}
		for i := range counts {
			for j, x := range counts[i] {
				want := 0.0
				if x > 0 {
					want = max(math.Log(x*total/(row[i]*math.Pow(col[j], p.Smoothing)))-math.Log(p.Shift), 0)
				}
				if math.Abs(got[i][j]-want) > 1e-6*(1+want) {
					t.Fatalf("%+v: (%d, %d) is %v, want %v", p, i, j, got[i][j], want)
				}
			}
		}
	}
}

// TestLogarithms: what is told without logarithms is what they tell, to the last bit: also
// near the least associated count, and where their exponentials leave the range of float64.
func TestLogarithms(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 9))
	for _, scale := range []float64{1, 1e-200, 1e200} {
		counts := make([][]float64, 200)
		for i := range counts {
			counts[i] = make([]float64, 150)
			for j := range counts[i] {
				// Nearly independent, so that many are within any distance of the limit.
				near := 1 + math.Copysign(math.Pow(10, -16*random.Float64()), random.Float64()-0.5)
				counts[i][j] = scale * float64((i+1)*(j+1)) * near
				if random.Float64() < 0.1 {
					counts[i][j] = 0
				}
			}
		}
		c, err := New(t.Context(), matrixOf(counts))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range []Params{{1, 1}, {0.55, 1}, {0.15, 1.2}, {0, 1.5}} {
			got, err := c.Associations(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			marginals, err := c.Marginals(p.Smoothing)
			if err != nil {
				t.Fatal(err)
			}
			if n := got.NonZeros(); n == 0 || n == c.NonZeros() {
				t.Fatalf("scale %v, %+v: %d of %d counts are associated: nothing is tested", scale, p, n, c.NonZeros())
			}
			for i := range counts {
				index, value := c.Row(i)
				wantIndex, want := marginals.Row(index, value, p)
				gotIndex, gotValue := got.Row(i)
				if !slices.Equal(gotIndex, wantIndex) || !slices.Equal(gotValue, want) {
					t.Fatalf("scale %v, %+v, word %d: %v %v, by logarithms %v %v", scale, p, i, gotIndex, gotValue, wantIndex, want)
				}
			}
		}
	}
}

// A larger shift lowers every association by the difference of the logarithms.
func TestShift(t *testing.T) {
	counts := [][]float64{{0, 40, 1}, {40, 0, 2}, {1, 2, 30}}
	one := dense(compute(t, counts, Params{Smoothing: 0.5, Shift: 1}))
	two := dense(compute(t, counts, Params{Smoothing: 0.5, Shift: 2}))
	for i := range one {
		for j := range one[i] {
			if want := max(one[i][j]-math.Ln2, 0); math.Abs(two[i][j]-want) > 1e-6 {
				t.Errorf("(%d, %d): %v with s = 2, want %v", i, j, two[i][j], want)
			}
		}
	}
}

// Where words and contexts are independent there is no association, and rounding
// must not invent one.
func TestIndependentCountsHaveNoAssociation(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	counts := make([][]float64, 50)
	column := make([]float64, 60)
	for j := range column {
		column[j] = math.Exp(5 * random.NormFloat64())
	}
	for i := range counts {
		counts[i] = make([]float64, len(column))
		f := math.Exp(5 * random.NormFloat64())
		for j := range column {
			counts[i][j] = f * column[j]
		}
	}
	if m := compute(t, counts, Params{Smoothing: 1, Shift: 1}); m.NonZeros() != 0 {
		t.Errorf("%d associations, the first is %v", m.NonZeros(), m.Value[0])
	}
}

func TestExtremeCounts(t *testing.T) {
	for _, scale := range []float64{1e-300, 1e300} {
		counts := [][]float64{{0, 4, 1}, {4, 0, 2}, {1, 2, 0}}
		for i := range counts {
			for j := range counts[i] {
				counts[i][j] *= scale
			}
		}
		got := dense(compute(t, counts, Params{Smoothing: 1, Shift: 1}))
		if math.Abs(got[0][1]-.624154) > 1e-6 {
			t.Errorf("scale %v: %v", scale, got[0][1])
		}
	}
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	counts := make([][]float64, 1000)
	for i := range counts {
		counts[i] = make([]float64, 100)
		for j := range counts[i] {
			counts[i][j] = max(0, random.NormFloat64())
		}
	}
	var want *Matrix
	for _, threads := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		got := compute(t, counts, Params{Smoothing: 0.55, Shift: 1})
		if want == nil {
			want = got
		} else if !reflect.DeepEqual(got, want) {
			t.Fatalf("%d threads give another matrix", threads)
		}
	}
}

// The associations of counts on disk are those of counts in memory, and on the same disk.
func TestOnDisk(t *testing.T) {
	counts := matrixOf([][]float64{{5, 0, 1}, {0, 0, 0}, {2, 9, 0}})
	want, err := Compute(t.Context(), counts, Params{Smoothing: 0.5, Shift: 1})
	if err != nil {
		t.Fatal(err)
	}
	d := scratch.Beside(filepath.Join(t.TempDir(), "out"))
	defer d.Close()
	disk, err := sparse.Make[float64](d, counts.Rows, counts.Cols, counts.Start)
	if err != nil {
		t.Fatal(err)
	}
	copy(disk.Index, counts.Index)
	copy(disk.Value, counts.Value)
	got, err := Compute(t.Context(), disk, Params{Smoothing: 0.5, Shift: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got.Disk != d {
		t.Error("the associations are in memory")
	}
	if got.Disk = nil; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestErrors(t *testing.T) {
	good := func() *sparse.Matrix[float64] { return matrixOf([][]float64{{0, 4}, {4, 1}}) }
	for want, f := range map[string]func() (*sparse.Matrix[float64], Params){
		"smoothing α = -0.1":                       func() (*sparse.Matrix[float64], Params) { return good(), Params{-0.1, 1} },
		"smoothing α = 1.1":                        func() (*sparse.Matrix[float64], Params) { return good(), Params{1.1, 1} },
		"smoothing α = NaN":                        func() (*sparse.Matrix[float64], Params) { return good(), Params{math.NaN(), 1} },
		"shift s = 0.5":                            func() (*sparse.Matrix[float64], Params) { return good(), Params{1, 0.5} },
		"shift s = NaN":                            func() (*sparse.Matrix[float64], Params) { return good(), Params{1, math.NaN()} },
		"shift s = +Inf":                           func() (*sparse.Matrix[float64], Params) { return good(), Params{1, math.Inf(1)} },
		"the count of word 1 with context 0 is -4": func() (*sparse.Matrix[float64], Params) { m := good(); m.Value[1] = -4; return m, Params{1, 1} },
		"the count of word 1 with context 1 is NaN": func() (*sparse.Matrix[float64], Params) {
			m := good()
			m.Value[2] = math.NaN()
			return m, Params{1, 1}
		},
		"the count of word 0 with context 1 is +Inf": func() (*sparse.Matrix[float64], Params) {
			m := good()
			m.Value[0] = math.Inf(1)
			return m, Params{1, 1}
		},
		"context 0 sum to more than": func() (*sparse.Matrix[float64], Params) {
			return matrixOf([][]float64{{math.MaxFloat64}, {math.MaxFloat64}}), Params{1, 1}
		},
		"together sum to more than": func() (*sparse.Matrix[float64], Params) {
			return matrixOf([][]float64{{math.MaxFloat64, 0}, {0, math.MaxFloat64}}), Params{1, 1}
		},
		"word 0 sum to more than": func() (*sparse.Matrix[float64], Params) {
			return matrixOf([][]float64{{math.MaxFloat64, math.MaxFloat64}}), Params{1, 1}
		},
		"sppmi: counts: sparse: 0 row starts": func() (*sparse.Matrix[float64], Params) { m := good(); m.Start = nil; return m, Params{1, 1} },
	} {
		m, p := f()
		if _, err := Compute(context.Background(), m, p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Compute(ctx, good(), Params{1, 1}); err != context.Canceled {
		t.Errorf("ended context: %v", err)
	}
}
