//go:build cuda || cudaemulation

package cuda

// What follows mirrors kernels/common.cuh, distance.cu and barycenter.cu.
const (
	tile       = 8   // bins, and columns, of a thread
	stage      = 8   // rows of a matrix that is not resident in shared memory at a time
	maxThreads = 256 // of a block
	warp       = 32
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

func distanceShared(k, columns, matrices int, border, tensor bool) int {
	kp := padded(k)
	part := carved(kp / tile * columns)
	scalings := 2 * carved(k*columns)
	if tensor {
		scalings = 3 * carved(kp*(columns+8))
	}
	n := carved(2*stage*kp) + scalings + 3*part + 6*carved(columns) + carved(2*columns) + carved(4)
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

// arrange chooses how a block is cut; ok tells whether K bins fit at all. A kernel in
// shared memory with at least 32 columns is preferred to more columns; otherwise a
// matrix is read through the cache once for as many columns as fit.
func arrange(k, matrices, limit int, wholeWarps bool, shared func(columns, matrices int) int) (l layout, ok bool) {
	groups := padded(k) / tile
	for _, resident := range []bool{true, false} {
		// A few bins make few threads a column; then more columns.
		columns := 64
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

func distanceLayout(k, matrices, limit int, border, tensor bool) (layout, bool) {
	if tensor {
		matrices = limit // never resident: the Gibbs kernel comes through the caches
	}
	l, ok := arrange(k, matrices, limit, false, func(columns, n int) int {
		return distanceShared(k, columns, n, border, tensor)
	})
	return l, ok && (!tensor || l.threads >= warp)
}

func barycenterLayout(k, matrices, limit int) (layout, bool) {
	return arrange(k, matrices, limit, true, func(columns, n int) int { return barycenterShared(k, columns, n) })
}

// logThreads is the number of threads of a block of the kernels in logarithms, whose
// warps share the given number of sums.
func logThreads(sums int) int { return min(maxThreads, warp*sums) }
