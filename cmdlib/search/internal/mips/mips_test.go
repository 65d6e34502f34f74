package mips

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"contextmover/cmdlib/internal/quantised"
)

func random(n int, seed uint64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

// Kernels have the sums of the portable one, of any dimension, up to the end of the rows, and for the largest numbers.
func TestKernels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{1, 2, 15, 16, 31, 32, 33, 63, 64, 65, 100, 300, 512, 777} {
		for _, n := range []int{1, 3, 4, 5, 23} {
			stride := dim + n%3
			rows, query := make([]byte, (n-1)*stride+dim), make([]int16, (dim+step-1)/step*step)
			most := int16(levels(dim))
			for i := range rows {
				rows[i] = byte(int8(r.IntN(2*quantised.Levels+1) - quantised.Levels))
			}
			for i := range query[:dim] {
				query[i] = int16(r.IntN(2*int(most)+1)) - most
			}
			if n == 3 { // the largest sums
				for i := range rows {
					rows[i] = byte(quantised.Levels)
				}
				for i := range query[:dim] {
					query[i] = most
				}
			}
			got, want := make([]int32, n), make([]int32, n)
			dots(got, rows, query, dim, stride)
			dotsPortable(want, rows, query, dim, stride)
			if !slices.Equal(got, want) {
				t.Fatalf("%d rows of %d: %v, want %v", n, dim, got, want)
			}
			if exact := int64(dim) * quantised.Levels * int64(most); n == 3 && int64(got[0]) != exact {
				t.Fatalf("dimension %d: the largest sum is %d, want %d", dim, got[0], exact)
			}
		}
	}
}

// The result is that of sorting all, with equal rows in their order, on any number of threads; and scores are
// cosines, as exact as 8 bits are.
func TestNearest(t *testing.T) {
	const rows, dim = 5000, 48
	data := random(rows*dim, 3)
	copy(data[4000*dim:], data[:1000*dim]) // equal ones
	clear(data[77*dim : 78*dim])
	m := New(data, dim)
	for _, n := range []int{1, 10, 3000, 6000} {
		vector := random(dim, uint64(n))
		q, err := newQuery(vector, dim)
		if err != nil {
			t.Fatal(err)
		}
		sums := make([]int32, rows)
		dotsPortable(sums, m.codes(0), q.codes, dim, Size(dim))
		want := make([]Hit, rows)
		for i, sum := range sums {
			want[i] = Hit{i, m.factor(i) * q.factor * float64(sum)}
			cos, a, b := 0.0, 0.0, 0.0
			for j, x := range data[i*dim : (i+1)*dim] {
				cos, a, b = cos+float64(x*vector[j]), a+float64(x*x), b+float64(vector[j]*vector[j])
			}
			if cos /= math.Max(math.Sqrt(a*b), 1e-30); math.Abs(cos-want[i].Score) > 0.01 {
				t.Fatalf("row %d: %v, want %v", i, want[i].Score, cos)
			}
		}
		slices.SortFunc(want, order)
		for _, threads := range []int{1, 5} {
			before := runtime.GOMAXPROCS(threads)
			got, err := m.Nearest(t.Context(), vector, n)
			runtime.GOMAXPROCS(before)
			if err != nil || !slices.Equal(got, want[:min(n, rows)]) {
				t.Fatalf("%d of %d rows, %d threads: %v, other hits", n, rows, threads, err)
			}
		}
	}
}

// grouped are rows in groups, as sentences are, with equal ones and one of zeros.
func grouped(rows, dim int) []float32 {
	const groups = 100
	r := rand.New(rand.NewPCG(5, 6))
	centres, data := random(groups*dim, 7), random(rows*dim, 8)
	for i := range rows {
		g := r.IntN(groups)
		for j := range dim {
			data[i*dim+j] = centres[g*dim+j] + 0.5*data[i*dim+j]
		}
	}
	copy(data[rows/2*dim:], data[:10*dim])
	clear(data[:dim])
	return data
}

