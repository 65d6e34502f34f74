package svd

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/sparse"
	"contextmover/internal/parallel"
)

// stripWidth is the number of columns of a dense matrix that one pass over a
// sparse one handles: as many as are summed in registers.
const stripWidth = 64

// multiply sets y to a·(scale·x). Each entry of y is summed over the entries of a row of a in
// their order.
//
// A group of rows is done for one strip of columns before the next one, since a strip
// of x (256 bytes a row), visited in the random order of the column indices,
// fits a cache that the whole of x does not. Of a matrix on disk, memory has room for a group.
func multiply(ctx context.Context, y *tall, scale float32, a *sparse.Matrix[float32], x *tall) error {
	if x.rows != a.Cols || y.stride != x.stride {
		panic("svd: sizes of a product do not match")
	}
	y.rows, y.cols = a.Rows, x.cols
	strip := make([]float32, x.rows*stripWidth) // of scale·x
	for first, next := 0, 0; first < a.Rows; first = next {
		// So many that copying strips is no work beside them.
		next = upTo(a.Start, first, max(groupEntries, 16*int64(x.rows)))
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
			err = parallel.Blocks(ctx, next-first, 256, func(lo, hi int) error {
				for i := first + lo; i < first+hi; i++ {
					index, value := a.Row(i)
					stripSum(y.data[i*y.stride+from:][:stripWidth], strip, index, value)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// upTo returns the row behind those from lo on that have at most so many
// entries, or behind one that has more. Start has where rows start.
func upTo(start []int64, lo int, entries int64) int {
	hi, _ := slices.BinarySearch(start[lo+1:], start[lo]+entries+1)
	return lo + max(hi, 1)
}

func stripSumPortable(y, x []float32, index []int32, value []float32) {
	clear(y)
	for e, i := range index {
		v := value[e]
		row := x[int(i)*stripWidth:][:len(y)]
		for j := range y {
			y[j] += float32(v * row[j])
		}
	}
}

// groupEntries is how many entries of a matrix are handled together, 8 bytes each, and placedEntries how many of a
// transposed one are placed in one pass over it: what should be in memory of a matrix on disk. Variables for tests.
var (
	groupEntries  = int64(1) << 25
	placedEntries = int64(1) << 27
)

// transpose returns aᵀ by counting sorts over ranges of rows, one for each range of columns. It is on the disk of a.
func transpose(ctx context.Context, a *sparse.Matrix[float32]) (*sparse.Matrix[float32], error) {
	// Ranges of about equally many entries; rows of word matrices differ a lot.
	const ranges = 16
	bound := make([]int, ranges+1)
	for r := 1; r < ranges; r++ {
		bound[r], _ = slices.BinarySearch(a.Start[:a.Rows], int64(a.NonZeros())/ranges*int64(r))
	}
	bound[ranges] = a.Rows

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
	start, at := make([]int64, a.Cols+1), int64(0)
	for j := range a.Cols {
		start[j] = at
		for r := range ranges {
			next[r][j], at = at, at+next[r][j]
		}
	}
	start[a.Cols] = at
	t, err := sparse.Make[float32](a.Disk, a.Cols, a.Rows, start)
	if err != nil {
		return nil, fmt.Errorf("svd: %w", err)
	}
	placed := slices.Clone(a.Start[:a.Rows]) // the entries of a row before
	for column := 0; column < a.Cols; {
		column = upTo(t.Start, column, placedEntries)
		err = parallel.Blocks(ctx, ranges, 1, func(r, _ int) error {
			for i := bound[r]; i < bound[r+1]; i++ {
				e, end := placed[i], a.Start[i+1]
				for ; e < end && int(a.Index[e]) < column; e++ {
					j := a.Index[e]
					to := next[r][j]
					next[r][j]++
					t.Index[to], t.Value[to] = int32(i), a.Value[e]
				}
				placed[i] = e
			}
			return nil
		})
		if err != nil {
			t.Free()
			return nil, err
		}
	}
	return t, nil
}
