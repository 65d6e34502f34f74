package gemm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random[T Float](rng *rand.Rand, rows, cols, extra int, transposed bool) Matrix[T] {
	m := Matrix[T]{Rows: rows, Cols: cols, Transposed: transposed}
	lines := rows
	m.Stride = cols + extra
	if transposed {
		lines, m.Stride = cols, rows+extra
	}
	m.Data = make([]T, lines*m.Stride)
	for i := range m.Data {
		m.Data[i] = T(rng.Float64() - 0.5)
	}
	return m
}

func (m Matrix[T]) at(i, j int) float64 {
	if m.Transposed {
		i, j = j, i
	}
	return float64(m.Data[i*m.Stride+j])
}

// both runs a test for either type.
func both(t *testing.T, narrow, wide func(*testing.T)) {
	t.Run("float32", narrow)
	t.Run("float64", wide)
}

// bound is the classic error bound of an inner product: k·ε·Σ|a||b| [Higham 2002, section
// 3.1], twice that for float64, where the sum to compare with has it too.
func naive[T Float](a, b Matrix[T], i, j int) (sum, bound float64) {
	for k := range a.Cols {
		x := a.at(i, k) * b.at(k, j)
		sum += x
		bound += math.Abs(x)
	}
	epsilon := 0x1p-23
	if size[T]() == 8 {
		epsilon = 0x1p-51
	}
	return sum, bound * float64(a.Cols+1) * epsilon
}

func TestMultiply(t *testing.T) { both(t, testMultiply[float32], testMultiply[float64]) }

func testMultiply[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, kernel := range kernels() {
		for _, s := range [][3]int{
			{1, 1, 1}, {2, 3, 1}, {14, 32, 64}, {15, 33, 7}, {13, 16, 100}, {29, 100, 5}, {130, 47, 600}, {113, 530, 20},
			{5, 17, 1030}, {3, 18, 4100}, {3, 4, 0},
		} {
			for _, transposed := range []bool{false, true} {
				m, n, k := s[0], s[1], s[2]
				b := random[T](rng, k, n, 1, transposed)
				p := pack(b, 0, kernel)
				stride := max(p.Padded, k) + 3
				a, c := random[T](rng, m, k, stride-k, false), random[T](rng, m, n, stride-n, false)
				before := slices.Clone(c.Data)
				p.Multiply(c.Data, a.Data, m, stride)
				for i := range m {
					for j := range n {
						want, bound := naive(a, b, i, j)
						if got := c.at(i, j); !(math.Abs(got-want) <= bound) {
							t.Fatalf("%s %v: C[%d,%d] = %v, want %v ± %v", kernel.isa, s, i, j, got, want, bound)
						}
					}
				}
				for i, x := range c.Data {
					if i%stride >= p.Padded && x != before[i] {
						t.Fatalf("%s %v: wrote outside C at %d", kernel.isa, s, i)
					}
				}
			}
		}
	}
}

// TestSameBits checks that rows multiplied alone, in any company and by any
// assembly kernel give the same bits.
func TestSameBits(t *testing.T) { both(t, testSameBits[float32], testSameBits[float64]) }

func testSameBits[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, k := range []int{1, 3, 50, 101} {
		n := k
		b := random[T](rng, k, n, 0, false)
		stride := (n+15)/16*16 + 16
		const rows = 31
		a, num, from := make([]T, rows*stride), make([]T, rows*stride), make([]T, rows*stride)
		for i := range a {
			a[i], num[i], from[i] = T(rng.Float64()), T(rng.IntN(3)), T(rng.Float64())
		}
		var want, wantLeast []T
		for _, kernel := range kernels() {
			if kernel == &portable {
				continue
			}
			p := pack(b, 1, kernel)
			for _, split := range []int{rows, 1, 7, 14, 16} {
				got, least := slices.Clone(from), make([]T, 16*rows)
				resetLeast(least)
				for r := 0; r < rows; r += split {
					h := min(split, rows-r)
					p.Quotient(Operands[T]{
						C: got[r*stride:], A: a[r*stride:], Num: num[r*stride:], Rows: h, Stride: stride,
						Least: least[16*r:], Add: true,
					})
				}
				if want == nil {
					want, wantLeast = got, least
				}
				if !slices.Equal(got, want) || !slices.Equal(least, wantLeast) {
					t.Errorf("%s: k = %d, %d rows at a time: other bits", kernel.isa, k, split)
				}
			}
		}
	}
}

