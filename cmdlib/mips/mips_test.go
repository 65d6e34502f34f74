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

// With all lists the result is that of looking at all rows; with some it has most of it, where rows are in groups as
// sentences are.
func TestLists(t *testing.T) {
	const rows, dim, groups, n, queries = 20_000, 32, 100, 10, 50
	r := rand.New(rand.NewPCG(5, 6))
	centres, data := random(groups*dim, 7), random(rows*dim, 8)
	for i := range rows {
		g := r.IntN(groups)
		for j := range dim {
			data[i*dim+j] = centres[g*dim+j] + 0.5*data[i*dim+j]
		}
	}
	clear(data[:dim])
	m := New(data, dim)
	l, err := NewLists(t.Context(), m, DefaultLists(rows), 1)
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for i := range queries {
		vector := data[(i+1)*100*dim : ((i+1)*100+1)*dim]
		want, errW := m.Nearest(t.Context(), vector, n)
		all, errA := l.Nearest(t.Context(), vector, n, l.Len())
		some, errS := l.Nearest(t.Context(), vector, n, l.Len()/16)
		if err := errors.Join(errW, errA, errS); err != nil || !slices.Equal(all, want) {
			t.Fatalf("%v: %v, want %v", err, all, want)
		}
		for _, hit := range some {
			if slices.Contains(want, hit) {
				found++
			}
		}
	}
	if recall := float64(found) / (n * queries); recall < 0.95 {
		t.Errorf("recall of %d: %.3f, with %d of %d lists", n, recall, l.Len()/16, l.Len())
	}
	if _, err := NewLists(t.Context(), New(make([]float32, 40), 4), 2, 1); err == nil {
		t.Error("lists of zeros: no error")
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
	data, some := make([]byte, 0, rows*Size(dim)), Append(nil, random(10_000*dim, 1), dim)
	for len(data) < rows*Size(dim) {
		data = append(data, some...)
	}
	m, err := Of(data, dim)
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
