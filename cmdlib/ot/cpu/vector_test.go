package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/internal/golden"
)

// infinite is what minima start from.
func infinite[T gemm.Float]() *lanes[T] {
	var l lanes[T]
	fill(l[:], infinity[T]())
	return &l
}

// TestLog2 checks the documented error on all exponents and around 1.
func TestLog2(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 1 << 18
	x := make([]float32, n)
	for i := range x {
		switch i % 3 {
		case 0:
			x[i] = math.Float32frombits(0x00800000 + rng.Uint32N(0x7f800000-0x00800000))
		case 1:
			x[i] = 1 + (rng.Float32()-0.5)*float32(math.Exp2(-float64(rng.IntN(20))))
		case 2:
			x[i] = rng.Float32()
		}
	}
	x[0], x[1], x[2], x[3], x[4] = 0, 1e-45, 1, 0.5, 0.70710677
	for _, isa := range gemm.Supported() {
		got, least := make([]float32, n), infinite[float32]()
		narrowVectors(isa).addLog2(got, x, 0, []float32{1}, least[:])
		var worst float64
		for i, x := range x {
			want := math.Log2(float64(max(x, gemm.Tiny[float32]())))
			worst = max(worst, math.Abs(float64(got[i])-want)/max(math.Abs(want), 0x1p-30))
			if x == 1 && got[i] != 0 {
				t.Errorf("%s: log2(1) = %v", isa, got[i])
			}
		}
		t.Logf("%s: relative error of log2 %.2f·2⁻²⁴", isa, worst*0x1p24)
		if worst > log2Error {
			t.Errorf("%s: log2 has a relative error of %g, want at most %g", isa, worst, log2Error)
		}
		if l := slices.Min(least[:]); l != 0 {
			t.Errorf("%s: least is %v, want 0", isa, l)
		}
	}
}

// TestWideLog2 checks that the logarithms of float64 are off by at most 2⁻²³: less than float32's
// of numbers beyond 1/4 and 4.
func TestWideLog2(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 1 << 18
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Float64frombits(0x0010000000000000 + rng.Uint64N(0x7fe0000000000000))
		if i%2 == 0 {
			x[i] = 1 + (rng.Float64()-0.5)*math.Exp2(-float64(rng.IntN(60)))
		}
	}
	x[0], x[1], x[2], x[3], x[4] = 0, 5e-324, 1, math.Sqrt2/2, 0x1p-1022
	for _, isa := range gemm.Supported() {
		got, least := make([]float64, n), infinite[float64]()
		wideVectors(isa).addLog2(got, x, 0, []float64{1}, least[:])
		var worst float64
		for i, x := range x {
			worst = max(worst, math.Abs(got[i]-math.Log2(max(x, 0x1p-1022))))
		}
		t.Logf("%s: error of log2 %.2f·2⁻²⁴", isa, worst*0x1p24)
		if !(worst <= 0x1p-23) || got[2] != 0 {
			t.Errorf("%s: log2 is off by %g, of 1 by %g", isa, worst, got[2])
		}
		if l := slices.Min(least[:]); l != 0 {
			t.Errorf("%s: least is %v, want 0", isa, l)
		}
	}
}

func TestExp2(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 1 << 18
	x, got := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = (rng.Float32() - 0.5) * 252 * float32(math.Exp2(-float64(rng.IntN(20))))
	}
	x[0], x[1], x[2], x[3], x[4] = 0, -126, -126.00001, -1000, 127
	for _, isa := range gemm.Supported() {
		narrowVectors(isa).exp2(got, x)
		var worst float64
		for i, x := range x {
			want := math.Exp2(float64(x))
			if x < -126 {
				if got[i] != 0 {
					t.Errorf("%s: 2^%v = %v, want 0", isa, x, got[i])
				}
				continue
			}
			worst = max(worst, math.Abs(float64(got[i])-want)/want)
		}
		t.Logf("%s: relative error of exp2 %.2f·2⁻²⁴", isa, worst*0x1p24)
		if worst > exp2Error {
			t.Errorf("%s: exp2 has a relative error of %g, want at most %g", isa, worst, exp2Error)
		}
	}
}