func TestQuotient(t *testing.T) { both(t, testQuotient[float32], testQuotient[float64]) }

func testQuotient[T Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, kernel := range kernels() {
		for _, n := range []int{1, 5, 16, 33, 47, 64} {
			for rows := range 16 {
				const k = 9
				b := random[T](rng, k, n, 0, true)
				for i := range b.Data {
					b.Data[i] += 0.5
				}
				p := pack(b, 1, kernel)
				stride := p.Padded + 16
				buffer := func() []T {
					x := make([]T, rows*stride)
					for i := range x {
						x[i] = T(rng.Float64())
					}
					return x
				}
				a, num, c, product := buffer(), buffer(), buffer(), buffer()
				for r := range rows {
					num[r*stride+r%n] = 0
					clear(num[r*stride+n : (r+1)*stride])
				}
				if rows > 1 {
					clear(a[stride : 2*stride]) // a product of zeros
				}
				sum := slices.Clone(c)
				p.Multiply(product, a, rows, stride)
				p.MultiplyAdd(sum, a, rows, stride)
				for _, add := range []bool{false, true} {
					divisor := product
					if add {
						divisor = sum
					}
					got, least := slices.Clone(c), make([]T, 16*rows)
					resetLeast(least)
					p.Quotient(Operands[T]{C: got, A: a, Num: num, Rows: rows, Stride: stride, Least: least, Add: add})
					for r := range rows {
						low := T(math.Inf(1))
						for j := range n {
							i := r*stride + j
							if want := num[i] / max(divisor[i], Tiny[T]()); got[i] != want {
								t.Fatalf("%s n=%d rows=%d add=%v: (%d,%d) = %v, want %v", kernel.isa, n, rows, add, r, j, got[i], want)
							}
							if num[i] != 0 {
								low = min(low, divisor[i])
							}
						}
						if l := slices.Min(least[16*r:][:16]); l != low {
							t.Fatalf("%s n=%d rows=%d add=%v: least of row %d is %v, want %v", kernel.isa, n, rows, add, r, l, low)
						}
					}
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	m := func(r, c int) Matrix[float32] {
		return Matrix[float32]{Rows: r, Cols: c, Stride: c, Data: make([]float32, r*c)}
	}
	for name, f := range map[string]func(){
		"short":  func() { Pack(Matrix[float32]{Rows: 2, Cols: 2, Stride: 2, Data: make([]float32, 3)}, 0) },
		"stride": func() { Pack(Matrix[float32]{Rows: 1, Cols: 3, Stride: 2, Data: make([]float32, 3)}, 0) },
		"rows":   func() { Pack(m(4, 4), 0).Multiply(make([]float32, 16), make([]float32, 15), 2, 16) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f()
		})
	}
}

func BenchmarkPacked(b *testing.B) {
	b.Run("float32", benchmarkPacked[float32])
	b.Run("float64", benchmarkPacked[float64])
}

func benchmarkPacked[T Float](b *testing.B) {
	for _, kernel := range kernels() {
		for _, n := range []int{100, 300, 500} {
			b.Run(fmt.Sprintf("%s/%d", kernel.isa, n), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(5, 5))
				p := pack(random[T](rng, n, n, 0, false), 0, kernel)
				const rows = 70
				stride := p.Padded + 16
				x, y, num, least := make([]T, rows*stride), make([]T, rows*stride), make([]T, rows*stride), make([]T, rows*16)
				for i := range x {
					x[i], num[i] = T(rng.Float64()), T(rng.Float64())
				}
				for b.Loop() {
					p.Quotient(Operands[T]{C: y, A: x, Num: num, Rows: rows, Stride: stride, Least: least})
				}
				b.ReportMetric(2*rows*float64(n*n)*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GFLOP/s")
			})
		}
	}
}
