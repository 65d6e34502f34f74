package sentence

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/internal/parallel"
)

// removeFirstDirection subtracts from each row of x (n×dim) its projection on the
// first right singular vector of x. A row along that vector becomes exactly zero.
func removeFirstDirection(ctx context.Context, x []float64, dim int) error {
	u, err := firstDirection(ctx, x, dim)
	if err != nil || u == nil {
		return err
	}
	for lo := 0; lo < len(x); lo += dim {
		row := x[lo : lo+dim]
		before := floats.Norm(row, 2)
		floats.AddScaled(row, -floats.Dot(row, u), u)
		// What is left of a row along u is its rounding error, whose direction means nothing.
		if floats.Norm(row, 2) <= 1e-12*before {
			clear(row)
		}
	}
	return nil
}

// firstDirection returns the first right singular vector of x (n×dim), of length
// 1: the direction u that maximises ‖x·u‖. Where several do, it is one of them. It
// is nil if x is all zeros.
func firstDirection(ctx context.Context, x []float64, dim int) ([]float64, error) {
	n := len(x) / dim
	// The Gram matrices x·xᵀ and xᵀ·x have the same eigenvalues; the smaller will do.
	if n >= dim {
		g, err := gram(ctx, x, dim)
		if err != nil {
			return nil, err
		}
		return topEigenvector(g, dim), nil
	}
	transposed := make([]float64, len(x))
	for i := range n {
		for j := range dim {
			transposed[j*n+i] = x[i*dim+j]
		}
	}
	g, err := gram(ctx, transposed, n)
	if err != nil {
		return nil, err
	}
	left := topEigenvector(g, n)
	if left == nil {
		return nil, nil
	}
	u := make([]float64, dim)
	for i, w := range left {
		floats.AddScaled(u, w, x[i*dim:(i+1)*dim])
	}
	floats.Scale(1/floats.Norm(u, 2), u)
	return u, nil
}

// gram returns xᵀ·x (dim×dim) of the rows of x.
func gram(ctx context.Context, x []float64, dim int) ([]float64, error) {
	g := make([]float64, dim*dim)
	// A block of g stays in cache while the rows of x go by.
	err := parallel.Blocks(ctx, dim, 16, func(lo, hi int) error {
		for row := 0; row < len(x); row += dim {
			for i := lo; i < hi; i++ {
				if w := x[row+i]; w != 0 {
					floats.AddScaled(g[i*dim+i:(i+1)*dim], w, x[row+i:row+dim])
				}
			}
		}
		return nil
	})
	for i := range dim {
		for j := range i {
			g[i*dim+j] = g[j*dim+i]
		}
	}
	return g, err
}

// topEigenvector returns a unit eigenvector of the largest eigenvalue of a
// symmetric positive semi-definite matrix g (n×n), or nil if g is zero.
func topEigenvector(g []float64, n int) []float64 {
	const (
		// A residual at the level of rounding: the direction cannot be had better.
		tolerance = 1e-13
		// Enough where the second eigenvalue is at most 0.95 of the first. Closer ones
		// are left to a full decomposition, which costs about 2,000 of these products.
		iterations = 600
	)
	largest := 0.0
	for i := range n {
		largest = max(largest, g[i*n+i])
	}
	if largest == 0 {
		return nil
	}
	// A start in general position, so that it is orthogonal to no eigenvector.
	random := rand.New(rand.NewPCG(0, 0))
	u, next := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = random.NormFloat64()
	}
	floats.Scale(1/floats.Norm(u, 2), u)
	for range iterations {
		for i := range next {
			next[i] = floats.Dot(g[i*n:(i+1)*n], u)
		}
		value := floats.Dot(next, u)
		norm := floats.Norm(next, 2)
		if norm == 0 {
			break
		}
		residual := 0.0
		for i := range next {
			r := next[i] - value*u[i]
			residual += r * r
		}
		floats.ScaleTo(u, 1/norm, next)
		if math.Sqrt(residual) <= tolerance*value {
			return u
		}
	}
	var eigen mat.EigenSym
	if eigen.Factorize(mat.NewSymDense(n, g), true) {
		var vectors mat.Dense
		eigen.VectorsTo(&vectors)
		return mat.Col(nil, n-1, &vectors)
	}
	return u
}
