// Package svd makes vectors from a sparse matrix by a truncated singular value
// decomposition.
//
// A ≈ U·diag(σ)·Vᵀ is found by the randomised range finder with power iterations of Halko, Martinsson and Tropp 2011
// (Finding structure with randomness, SIAM Review 53(2), algorithms 4.4 and 5.1). Row i of U·diag(σ)^p is the vector
// of row i of A. With A the positive pointwise mutual information of words and contexts these are word vectors. Levy,
// Goldberg and Dagan 2015 (Improving distributional similarity with lessons learned from word embeddings, TACL 3)
// call p the eigenvalue weighting.
package svd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/detach"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
	"contextmover/internal/setting"
)

// negligible is the ratio to the largest singular value from which on a singular
// value is told from the rounding of float32 products.
const negligible = 1e-5

// Params are the settings of Compute.
type Params struct {
	// Dim is the number of singular vectors, from 1 to the smaller side of the matrix.
	Dim int `toml:"dim" range:"1.."`
	// Oversampling is the number of random columns beyond Dim, at least 0; 10 to 20 are
	// usual. Dim + Oversampling beyond the smaller side of the matrix changes nothing
	// and is cut to it.
	Oversampling int `toml:"oversampling" range:"0.."`
	// PowerIterations is the number q of multiplications by A·Aᵀ, at least 0: the
	// range is that of (A·Aᵀ)^q·A·Ω. The slower the singular values fall, the more
	// are needed; 2 to 4 are usual.
	PowerIterations int `toml:"power_iterations" range:"0.."`
	// Exponent is p in U·diag(σ)^p, in [0, 1].
	Exponent float64 `toml:"exponent" range:"0..1"`
	// Seed determines Ω.
	Seed uint64 `toml:"-"`
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error { return setting.Check("svd", p) }

// Memory is about what Compute takes of memory for a matrix of so many rows and columns, in addition to m and its
// transposed copy. It covers the dense matrices of Dim+Oversampling columns, their Gram matrix, its factors and the
// parts that it is summed from.
func Memory(rows, columns int64, p Params) int64 {
	width := min(int64(p.Dim+p.Oversampling), rows, columns)
	return 12*max(rows, columns)*width + 8*width*width*(6+(max(rows, columns)+rowBlock-1)/rowBlock)
}

// Passes is what memory should hold, too, of a matrix on disk and its copy, so
// that each product reads it once, and its columns are sorted in few passes.
const Passes = 8 << 27

// Result is a truncated singular value decomposition.
type Result struct {
	// Vectors is U·diag(σ)^p, Rows×Dim, row-major. The entry of largest magnitude of each
	// column (the first one of several) is positive.
	Vectors []float32
	// Values are the Dim largest singular values in decreasing order. A value below
	// 1e-5 of the largest cannot be told from rounding: it is reported as 0, and
	// its column of Vectors is 0 as well (for every p). So a matrix of a rank below Dim
	// gets zero columns at the end.
	Values []float64
}

// Compute returns the Dim leading left singular vectors of m, scaled, and its
// singular values.
//
// It does 2q+2 products of m or its transpose with Dim+Oversampling columns, 2·NonZeros·(Dim+Oversampling) flop each.
// It holds one transposed copy of m, on m's disk if it has one (see Passes), and what Memory says. progress, which
// may be nil, is told the number of products done and their total.
//
// It returns an error if m breaks the invariants of its type, has no entry but zeros, or has an entry that is not a
// finite number. So it does if a parameter is out of its range, if σ^p overflows float32, or if ctx ends. The
// processors may then be busy for a while after it has returned. The result is the same for any number of processors.
func Compute(
	ctx context.Context, m *sparse.Matrix[float32], p Params, progress func(done, total int64),
) (*Result, error) {
	largest, err := check(m, p)
	if err != nil {
		return nil, err
	}
	// A power of two brings the entries near 1, so that neither products nor their
	// norms leave the range of float32.
	_, exponent := math.Frexp(largest)
	scale := math.Ldexp(1, min(max(-exponent, -100), 100))
	transposed, err := transpose(ctx, m)
	if err != nil {
		return nil, err
	}
	defer transposed.Free()

	columns := min(p.Dim+p.Oversampling, m.Rows, m.Cols)
	x, y := newTall(max(m.Rows, m.Cols), columns), newTall(max(m.Rows, m.Cols), columns)
	x.rows = m.Cols
	if err := gaussian(ctx, x, p.Seed); err != nil {
		return nil, err
	}

	// x is the basis, y takes its product, and back into x goes the basis of that.
	done, total := int64(0), int64(2*p.PowerIterations+2)
	step := func(a *sparse.Matrix[float32]) error {
		if err := multiply(ctx, y, float32(scale), a, x); err != nil {
			return err
		}
		done++
		if progress != nil {
			progress(done, total)
		}
		return nil
	}
	for i := range p.PowerIterations + 1 {
		if i > 0 {
			if err := step(transposed); err != nil {
				return nil, err
			}
			if err := orthonormalise(ctx, x, y); err != nil {
				return nil, err
			}
		}
		if err := step(m); err != nil {
			return nil, err
		}
		if err := orthonormalise(ctx, x, y); err != nil {
			return nil, err
		}
	}
	// Cholesky QR loses orthogonality with the condition of its input, and regains
	// it when repeated.
	x, y = y, x
	if err := orthonormalise(ctx, x, y); err != nil {
		return nil, err
	}

	// With B = Qᵀ·A: A ≈ Q·B, and B·Bᵀ = W·diag(σ²)·Wᵀ gives U = Q·W.
	if err := step(transposed); err != nil {
		return nil, err
	}
	g, err := gram(ctx, y)
	if err != nil {
		return nil, err
	}
	var result *Result
	var failed error
	if err := detach.Run(ctx, func() {
		values, w, err := rotation(g, scale, p)
		if err != nil {
			failed = err
			return
		}
		y.product(x, w)
		fixSigns(y)
		result = &Result{Vectors: make([]float32, 0, m.Rows*p.Dim), Values: values}
		for i := range m.Rows {
			result.Vectors = append(result.Vectors, y.row(i)...)
		}
	}); err != nil {
		return nil, err
	}
	return result, failed
}

// check returns the largest magnitude of an entry of m.
func check(m *sparse.Matrix[float32], p Params) (largest float64, err error) {
	if err := p.Validate(); err != nil {
		return 0, err
	}
	switch {
	case m.Rows < 1 || m.Cols < 1:
		return 0, fmt.Errorf("svd: the matrix is empty (%d×%d)", m.Rows, m.Cols)
	case p.Dim > min(m.Rows, m.Cols):
		return 0, fmt.Errorf("svd: dimension %d of a %d×%d matrix, expected at most %d",
			p.Dim, m.Rows, m.Cols, min(m.Rows, m.Cols))
	}
	if err := m.Validate(); err != nil {
		return 0, fmt.Errorf("svd: %w", err)
	}
	for i := range m.Rows {
		index, value := m.Row(i)
		for e, v := range value {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return 0, fmt.Errorf("svd: the entry in row %d, column %d is %v, expected a finite number",
					i, index[e], v)
			}
			largest = max(largest, math.Abs(float64(v)))
		}
	}
	if largest == 0 {
		return 0, fmt.Errorf("svd: the %d×%d matrix has no non-zero entry", m.Rows, m.Cols)
	}
	return largest, nil
}

