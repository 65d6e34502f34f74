package svd

import (
	"context"
	"slices"

	"contextmover/cmdlib/internal/parallel"
	"contextmover/cmdlib/sparse"
)

// stripWidth is the number of columns of a dense matrix that one pass over a
// sparse one handles: as many as are summed in registers.
const stripWidth = 64

// multiply sets y to a·(scale·x). Each entry of y is summed over the entries of a row of a in
// their order.
//
// All rows are done for one strip of columns before the next one, since a strip
// of x (256 bytes a row), visited in the random order of the column indices,
// fits a cache that the whole of x does not.
func multiply(ctx context.Context, y *tall, scale float32, a *sparse.Matrix[float32], x *tall) error {
	if x.rows != a.Cols || y.stride != x.stride {
		panic("svd: sizes of a product do not match")
	}
	y.rows, y.cols = a.Rows, x.cols
	strip := make([]float32, x.rows*stripWidth)
	for from := 0; from < x.cols; from += stripWidth {
		width := min(stripWidth, x.cols-from)
		err := parallel.Blocks(ctx, x.rows, rowBlock, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				dst := strip[i*stripWidth:][:stripWidth]
				for j, v := range x.data[i*x.stride+from:][:width] {
					dst[j] = scale * v
				}
				clear(dst[width:])
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = parallel.Blocks(ctx, a.Rows, 256, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				index, value := a.Row(i)
				stripSum(y.data[i*y.stride+from:][:stripWidth], strip, index, value)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func stripSumPortable(y, x []float32, index []int32, value []float32) {
	clear(y)
	for e, i := range index {
		v := value[e]
		row := x[int(i)*stripWidth:][:len(y)]
		for j := range y {
			y[j] += v * row[j]
		}
	}
}

// transpose returns aᵀ by a counting sort over ranges of rows.
func transpose(ctx context.Context, a *sparse.Matrix[float32]) (*sparse.Matrix[float32], error) {
	// Ranges of about equally many entries; rows of word matrices differ a lot.
	const ranges = 16
	bound := make([]int, ranges+1)
	for r := 1; r < ranges; r++ {
		bound[r], _ = slices.BinarySearch(a.Start[:a.Rows], int64(a.NonZeros())/ranges*int64(r))
	}
	bound[ranges] = a.Rows

	t := &sparse.Matrix[float32]{
		Rows: a.Cols, Cols: a.Rows,
		Start: make([]int64, a.Cols+1),
		Index: make([]int32, a.NonZeros()),
		Value: make([]float32, a.NonZeros()),
	}
	// next[r][j] is first the number of entries of range r in column j, then where the
	// next of them goes.
	var next [ranges][]int64
	err := parallel.Blocks(ctx, ranges, 1, func(r, _ int) error {
		next[r] = make([]int64, a.Cols)
		for _, j := range a.Index[a.Start[bound[r]]:a.Start[bound[r+1]]] {
			next[r][j]++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	at := int64(0)
	for j := range a.Cols {
		t.Start[j] = at
		for r := range ranges {
			next[r][j], at = at, at+next[r][j]
		}
	}
	t.Start[a.Cols] = at
	err = parallel.Blocks(ctx, ranges, 1, func(r, _ int) error {
		for i := bound[r]; i < bound[r+1]; i++ {
			index, value := a.Row(i)
			for e, j := range index {
				to := next[r][j]
				next[r][j]++
				t.Index[to], t.Value[to] = int32(i), value[e]
			}
		}
		return nil
	})
	return t, err
}
