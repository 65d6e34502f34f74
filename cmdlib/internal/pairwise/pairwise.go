// Package pairwise compares each vector of one set with each of another, in float64, for the costs of small problems of
// transport.
package pairwise

import (
	"slices"
	"sync"
)

// Squares returns the squared Euclidean distances of n and m vectors of the same length, in the memory of to: n×m
// numbers in row-major order,
//
//	Σ_k (x_ik − y_jk)²
//
// Differences are of float32, squares are exact, and sums are in the order of k, whatever else is compared. So the same
// two vectors give the same bits, and 0 if they are equal.
func Squares(to []float64, x, y [][]float32) []float64 { return compare(to, x, y, squares) }

// Products returns the inner products Σ_k x_ik y_jk likewise.
func Products(to []float64, x, y [][]float32) []float64 { return compare(to, x, y, products) }

// Kernels compare the vectors of two panels, which have so many vectors, number by number of each.
const xPanel, yPanel = 4, 8

type sums [xPanel * yPanel]float64

// A kernel adds a comparison for n numbers of each vector.
type kernel func(s *sums, x, y []float32, n int)

// panels are used again: they would be most of what small problems allocate.
var panels = sync.Pool{New: func() any { return new([2][]float32) }}

func compare(to []float64, x, y [][]float32, add kernel) []float64 {
	to = slices.Grow(to[:0], len(x)*len(y))[:len(x)*len(y)]
	if len(to) == 0 {
		return to
	}
	n := len(x[0])
	if n == 0 {
		clear(to)
		return to
	}
	p := panels.Get().(*[2][]float32)
	defer panels.Put(p)
	p[0], p[1] = pack(p[0], x, n, xPanel), pack(p[1], y, n, yPanel)
	for i := 0; i < len(x); i += xPanel {
		for j := 0; j < len(y); j += yPanel {
			var s sums
			add(&s, p[0][i*n:], p[1][j*n:], n)
			for r := range min(xPanel, len(x)-i) {
				copy(to[(i+r)*len(y)+j:(i+r+1)*len(y)], s[r*yPanel:(r+1)*yPanel])
			}
		}
	}
	return to
}

// pack puts vectors side by side, so many in a panel, in the memory of to; the last panel has zeros behind them.
func pack(to []float32, vectors [][]float32, n, width int) []float32 {
	size := (len(vectors) + width - 1) / width * width * n
	to = slices.Grow(to[:0], size)[:size]
	clear(to[len(vectors)/width*width*n:])
	for i, v := range vectors {
		panel := to[i/width*width*n+i%width:]
		for k, x := range v[:n] {
			panel[k*width] = x
		}
	}
	return to
}

func squaresPortable(s *sums, x, y []float32, n int) {
	for k := range n {
		for r, a := range x[k*xPanel : (k+1)*xPanel] {
			for c, b := range y[k*yPanel : (k+1)*yPanel] {
				d := float64(a - b)
				s[r*yPanel+c] += float64(d * d)
			}
		}
	}
}

func productsPortable(s *sums, x, y []float32, n int) {
	for k := range n {
		for r, a := range x[k*xPanel : (k+1)*xPanel] {
			for c, b := range y[k*yPanel : (k+1)*yPanel] {
				s[r*yPanel+c] += float64(float64(a) * float64(b))
			}
		}
	}
}
