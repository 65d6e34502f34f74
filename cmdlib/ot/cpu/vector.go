package cpu

import "math"

// granule is what the lengths of all vectors are multiples of.
const granule = 16

// tiny is the smallest normal float32.
const tiny = 0x1p-126

// Bounds of the relative errors of the vector functions (TestLog2, TestExp2); that
// of log2 holds for |log2 x| ≥ 2^-30, nearer to 1 it is absolute: log2Error·2^-30.
const (
	log2Error = 3 * 0x1p-24
	exp2Error = 2 * 0x1p-24
)

// lanes is a sum or a minimum in 16 parts: element i counts in part i mod 16.
type lanes [granule]float32

func (l *lanes) sum() float64 {
	var sum float64
	for _, x := range l {
		sum += float64(x)
	}
	return sum
}

// vector is the set of element-wise loops of one instruction set. Unless said
// otherwise, all slices of a call have the same length, a positive multiple of 16.
type vector struct {
	// addLog2 adds weight·log2(max(x, tiny)) to sum for each weight and its row x of as
	// many elements as sum, one row every stride elements, and keeps the minimum of all x in least.
	addLog2 func(sum, x []float32, stride int, weights, least []float32)
	// divideRows stores num/max(den, tiny) for the given number of rows of dst and den.
	divideRows func(dst, num, den []float32, stride, rows int)
	// exp2 stores 2^x, 0 for x < −126; x ≤ 127.
	exp2 func(dst, x []float32)
	// gibbs stores 2^(rate·x), 0 below 2^-126, for x ≥ 0 and -1e30 < rate < -1e-30.
	gibbs func(dst, x []float32, rate float64)
	// divide stores num/max(den, tiny) and keeps the minimum of den where num ≠ 0 in least.
	divide func(dst, num, den, least []float32)
	// combine stores alpha·x + beta·y.
	combine func(dst, x []float32, alpha float32, y []float32, beta float32)
	// point stores s·z and returns the sum of x·y, taken in 16 lanes and by halves.
	point func(dst, z []float32, s float32, x, y []float32) float32
	// dot adds x·y to l.
	dot func(x, y []float32, l *lanes)
	// residual adds |v·d − b| to l.
	residual func(v, d, b []float32, l *lanes)
	// estimate replaces u by u·s and adds it to sum.
	estimate func(u, s, sum []float32)
	// relax stores next·min(√(next/x), 4) in x, 0 where next is 0.
	relax func(x, next []float32)
	// deviate adds (r − mean)² to square.
	deviate func(square, r, mean []float32)
}

// flushed is x as a float32, or zero if that would not be normal.
func flushed(x float64) float32 {
	if x < tiny {
		return 0
	}
	return float32(x)
}

// relaxed is next·min(√(next/x), 4), 0 if next is 0.
func relaxed(x, next float32) float32 {
	if next == 0 {
		return 0
	}
	return next * min(float32(math.Sqrt(float64(next/x))), 4)
}

var plain = vector{
	addLog2: func(sum, x []float32, stride int, weights, least []float32) {
		for r, weight := range weights {
			for i, x := range x[r*stride:][:len(sum)] {
				least[i%granule] = min(least[i%granule], x)
				sum[i] += weight * float32(math.Log2(float64(max(x, tiny))))
			}
		}
	},
	divideRows: func(dst, num, den []float32, stride, rows int) {
		for r := range rows {
			to, by := dst[r*stride:], den[r*stride:]
			for i, x := range num {
				to[i] = x / max(by[i], tiny)
			}
		}
	},
	exp2: func(dst, x []float32) {
		for i, x := range x {
			if x < -126 {
				dst[i] = 0
			} else {
				dst[i] = float32(math.Exp2(float64(x)))
			}
		}
	},
	gibbs: func(dst, x []float32, rate float64) {
		for i, x := range x {
			dst[i] = flushed(math.Exp2(float64(x) * rate))
		}
	},
	divide: func(dst, num, den, least []float32) {
		for i, a := range num {
			d := den[i]
			if a != 0 {
				least[i%granule] = min(least[i%granule], d)
			}
			dst[i] = a / max(d, tiny)
		}
	},
	combine: func(dst, x []float32, alpha float32, y []float32, beta float32) {
		for i := range dst {
			dst[i] = alpha*x[i] + beta*y[i]
		}
	},
	point: func(dst, z []float32, s float32, x, y []float32) float32 {
		var l lanes
		for i := range dst {
			dst[i] = s * z[i]
			l[i%granule] += x[i] * y[i]
		}
		for half := granule / 2; half > 0; half /= 2 {
			for i := range half {
				l[i] += l[i+half]
			}
		}
		return l[0]
	},
	dot: func(x, y []float32, l *lanes) {
		for i := range x {
			l[i%granule] += x[i] * y[i]
		}
	},
	residual: func(v, d, b []float32, l *lanes) {
		for i := range v {
			x := float64(v[i])*float64(d[i]) - float64(b[i])
			l[i%granule] += float32(math.Abs(x))
		}
	},
	estimate: func(u, s, sum []float32) {
		for i := range u {
			u[i] *= s[i]
			sum[i] += u[i]
		}
	},
	relax: func(x, next []float32) {
		for i, y := range next {
			x[i] = relaxed(x[i], y)
		}
	},
	deviate: func(square, r, mean []float32) {
		for i := range r {
			d := r[i] - mean[i]
			square[i] += d * d
		}
	},
}
