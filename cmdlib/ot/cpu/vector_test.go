package cpu

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"contextmover/cmdlib/internal/sgemm"
)

// infinite is what minima start from.
func infinite() *lanes {
	var l lanes
	for i := range l {
		l[i] = float32(math.Inf(1))
	}
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
	for _, isa := range sgemm.Supported() {
		got, least := make([]float32, n), infinite()
		vectors(isa).addLog2(got, x, 0, []float32{1}, least[:])
		var worst float64
		for i, x := range x {
			want := math.Log2(float64(max(x, tiny)))
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

func TestExp2(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 1 << 18
	x, got := make([]float32, n), make([]float32, n)
	for i := range x {
		x[i] = (rng.Float32() - 0.5) * 252 * float32(math.Exp2(-float64(rng.IntN(20))))
	}
	x[0], x[1], x[2], x[3], x[4] = 0, -126, -126.00001, -1000, 127
	for _, isa := range sgemm.Supported() {
		vectors(isa).exp2(got, x)
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
	for _, isa := range sgemm.Supported() {
		for _, rate := range []float64{-1e-29, -1 / math.Ln2, -1.3, -14.4269504, -1e4, -1e29} {
			vectors(isa).gibbs(got, x, rate)
			var worst float64
			for i, x := range x {
				want := math.Exp2(float64(x) * rate)
				if got[i] == 0 && want < 1.0001*tiny {
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

// TestVectors compares the loops with plain Go, and the assembly loops bit by bit
// with each other.
func TestVectors(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	type output struct{ data [][]float32 }
	for _, n := range []int{16, 32, 48, 160, 304} {
		x, y, z := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range x {
			x[i], y[i], z[i] = rng.Float32(), rng.Float32(), rng.Float32()
			if i%5 == 0 {
				x[i] = 0
			}
			if i%7 == 0 {
				y[i] = 0
			}
		}
		run := func(v *vector) output {
			var o output
			keep := func(s []float32) { o.data = append(o.data, slices.Clone(s)) }
			a, l := slices.Clone(z), infinite()
			v.addLog2(a[:16], y, 0, []float32{0.3}, l[:])
			v.addLog2(a[:16], y, n-16, []float32{0.3, 0.2}, l[:])
			v.addLog2(a, y, 0, []float32{0.1, 0.2, 0.3}, l[:])
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
			l = infinite()
			v.divide(a, x, y, l[:])
			keep(a)
			keep(l[:])
			v.combine(a, x, 0.7, y, 0.2)
			keep(a)
			total := v.point(a, x, 0.4, y, z)
			keep(a)
			keep([]float32{total})
			l = &lanes{}
			v.dot(x, z, l)
			keep(l[:])
			v.residual(x, y, z, l)
			keep(l[:])
			u, s := slices.Clone(x), slices.Clone(z)
			v.estimate(u, y, s)
			keep(u)
			keep(s)
			v.deviate(s, x, y)
			keep(s)
			u[1], s[1] = 1e-40, 1e30
			v.relax(u, s)
			keep(u)
			return o
		}
		want := run(&plain)
		var first output
		for _, isa := range sgemm.Supported() {
			got := run(vectors(isa))
			for i := range want.data {
				for j, w := range want.data[i] {
					g := got.data[i][j]
					if g != w && !(math.Abs(float64(g)-float64(w)) <= 1e-5*max(1, math.Abs(float64(w)))) {
						t.Fatalf("%s n=%d: output %d[%d] = %v, want %v", isa, n, i, j, g, w)
					}
				}
			}
			if isa == sgemm.Go {
				continue
			}
			if first.data == nil {
				first = got
			}
			for i := range first.data {
				if !slices.Equal(got.data[i], first.data[i]) {
					t.Errorf("%s n=%d: output %d has other bits", isa, n, i)
				}
			}
		}
	}
}
