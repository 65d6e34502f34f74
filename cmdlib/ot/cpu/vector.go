package cpu

import (
	"math"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/internal/elementary"
)

// granule is what the lengths of all vectors are multiples of.
const granule = 16

// Bounds of the relative errors of the vector functions of float32 (TestLog2, TestExp2); that
// of log2 holds for |log2 x| ≥ 2^-30, nearer to 1 it is absolute: log2Error·2^-30.
const (
	log2Error = 3 * 0x1p-24
	exp2Error = 2 * 0x1p-24
)

// lanes is a sum or a minimum in 16 parts: element i counts in part i mod 16.
type lanes[T gemm.Float] [granule]T

func (l *lanes[T]) sum() float64 {
	var sum float64
	for _, x := range l {
		sum += float64(x)
	}
	return sum
}

// vector is the set of element-wise loops of one instruction set. Unless said
// otherwise, all slices of a call have the same length, a positive multiple of 16.
type vector[T gemm.Float] struct {
	// addLog2 adds weight·log2(max(x, tiny)), tiny the smallest normal number, to sum for each weight and its
	// row x of as many elements as sum, one row every stride elements, and keeps the minimum of all x in least.
	addLog2 func(sum, x []T, stride int, weights, least []T)
	// divideRows stores num/max(den, tiny) for the given number of rows of dst and den.
	divideRows func(dst, num, den []T, stride, rows int)
	// exp2 stores 2^x, 0 where that is not normal; x ≤ 127.
	exp2 func(dst, x []T)
	// gibbs stores 2^(rate·x), 0 where that is not normal, for x ≥ 0 and -1e30 < rate < -1e-30.
	gibbs func(dst, x []T, rate float64)
	// divide stores num/max(den, tiny) and keeps the minimum of den where num ≠ 0 in least.
	divide func(dst, num, den, least []T)
	// combine stores alpha·x + beta·y.
	combine func(dst, x []T, alpha T, y []T, beta T)
	// dot adds x·y to l.
	dot func(x, y []T, l *lanes[T])
	// relax stores relaxed(x, next, more) in x.
	relax func(x, next []T, more T)
}

// What takes next to none of a solve is Go. Sums of products are fused as in assembly: in float64, where products of
// float32 are exact.

// point stores s·z and returns the sum of x·y, taken in l and by halves.
func (v *vector[T]) point(dst, z []T, s T, x, y []T, l *lanes[T]) T {
	v.combine(dst, z, s, z, 0)
	*l = lanes[T]{}
	v.dot(x, y, l)
	for half := granule / 2; half > 0; half /= 2 {
		for i := range half {
			l[i] += l[i+half]
		}
	}
	return l[0]
}

// residual adds |v·d − b| to l.
func residual[T gemm.Float](v, d, b []T, l *lanes[T]) {
	d, b = d[:len(v)], b[:len(v)]
	for i, x := range v {
		l[uint(i)%granule] += T(math.Abs(float64(float64(x)*float64(d[i])) - float64(b[i])))
	}
}

// estimate replaces u by u·s and adds it to sum.
func estimate[T gemm.Float](u, s, sum []T) {
	s, sum = s[:len(u)], sum[:len(u)]
	for i, x := range u {
		u[i] = T(x * s[i])
		sum[i] += u[i]
	}
}

// deviate adds (r − mean)² to square.
func deviate[T gemm.Float](square, r, mean []T) {
	square, mean = square[:len(r)], mean[:len(r)]
	for i, x := range r {
		d := float64(x - mean[i])
		square[i] = T(float64(square[i]) + float64(d*d))
	}
}

// flushed is x as a T, or zero if that would not be normal.
func flushed[T gemm.Float](x float64) T {
	if x < float64(gemm.Tiny[T]()) {
		return 0
	}
	return T(x)
}

// relaxed is x·φ(next/x) of package overrelax with ω = 1 + more, which is 0 if next is.
func relaxed[T gemm.Float](x, next, more T) T {
	low, high := min(x, next), max(x, next)
	c := max(low, gemm.Tiny[T]()) + T(more/3*(high-low))
	return next * T((c+T(more*(high-x)))/(c+T(more*(high-next))))
}

// plain returns the loops in Go.
func plain[T gemm.Float]() *vector[T] {
	tiny := gemm.Tiny[T]()
	lowest := T(elementary.Log2(float64(tiny)))
	return &vector[T]{
		addLog2: func(sum, x []T, stride int, weights, least []T) {
			for r, weight := range weights {
				for i, x := range x[r*stride:][:len(sum)] {
					least[i%granule] = min(least[i%granule], x)
					sum[i] += T(weight * T(elementary.Log2(float64(max(x, tiny)))))
				}
			}
		},
		divideRows: func(dst, num, den []T, stride, rows int) {
			for r := range rows {
				to, by := dst[r*stride:], den[r*stride:]
				for i, x := range num {
					to[i] = x / max(by[i], tiny)
				}
			}
		},
		exp2: func(dst, x []T) {
			for i, x := range x {
				if x < lowest {
					dst[i] = 0
				} else {
					dst[i] = T(elementary.Exp2(float64(x)))
				}
			}
		},
		gibbs: func(dst, x []T, rate float64) {
			for i, x := range x {
				dst[i] = flushed[T](elementary.Exp2(float64(x) * rate))
			}
		},
		divide: func(dst, num, den, least []T) {
			for i, a := range num {
				d := den[i]
				if a != 0 {
					least[i%granule] = min(least[i%granule], d)
				}
				dst[i] = a / max(d, tiny)
			}
		},
		combine: func(dst, x []T, alpha T, y []T, beta T) {
			for i := range dst {
				dst[i] = T(alpha*x[i]) + T(beta*y[i])
			}
		},
		dot: func(x, y []T, l *lanes[T]) {
			for i := range x {
				l[i%granule] += T(x[i] * y[i])
			}
		},
		relax: func(x, next []T, more T) {
			for i, y := range next {
				x[i] = relaxed(x[i], y, more)
			}
		},
	}
}
