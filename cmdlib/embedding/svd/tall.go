package svd

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/internal/detach"
	"contextmover/internal/parallel"
)

// rowBlock is the number of rows of a tall matrix that are handled at once. It
// fixes the order of sums, so a change of it changes results.
const rowBlock = 2048

// productRows is the number of rows that are multiplied at once, few enough to stay in the second cache.
const productRows = 56

// tall is a dense matrix of many rows and few columns, row-major. Entries between
// cols and stride have no meaning.
type tall struct {
	rows, cols, stride int
	data               []float32
}

// newTall returns a matrix whose stride is a whole number of strips.
func newTall(rows, cols int) *tall {
	stride := (cols + stripWidth - 1) / stripWidth * stripWidth
	return &tall{rows, cols, stride, make([]float32, rows*stride)}
}

func (x *tall) row(i int) []float32 { return x.data[i*x.stride : i*x.stride+x.cols] }

// product sets x to y·b; both have the same stride.
func (x *tall) product(y *tall, b *mat.Dense) {
	x.rows = y.rows
	_, x.cols = b.Dims()
	factor := gemm.Matrix[float32]{Rows: y.cols, Cols: x.cols, Stride: x.cols, Data: make([]float32, y.cols*x.cols)}
	for i := range y.cols {
		for j := range x.cols {
			factor.Data[i*x.cols+j] = float32(b.At(i, j))
		}
	}
	packed := gemm.Pack(factor, 0)
	_ = parallel.Blocks(context.Background(), y.rows, productRows, func(lo, hi int) error {
		packed.Multiply(x.data[lo*x.stride:], y.data[lo*x.stride:], hi-lo, x.stride)
		return nil
	})
}

// orthonormalise overwrites q with columns that span the column space of y:
// q = y·Π·D·R⁻¹, where Rᵀ·R is the pivoted Cholesky factorisation of the Gram
// matrix of y's columns scaled (D) to norm 1. Columns that depend on
// the earlier ones up to rounding are left out, so that q may have fewer columns than y.
//
// q loses orthogonality with the square root of the condition of the scaled Gram
// matrix times the precision of float32; a second pass restores it (Y. Yamamoto et al.,
// Roundoff error analysis of the CholeskyQR2 algorithm, ETNA 44, 2015).
func orthonormalise(ctx context.Context, q, y *tall) error {
	g, err := gram(ctx, y)
	if err != nil {
		return err
	}
	n := y.cols
	scale := make([]float64, n)
	for i := range n {
		if d := g.At(i, i); d > 0 {
			scale[i] = 1 / math.Sqrt(d)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			g.SetSym(i, j, g.At(i, j)*scale[i]*scale[j])
		}
	}

	var failed error
	if err := detach.Run(ctx, func() {
		var cholesky mat.PivotedCholesky
		cholesky.Factorize(g, negligible*negligible/100)
		rank := cholesky.Rank()
		var r, inverse mat.TriDense
		cholesky.UTo(&r)
		leading := r.SliceTri(0, rank).(*mat.TriDense)
		// An ill-conditioned R is no reason to stop: the space is right, and the next pass mends the rest.
		if err := inverse.InverseTri(leading); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				failed = fmt.Errorf("svd: %w", err)
				return
			}
		}
		b := mat.NewDense(n, rank, nil)
		for i, column := range cholesky.ColumnPivots(nil)[:rank] {
			for j := i; j < rank; j++ {
				b.Set(column, j, scale[column]*inverse.At(i, j))
			}
		}
		q.product(y, b)
	}); err != nil {
		return err
	}
	return failed
}

// gram returns yᵀ·y. Products and sums are in float64.
func gram(ctx context.Context, y *tall) (*mat.SymDense, error) {
	n := y.cols
	panels := (n + panelWidth - 1) / panelWidth
	width := panels * panelWidth
	blocks := make([][]float64, (y.rows+rowBlock-1)/rowBlock)
	err := parallel.Workers(ctx, y.rows, rowBlock, func() func(lo, hi int) error {
		packed := make([]float64, panels*panelWidth*packRows)
		return func(lo, hi int) error {
			sum := make([]float64, width*width)
			for from := lo; from < hi; from += packRows {
				rows := min(packRows, hi-from)
				pack(packed, y, from, rows)
				for i := range panels {
					if err := ctx.Err(); err != nil {
						return err
					}
					for j := i; j < panels; j++ {
						panelProduct(sum[i*panelWidth*width+j*panelWidth:], width,
							packed[i*panelWidth*packRows:], packed[j*panelWidth*packRows:], rows)
					}
				}
			}
			blocks[lo/rowBlock] = sum
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	g := mat.NewSymDense(n, nil)
	for _, sum := range blocks {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for j := i; j < n; j++ {
				g.SetSym(i, j, g.At(i, j)+sum[i*width+j])
			}
		}
	}
	return g, nil
}

// pack copies rows of y into panels of panelWidth columns, each row-major, and
// fills the last panel up with zeros.
func pack(dst []float64, y *tall, from, rows int) {
	for i := range rows {
		row := y.row(from + i)
		for j := 0; j < len(row); j += panelWidth {
			p := dst[j*packRows+i*panelWidth:][:panelWidth]
			part := row[j:min(j+panelWidth, len(row))]
			for c, v := range part {
				p[c] = float64(v)
			}
			clear(p[len(part):])
		}
	}
}