// TestGibbs checks that the rounding of the exponent does not count.
func TestGibbs(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 1 << 16
	x, got := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = 30 * rng.Float32() * float32(math.Exp2(-float64(rng.IntN(30))))
	}
	x[0], x[1] = 0, 1e30
	for _, isa := range gemm.Supported() {
		for _, rate := range []float64{-1e-29, -1 / math.Ln2, -1.3, -14.4269504, -1e4, -1e29} {
			narrowVectors(isa).gibbs(got, x, rate)
			var worst float64
			for i, x := range x {
				want := math.Exp2(float64(x) * rate)
				if got[i] == 0 && want < 1.0001*0x1p-126 {
					continue
				}
				worst = max(worst, math.Abs(float64(got[i])-want)/want)
			}
			if !(worst <= exp2Error) {
				t.Errorf("%s rate %v: relative error %g, want at most %g", isa, rate, worst, exp2Error)
			}
		}
	}
}

// TestVectors compares the loops with plain Go, and the assembly loops bit by bit with each other and with the golden
// file, which has the bits of amd64 and arm64.
func TestVectors(t *testing.T) {
	t.Run("float32", testVectors[float32])
	t.Run("float64", testVectors[float64])
}

func testVectors[T gemm.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	type output struct{ data [][]T }
	var bits golden.Bits
	for _, n := range []int{16, 32, 48, 160, 304} {
		x, y, z := make([]T, n), make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i], z[i] = T(rng.Float64()), T(rng.Float64()), T(rng.Float64())
			if i%5 == 0 {
				x[i] = 0
			}
			if i%7 == 0 {
				y[i] = 0
			}
		}
		run := func(v *vector[T]) output {
			var o output
			keep := func(s []T) { o.data = append(o.data, slices.Clone(s)) }
			a, l := slices.Clone(z), infinite[T]()
			v.addLog2(a[:16], y, 0, []T{0.3}, l[:])
			v.addLog2(a[:16], y, n-16, []T{0.3, 0.2}, l[:])
			v.addLog2(a, y, 0, []T{0.1, 0.2, 0.3}, l[:])
			keep(a)
			v.divideRows(a, x[:16], y, n-16, 2)
			keep(a)
			v.divideRows(a, x, z, 0, 1)
			keep(a)
			keep(l[:])
			v.exp2(a, z)
			keep(a)
			v.gibbs(a, z, -2.3)
			keep(a)
			l = infinite[T]()
			v.divide(a, x, y, l[:])
			keep(a)
			keep(l[:])
			v.combine(a, x, 0.7, y, 0.2)
			keep(a)
			total := v.point(a, x, 0.4, y, z, &lanes[T]{})
			keep(a)
			keep([]T{total})
			l = &lanes[T]{}
			v.dot(x, z, l)
			keep(l[:])
			residual(x, y, z, l)
			keep(l[:])
			u, s := slices.Clone(x), slices.Clone(z)
			estimate(u, y, s)
			keep(u)
			keep(s)
			deviate(s, x, y)
			keep(s)
			u[1], s[1] = 1e-40, 1e30
			v.relax(u, s, 0.875)
			keep(u)
			return o
		}
		want := run(plain[T]())
		var first output
		for _, isa := range gemm.Supported() {
			got := run(vectors[T](isa))
			for i := range want.data {
				for j, w := range want.data[i] {
					g := got.data[i][j]
					if g != w && !(math.Abs(float64(g)-float64(w)) <= 1e-5*max(1, math.Abs(float64(w)))) {
						t.Fatalf("%s n=%d: output %d[%d] = %v, want %v", isa, n, i, j, g, w)
					}
				}
			}
			if isa == gemm.Go {
				continue
			}
			if first.data == nil {
				first = got
				for i, x := range got.data {
					bits.Add(t, fmt.Sprintf("n=%d output %d", n, i), x)
				}
			}
			for i := range first.data {
				if !slices.Equal(got.data[i], first.data[i]) {
					t.Errorf("%s n=%d: output %d has other bits", isa, n, i)
				}
			}
		}
	}
	if gemm.Supported()[0] != gemm.Go {
		bits.Check(t, fmt.Sprintf("testdata/loops%d.txt", 8*unsafe.Sizeof(T(0))))
	}
}
