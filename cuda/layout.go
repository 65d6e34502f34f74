//go:build cuda || cudaemulation

package cuda

import "fmt"

// What follows mirrors kernels/common.cuh, distance.cu, tensor.cu and barycenter.cu.
const (
	tile       = 8   // bins, and columns, of a thread
	stage      = 8   // rows of a matrix that is not resident in shared memory at a time
	maxThreads = 256 // of a block
	warp       = 32
	slots      = 3 // of 8 rows of a matrix, in a block of tensor.cu
)

// layout is how a block of the scaling kernels is cut.
type layout struct {
	columns  int  // problems or members of groups
	threads  int  // of a block
	shared   int  // bytes of shared memory
	resident bool // the Gibbs kernel is in shared memory
}

// padded is a number of bins rounded up to what threads own.
func padded(k int) int { return (k + tile - 1) / tile * tile }

// carved is the size of n 4-byte words in shared memory.
func carved(n int) int { return (4*n + 15) / 16 * 16 }

func distanceShared(k, columns, matrices int, border bool) int {
	kp := padded(k)
	part := carved(kp / tile * columns)
	n := carved(2*stage*kp) + 2*carved(k*columns) + 3*part + 6*carved(columns) + carved(2*columns) + carved(4)
	if border {
		n += 5*carved(columns) + 3*part
	}
	return n + matrices*carved(k*kp)
}

func barycenterShared(k, columns, matrices int) int {
	kp := padded(k)
	part := carved(kp / tile * columns)
	return carved(2*stage*kp) + 2*carved(k*(columns+4)) + 3*part + 4*carved(columns) + carved(columns+1) +
		matrices*carved(k*kp)
}

// arrange chooses how a block is cut, into so many columns or fewer; ok tells whether K bins fit at all. A kernel in
// shared memory with at least 32 columns is preferred to more columns; otherwise a
// matrix is read through the cache once for as many columns as fit.
func arrange(
	k, matrices, limit, columns int, wholeWarps bool, shared func(columns, matrices int) int,
) (l layout, ok bool) {
	groups := padded(k) / tile
	for _, resident := range []bool{true, false} {
		// A few bins make few threads a column; then more columns.
		columns := columns
		for columns < 256 && groups*columns/tile < 64 {
			columns *= 2
		}
		for ; columns >= tile; columns /= 2 {
			l = layout{columns: columns, threads: groups * columns / tile, resident: resident}
			if wholeWarps {
				l.threads = (l.threads + warp - 1) / warp * warp
			}
			n := 0
			if resident {
				n = matrices
			}
			l.shared = shared(columns, n)
			if l.threads <= maxThreads && l.shared <= limit && (!resident || columns >= 32) {
				return l, true
			}
		}
	}
	return layout{}, false
}

func distanceLayout(k, matrices, limit int, border bool) (layout, bool) {
	return arrange(k, matrices, limit, 64, false, func(columns, n int) int {
		return distanceShared(k, columns, n, border)
	})
}

func barycenterLayout(k, matrices, limit int) (layout, bool) {
	return arrange(k, matrices, limit, 128, true, func(columns, n int) int { return barycenterShared(k, columns, n) })
}

// tensorLayout is how a block of the kernels of tensor.cu is cut.
type tensorLayout struct {
	kernel            string
	bins, split       int // K rounded up; the warpgroups that share 64 problems
	threads, problems int // of a block
	shared            int // bytes of shared memory
	resident          int // how many matrices of the iteration are there
}

// kept is how many float32 scalings a block keeps in device memory.
func (l tensorLayout) kept() int { return 2 * l.bins * l.problems }

// warpgroup is the number of threads that compute 64 rows of a product.
const warpgroup, groupRows = 128, 64

// tensorKernels are the kernels of tensor.cu, with the most warpgroups that a block may have.
var tensorKernels = []struct{ bins, split, warpgroups int }{{64, 1, 4}, {104, 1, 4}, {208, 1, 2}, {304, 1, 2}, {512, 2, 2}}

func tensorShared(bins, split, warpgroups, resident int) int {
	rows := groupRows * warpgroups / split
	return slots*64*bins + 4*rows*bins + 3*carved(rows) + 4*carved(split*rows) + carved(4) + resident*8*bins*bins
}

// arrangeTensor chooses the kernel and how its blocks are cut, so that pairs occupy that many multiprocessors; ok tells
// whether there is one for K bins.
func arrangeTensor(k, matrices, pairs, sms, limit int) (l tensorLayout, ok bool) {
	for _, t := range tensorKernels {
		if k > t.bins {
			continue
		}
		groups := t.warpgroups
		if t.split == 1 {
			groups = min(groups, (pairs+sms*groupRows-1)/(sms*groupRows))
		}
		for resident := matrices; resident >= 0; resident -= matrices {
			l = tensorLayout{
				kernel: fmt.Sprintf("distance_%d", t.bins), bins: t.bins, split: t.split, threads: warpgroup * groups,
				problems: groupRows * groups / t.split, resident: resident,
				shared: tensorShared(t.bins, t.split, groups, resident),
			}
			if l.shared <= limit {
				return l, true
			}
		}
		return l, false
	}
	return l, false
}

// logThreads is the number of threads of a block of the kernels in logarithms, whose
// warps share the given number of sums. Many sums are worth more warps than many blocks.
func logThreads(sums int) int {
	if sums > 200 {
		return 512
	}
	return min(256, warp*sums)
}
