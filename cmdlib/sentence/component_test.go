package sentence

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/ground"
)

func gaussian(n, dim int, seed uint64, shift float64) []float64 {
	r := rand.New(rand.NewPCG(seed, seed))
	x := make([]float64, n*dim)
	for i := range x {
		x[i] = r.NormFloat64() + shift
	}
	return x
}

// Against a full singular value decomposition, for tall and for wide matrices, with
// a clear first direction and without.
func TestFirstDirection(t *testing.T) {
	for _, size := range [][2]int{{200, 10}, {10, 200}, {64, 64}, {1, 7}, {7, 1}, {300, 40}} {
		for _, shift := range []float64{0, 1, 100} {
			n, d := size[0], size[1]
			x := gaussian(n, d, uint64(n*d), shift)
			first, err := FitComponents(t.Context(), x, d, 1)
			if err != nil {
				t.Fatal(err)
			}
			u := first.Directions[0]
			var svd mat.SVD
			if !svd.Factorize(mat.NewDense(n, d, slices.Clone(x)), mat.SVDThin) {
				t.Fatal("no decomposition")
			}
			var v mat.Dense
			svd.VTo(&v)
			if dot := math.Abs(floats.Dot(mat.Col(nil, 0, &v), u)); math.Abs(dot-1) > 1e-10 {
				t.Errorf("%d×%d, shift %v: cosine with the singular vector is %v", n, d, shift, dot)
			}
			if norm := floats.Norm(u, 2); math.Abs(norm-1) > 1e-12 {
				t.Errorf("%d×%d, shift %v: length %v", n, d, shift, norm)
			}
		}
	}
}

// Eigenvalues that are equal or nearly so: any direction of theirs will do, but
// none of a smaller one.
func TestCloseEigenvalues(t *testing.T) {
	for _, gap := range []float64{0, 1e-9, 1e-3} {
		const n = 40
		g := make([]float64, n*n)
		for i := range n {
			g[i*n+i] = 1
		}
		g[3*n+3], g[17*n+17] = 2, 2*(1-gap)
		u := topEigenvector(g, n)
		if share := u[3]*u[3] + u[17]*u[17]; math.Abs(share-1) > 1e-10 {
			t.Errorf("gap %v: %v of the direction is in the two largest", gap, share)
		}
		if gap > 1e-6 && math.Abs(math.Abs(u[3])-1) > 1e-8 {
			t.Errorf("gap %v: %v of the direction is in the largest", gap, u[3])
		}
	}
}

func TestRemoveFirstDirection(t *testing.T) {
	const n, d = 50, 8
	x := gaussian(n, d, 3, 1)
	clear(x[5*d : 6*d])          // a zero point
	copy(x[7*d:8*d], x[8*d:9*d]) // equal points
	before := slices.Clone(x)
	first, err := FitComponents(t.Context(), x, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	u := first.Directions[0]
	if err := removeDirections(t.Context(), x, d, 1); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		row, old := x[i*d:(i+1)*d], before[i*d:(i+1)*d]
		if p := floats.Dot(row, u); math.Abs(p) > 1e-13*floats.Norm(old, 2) {
			t.Errorf("row %d has the projection %v", i, p)
		}
		for j := range row { // nothing but the projection went
			if want := old[j] - floats.Dot(old, u)*u[j]; math.Abs(row[j]-want) > 1e-13 {
				t.Errorf("row %d, coordinate %d: %v, want %v", i, j, row[j], want)
			}
		}
	}
	if !slices.Equal(x[7*d:8*d], x[8*d:9*d]) {
		t.Error("equal points are not equal any more")
	}
	// The next direction is orthogonal to it.
	second, err := FitComponents(t.Context(), x, d, 1)
	if err != nil {
		t.Fatal(err)
	}
	if dot := floats.Dot(u, second.Directions[0]); math.Abs(dot) > 1e-10 {
		t.Errorf("the next direction has the cosine %v with the first", dot)
	}
}