// gaussian fills x with independent standard normal numbers.
func gaussian(ctx context.Context, x *tall, seed uint64) error {
	return parallel.Blocks(ctx, x.rows, rowBlock, func(lo, hi int) error {
		random := rand.New(rand.NewPCG(seed, uint64(lo)))
		for i := lo; i < hi; i++ {
			row := x.row(i)
			for j := range row {
				row[j] = float32(random.NormFloat64())
			}
		}
		return nil
	})
}

// rotation takes B·Bᵀ of a matrix multiplied by scale and returns the singular values
// and W·diag(σ)^p, the first p.Dim columns, with zeros where the rank ends.
func rotation(g *mat.SymDense, scale float64, p Params) ([]float64, *mat.Dense, error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(g, true) {
		return nil, nil, errors.New("svd: the eigenvalues of the reduced matrix did not converge")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	squares := eigen.Values(nil) // in increasing order

	n := len(squares)
	values := make([]float64, p.Dim)
	w := mat.NewDense(n, p.Dim, nil)
	for j := range min(n, p.Dim) {
		square := squares[n-1-j]
		if square <= 0 || square < negligible*negligible*squares[n-1] {
			break
		}
		values[j] = math.Sqrt(square) / scale
		weight := elementary.Pow(values[j], p.Exponent)
		if weight > math.MaxFloat32 {
			return nil, nil, fmt.Errorf("svd: singular value %v to the power %v overflows float32; scale the matrix "+
				"down", values[j], p.Exponent)
		}
		for i := range n {
			w.Set(i, j, weight*vectors.At(i, n-1-j))
		}
	}
	return values, w, nil
}

// fixSigns makes the entry of largest magnitude of each column positive.
func fixSigns(x *tall) {
	largest := make([]float32, x.cols)
	for i := range x.rows {
		for j, v := range x.row(i) {
			if math.Abs(float64(v)) > math.Abs(float64(largest[j])) {
				largest[j] = v
			}
		}
	}
	for i := range x.rows {
		row := x.row(i)
		for j := range row {
			if largest[j] < 0 {
				row[j] = -row[j]
			}
		}
	}
}
