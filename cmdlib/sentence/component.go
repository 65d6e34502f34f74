package sentence

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"contextmover/internal/parallel"
)

// Components are principal components that are removed from points.
type Components struct {
	// Directions are v_1 … v_m, each of length 1.
	Directions [][]float64
	// Shares are what is removed of each, 0 to 1.
	Shares []float64
}

// FitComponents returns the first m ≥ 0 right singular vectors v_i of x (n×dim),
// which is not centred, with shares in the sum of their squared singular values,
//
//	σ_i² / (σ_1² + … + σ_m²)
//
// which is 1 of one alone [Ethayarajh 2018]. There are fewer where x has fewer that are not 0.
func FitComponents(ctx context.Context, x []float64, dim, m int) (*Components, error) {
	c := new(Components)
	if m == 0 {
		return c, ctx.Err()
	}
	g, n, err := smallGram(ctx, x, dim)
	if err != nil {
		return nil, err
	}
	squares, vectors := []float64{1}, [][]float64{nil}
	if m > 1 {
		squares, vectors = largest(mat.NewSymDense(n, g), min(m, n))
	} else if vectors[0] = topEigenvector(g, n); vectors[0] == nil {
		return c, nil
	}
	total := floats.Sum(squares)
	if total <= 0 {
		return c, nil
	}
	for i, v := range vectors {
		if u := rightVector(x, dim, v); u != nil {
			c.Directions, c.Shares = append(c.Directions, u), append(c.Shares, squares[i]/total)
		}
	}
	return c, nil
}

// Remove makes of a point x
//
//	x − Σ_i share_i (x·v_i) v_i
//
// and returns the products x·v_i, in dots if that has room for them. What is left of a point in the span of components
// that are removed as a whole is its rounding error, whose direction means nothing: it becomes exactly zero.
func (c *Components) Remove(x, dots []float64) []float64 {
	dots = dots[:0]
	before := floats.Dot(x, x)
	for _, u := range c.Directions {
		dots = append(dots, floats.Dot(x, u))
	}
	for i, u := range c.Directions {
		floats.AddScaled(x, -c.Shares[i]*dots[i], u)
	}
	if len(dots) > 0 && floats.Dot(x, x) <= 1e-24*before {
		clear(x)
	}
	return dots
}

// removeDirections removes from each row of x (n×dim) the first m components of x.
func removeDirections(ctx context.Context, x []float64, dim, m int) error {
	c, err := FitComponents(ctx, x, dim, m)
	if err == nil {
		c.removeAll(x, dim)
	}
	return err
}

// removeAll makes Remove of each row of x (n×dim).
func (c *Components) removeAll(x []float64, dim int) {
	var dots []float64
	for lo := 0; lo < len(x); lo += dim {
		dots = c.Remove(x[lo:lo+dim], dots)
	}
}

// smallGram returns the smaller of the Gram matrices xᵀ·x and x·xᵀ of x (n×dim),
// which have the same eigenvalues but for zeros, and its number of rows.
func smallGram(ctx context.Context, x []float64, dim int) ([]float64, int, error) {
	n := len(x) / dim
	if n >= dim {
		g, err := gram(ctx, x, dim)
		return g, dim, err
	}
	transposed := make([]float64, len(x))
	for i := range n {
		for j := range dim {
			transposed[j*n+i] = x[i*dim+j]
		}
	}
	g, err := gram(ctx, transposed, n)
	return g, n, err
}

// rightVector returns the right singular vector of x (n×dim) that belongs
// to an eigenvector of its smallGram, nil if its singular value is 0.
func rightVector(x []float64, dim int, v []float64) []float64 {
	if len(x)/dim >= dim {
		return v
	}
	u := make([]float64, dim)
	for i, w := range v {
		floats.AddScaled(u, w, x[i*dim:(i+1)*dim])
	}
	norm := floats.Norm(u, 2)
	if norm == 0 {
		return nil
	}
	floats.Scale(1/norm, u)
	return u
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
	most := 0.0
	for i := range n {
		most = max(most, g[i*n+i])
	}
	if most == 0 {
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
			r := next[i] - float64(value*u[i])
			residual += float64(r * r)
		}
		floats.ScaleTo(u, 1/norm, next)
		if math.Sqrt(residual) <= tolerance*value {
			return u
		}
	}
	if _, vectors := largest(mat.NewSymDense(n, g), 1); vectors != nil {
		return vectors[0]
	}
	return u
}

// largest returns the m largest eigenvalues of a, which are not negative but for rounding,
// and their unit vectors; nil if the decomposition fails, which it does of infinite numbers.
func largest(a *mat.SymDense, m int) (values []float64, vectors [][]float64) {
	var eigen mat.EigenSym
	if !eigen.Factorize(a, true) {
		return nil, nil
	}
	var all mat.Dense
	eigen.VectorsTo(&all)
	ascending := eigen.Values(nil)
	for j := range m {
		at := len(ascending) - 1 - j
		values, vectors = append(values, max(0, ascending[at])), append(vectors, mat.Col(nil, at, &all))
	}
	return values, vectors
}