// inParts makes lists of parts of so many rows.
func inParts(t *testing.T, m *Rows, partRows int) (sorted, table []byte) {
	t.Helper()
	g, err := NewGrouping(t.Context(), m, DefaultLists(m.Len()), partRows)
	if err != nil {
		t.Fatal(err)
	}
	table = g.Head()
	for part := range slices.Chunk(m.data, partRows*Size(m.dim)) {
		if sorted, table, err = g.Part(t.Context(), sorted, table, &Rows{m.dim, part}); err != nil {
			t.Fatal(err)
		}
	}
	return sorted, table
}

// With all lists the result is that of looking at all rows; with some it has most of it. Lists have the same bytes on
// any number of threads, and all rows in the order that they had.
func TestLists(t *testing.T) {
	const rows, dim, n, queries = 20_000, 32, 10, 50
	data := grouped(rows, dim)
	m := New(data, dim)
	sorted, table := inParts(t, m, 6000)
	before := runtime.GOMAXPROCS(5)
	again, tableAgain := inParts(t, m, 6000)
	runtime.GOMAXPROCS(before)
	if !bytes.Equal(sorted, again) || !bytes.Equal(table, tableAgain) {
		t.Error("other lists on other threads")
	}
	parts, err := OpenLists(sorted, table, dim)
	if err != nil {
		t.Fatal(err)
	}
	var restored []byte
	for i := range parts.Parts() {
		if restored, err = parts.Part(restored, i); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(restored, m.data) {
		t.Error("other rows in their order")
	}
	sorted, table = inParts(t, m, rows)
	one, err := OpenLists(sorted, table, dim)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []*Lists{one, parts} {
		found := 0
		for i := range queries {
			vector := data[(i+1)*100*dim : ((i+1)*100+1)*dim]
			want, errW := m.Nearest(t.Context(), vector, n)
			all, looked, errA := l.Nearest(t.Context(), vector, n, l.Len()+1)
			some, less, errS := l.Nearest(t.Context(), vector, n, DefaultProbes(l.Len()))
			if err := errors.Join(errW, errA, errS); err != nil || !slices.Equal(all, want) {
				t.Fatalf("%v: %v, want %v", err, all, want)
			}
			if looked != rows || less > rows/4 {
				t.Errorf("%d and %d rows are looked at", looked, less)
			}
			for _, hit := range some {
				if slices.Contains(want, hit) {
					found++
				}
			}
		}
		if recall := float64(found) / (n * queries); recall < 0.95 {
			t.Errorf("recall of %d: %.3f, with a 16th of %d lists", n, recall, l.Len())
		}
	}
	if _, err := NewGrouping(t.Context(), New(make([]float32, 40), 4), 2, 10); err == nil {
		t.Error("lists of zeros: no error")
	}
}

// Whatever byte of rows or table has changed, there is an error or the same answer, but for centroids, which whoever
// keeps the table has a checksum of.
func TestDamagedLists(t *testing.T) {
	const rows, dim = 1000, 8
	m := New(grouped(rows, dim), dim)
	sorted, table := inParts(t, m, 300)
	ask := func() (hits []Hit, err error) {
		l, err := OpenLists(sorted, table, dim)
		if err != nil {
			return nil, err
		}
		hits, _, err = l.Nearest(t.Context(), random(dim, 3), 5, l.Len())
		return hits, err
	}
	if _, err := ask(); err != nil {
		t.Fatal(err)
	}
	for i := range sorted {
		sorted[i] ^= 16
		if _, err := ask(); !errors.Is(err, ErrDamaged) {
			t.Fatalf("byte %d of the rows: %v", i, err)
		}
		sorted[i] ^= 16
	}
	for i := range table {
		table[i] ^= 16
		if hits, err := ask(); err != nil && !errors.Is(err, ErrDamaged) || err == nil && len(hits) != 5 {
			t.Fatalf("byte %d of the table: %v, %v", i, hits, err)
		}
		table[i] ^= 16
	}
	for _, end := range []int{0, 7, 8, 100, len(table) - 1} {
		if _, err := OpenLists(sorted, table[:end], dim); !errors.Is(err, ErrDamaged) {
			t.Errorf("a table of %d bytes: %v", end, err)
		}
	}
	if _, err := OpenLists(sorted, append(table, 0), dim); !errors.Is(err, ErrDamaged) {
		t.Errorf("a longer table: %v", err)
	}
}

func TestQueries(t *testing.T) {
	m := New(random(60, 1), 6)
	if _, err := m.Nearest(t.Context(), make([]float32, 5), 1); err == nil {
		t.Error("a short query: no error")
	}
	nan := []float32{1, 2, float32(math.NaN()), 0, 0, 0}
	if _, err := m.Nearest(t.Context(), nan, 1); err == nil {
		t.Error("a query with NaN: no error")
	}
	hits, err := m.Nearest(t.Context(), make([]float32, 6), 2)
	if err != nil || !slices.Equal(hits, []Hit{{0, 0}, {1, 0}}) {
		t.Errorf("the query 0: %v, %v", hits, err)
	}
	if hits, err := New(nil, 6).Nearest(t.Context(), make([]float32, 6), 2); err != nil || len(hits) > 0 {
		t.Errorf("no rows: %v, %v", hits, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Nearest(ended, make([]float32, 6), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

// BenchmarkNearest looks through a million rows of 300 numbers, and tells what part of the speed of reading memory
// that is, as bytes.Count on all threads reads it.
func BenchmarkNearest(b *testing.B) {
	const rows, dim = 1_000_000, 300
	data, some := make([]byte, 0, rows*Size(dim)), Encode(random(10_000*dim, 1), dim)
	for len(data) < rows*Size(dim) {
		data = append(data, some...)
	}
	m, err := NewRows(data, dim)
	if err != nil {
		b.Fatal(err)
	}
	query, size := random(dim, 2), float64(len(data))
	b.Run("rows", func(b *testing.B) {
		read := math.Inf(1)
		for range 3 {
			start := time.Now()
			var wg sync.WaitGroup
			for part := range slices.Chunk(data, len(data)/runtime.GOMAXPROCS(0)) {
				wg.Go(func() { bytes.Count(part, []byte{0x80}) })
			}
			wg.Wait()
			read = min(read, time.Since(start).Seconds())
		}
		b.ResetTimer()
		least := math.Inf(1)
		for b.Loop() {
			start := time.Now()
			if _, err := m.Nearest(b.Context(), query, 10); err != nil {
				b.Fatal(err)
			}
			least = min(least, time.Since(start).Seconds())
		}
		b.ReportMetric(size/least/1e9, "GB/s")
		b.ReportMetric(100*read/least, "%bandwidth")
	})
	b.Run("cached", func(b *testing.B) { // what the kernel takes where memory takes nothing
		q, err := newQuery(query, dim)
		if err != nil {
			b.Fatal(err)
		}
		sums := make([]int32, 400)
		for b.Loop() {
			dots(sums, m.codes(0), q.codes, dim, Size(dim))
		}
		b.ReportMetric(float64(len(sums)*Size(dim))/b.Elapsed().Seconds()*float64(b.N)/1e9, "GB/s")
	})
	b.Run("portable", func(b *testing.B) {
		q, err := newQuery(query, dim)
		if err != nil {
			b.Fatal(err)
		}
		sums := make([]int32, 10_000)
		for b.Loop() {
			dotsPortable(sums, m.codes(0), q.codes, dim, Size(dim))
		}
		b.ReportMetric(float64(len(sums)*dim)/b.Elapsed().Seconds()*float64(b.N)/1e9, "GB/s")
	})
}

func Example() {
	m := New([]float32{1, 0, 1, 1, -1, 0}, 2)
	hits, err := m.Nearest(context.Background(), []float32{1, 0.2}, 2)
	if err != nil {
		panic(err)
	}
	for _, hit := range hits {
		fmt.Printf("row %d: %.2f\n", hit.Row, hit.Score)
	}
	// Output:
	// row 0: 0.98
	// row 1: 0.83
}