// Of several directions each goes by its share of the squared singular values,
// found here by a full decomposition; with fewer points than dimensions and more.
func TestRemoveDirections(t *testing.T) {
	for _, n := range []int{7, 12, 60} {
		const d, m = 12, 3
		x := gaussian(n, d, 5, 1)
		before := mat.NewDense(n, d, slices.Clone(x))
		if err := removeDirections(t.Context(), x, d, m); err != nil {
			t.Fatal(err)
		}
		var svd mat.SVD
		svd.Factorize(before, mat.SVDThin)
		var v mat.Dense
		svd.VTo(&v)
		sigma, total := svd.Values(nil), 0.0
		for _, s := range sigma[:m] {
			total += s * s
		}
		for i := range n {
			want := mat.Row(nil, i, before)
			for k, s := range sigma[:m] {
				u := mat.Col(nil, k, &v)
				floats.AddScaled(want, -s*s/total*floats.Dot(before.RawRowView(i), u), u)
			}
			if distance := floats.Distance(want, x[i*d:(i+1)*d], 2); distance > 1e-8 {
				t.Errorf("%d points: row %d is %v away", n, i, distance)
			}
		}
	}
	// Of points along one line nothing is left, of none nothing becomes of it.
	line := []float64{1, 2, 2, 4, -3, -6}
	if err := removeDirections(t.Context(), line, 2, 2); err != nil || floats.Norm(line, 2) > 1e-9 {
		t.Errorf("points on a line become %v, %v", line, err)
	}
	zeros := make([]float64, 12)
	if err := removeDirections(t.Context(), zeros, 4, 3); err != nil || floats.Norm(zeros, 2) != 0 {
		t.Errorf("zero points become %v, %v", zeros, err)
	}
}

// All points along one line are removed altogether, exactly.
func TestRemoveEverything(t *testing.T) {
	for _, n := range []int{1, 3, 20} {
		line := gaussian(1, 6, 9, 0)
		x := make([]float64, 0, n*6)
		for i := range n {
			for _, v := range line {
				x = append(x, v*float64(i-1))
			}
		}
		if n == 1 {
			copy(x, line)
		}
		if err := removeDirections(t.Context(), x, 6, 1); err != nil {
			t.Fatal(err)
		}
		for i, v := range x {
			if v != 0 {
				t.Fatalf("%d points: %v is left at %d", n, v, i)
			}
		}
	}
	zeros := make([]float64, 12)
	if err := removeDirections(t.Context(), zeros, 4, 1); err != nil || floats.Norm(zeros, 2) != 0 {
		t.Errorf("zero points become %v, %v", zeros, err)
	}
}

// Removal by batches is removal from each batch as a data set of its own.
func TestBatches(t *testing.T) {
	w := newWorld(t, ground.Angular)
	pairs := w.pairs(27)
	for name, m := range map[string]func(batch int) Method{
		"vectors": func(batch int) Method {
			m := w.average()
			m.Components, m.PCBatch = 1, batch
			return m
		},
		"transport": func(batch int) Method {
			m := w.transport()
			m.Mix, m.RemovePC, m.PCBatch = 0.4, true, batch
			return m
		},
	} {
		var want []float64
		for lo := 0; lo < len(pairs); lo += 8 {
			want = append(want, scores(t, m(0), pairs[lo:min(lo+8, len(pairs))]).Value...)
		}
		near(t, name, scores(t, m(8), pairs).Value, want, 0)
		whole := scores(t, m(0), pairs).Value
		near(t, name, scores(t, m(100), pairs).Value, whole, 0)
		if slices.Equal(whole, want) {
			t.Errorf("%s: batches of 8 make no difference", name)
		}
	}
}

// Long data sets are cut into units; no batch may be cut by them.
func TestUnits(t *testing.T) {
	for _, batch := range []int{1, 64, 100, 5000} {
		if u := unit(1e6, 1, batch); u%batch != 0 || u < 4096 {
			t.Errorf("batches of %d are looked at %d pairs at a time", batch, u)
		}
	}
	if u := unit(10000, 1, 0); u != 10000 {
		t.Errorf("a data set of 10000 pairs is looked at %d pairs at a time", u)
	}
	w := newWorld(t, ground.Euclidean)
	pairs := w.pairs(4500)
	m := w.average()
	m.Components, m.PCBatch = 1, 100
	got := scores(t, m, pairs).Value
	near(t, "second unit", scores(t, m, pairs[4100:]).Value, got[4100:], 0)
}

// The first sentences of a data set have no influence on what is removed from the
// second ones.
func TestSidesAreSeparate(t *testing.T) {
	w := newWorld(t, ground.Euclidean)
	p := Points{Vectors: w.vectors, Dim: dim}
	pairs := w.pairs(30)
	_, b, _, err := p.sides(t.Context(), pairs, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := range pairs {
		pairs[i].A = w.sentence(4)
	}
	_, again, _, err := p.sides(t.Context(), pairs, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(b, again) {
		t.Error("the second sentences' points depend on the first sentences")
	}
}

func TestSameBitsForAnyNumberOfThreads(t *testing.T) {
	w := newWorld(t, ground.Angular)
	pairs := w.pairs(600)
	m := w.transport()
	m.Mix, m.RemovePC, m.Settings.MaxIter = 0.4, true, 10
	v := w.average()
	v.Components = 3
	var want []float64
	for _, threads := range []int{1, 2, 7} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		got := slices.Concat(scores(t, v, pairs).Value, scores(t, m, pairs).Value)
		if want == nil {
			want = got
		} else if !slices.Equal(got, want) {
			t.Fatalf("%d threads give other scores", threads)
		}
	}
}
