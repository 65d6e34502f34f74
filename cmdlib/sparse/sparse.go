// Package sparse holds sparse matrices in compressed row form (CSR): what counts of
// co-occurrences and associations are.
package sparse

import (
	"fmt"

	"contextmover/internal/scratch"
)

// Matrix is a sparse Rows×Cols matrix: the non-zeros of row i are
// Value[Start[i]:Start[i+1]], in the columns Index[Start[i]:Start[i+1]], which
// strictly increase within a row.
type Matrix[T float32 | float64] struct {
	Rows, Cols int
	Start      []int64 // length Rows+1, Start[0] = 0
	Index      []int32
	Value      []T
	// Disk is what Index and Value are on, nil for memory. What is as large and made of the matrix is to be there, too.
	Disk *scratch.Disk
}

// Make returns a matrix with the row starts given, of which the last is the number of its
// non-zeros, which are yet to be filled in. The error is the disk's, see scratch.Make.
func Make[T float32 | float64](d *scratch.Disk, rows, cols int, start []int64) (*Matrix[T], error) {
	index, err := scratch.Make[int32](d, int(start[rows]))
	if err != nil {
		return nil, err
	}
	value, err := scratch.Make[T](d, int(start[rows]))
	if err != nil {
		scratch.Free(d, index)
		return nil, err
	}
	return &Matrix[T]{Rows: rows, Cols: cols, Start: start, Index: index, Value: value, Disk: d}, nil
}

// Free gives back what the matrix takes of its disk, and leaves
// it without non-zeros; in memory that is the collector's.
func (m *Matrix[T]) Free() {
	scratch.Free(m.Disk, m.Index)
	scratch.Free(m.Disk, m.Value)
	m.Start, m.Index, m.Value = make([]int64, m.Rows+1), nil, nil
}

// Row returns the columns and values of row i's non-zeros. The slices alias the
// matrix.
func (m *Matrix[T]) Row(i int) ([]int32, []T) {
	lo, hi := m.Start[i], m.Start[i+1]
	return m.Index[lo:hi], m.Value[lo:hi]
}

// NonZeros returns the number of stored entries.
func (m *Matrix[T]) NonZeros() int { return len(m.Value) }

// Validate returns an error that names the first place where m breaks the
// invariants of its type, or nil. It takes time proportional to NonZeros.
func (m *Matrix[T]) Validate() error {
	switch {
	case m.Rows < 0 || m.Cols < 0:
		return fmt.Errorf("sparse: negative size %d×%d", m.Rows, m.Cols)
	case len(m.Start) != m.Rows+1:
		return fmt.Errorf("sparse: %d row starts for %d rows, expected one more than rows", len(m.Start), m.Rows)
	case len(m.Index) != len(m.Value):
		return fmt.Errorf("sparse: %d column indices for %d values", len(m.Index), len(m.Value))
	case m.Start[0] != 0 || m.Start[m.Rows] != int64(len(m.Value)):
		return fmt.Errorf("sparse: row starts run from %d to %d, expected 0 to %d",
			m.Start[0], m.Start[m.Rows], len(m.Value))
	}
	for i := range m.Rows {
		lo, hi := m.Start[i], m.Start[i+1]
		if lo > hi || hi > int64(len(m.Index)) {
			return fmt.Errorf("sparse: row %d starts at %d and ends at %d", i, lo, hi)
		}
		before := int32(-1)
		for e, j := range m.Index[lo:hi] {
			if j <= before || int(j) >= m.Cols {
				return fmt.Errorf("sparse: row %d, entry %d: column %d after %d in a matrix of %d columns",
					i, e, j, before, m.Cols)
			}
			before = j
		}
	}
	return nil
}
