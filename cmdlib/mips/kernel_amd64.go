//go:build !noasm

package mips

import "contextmover/internal/system"

// dots is dotsPortable, with the same sums.
var dots = fastest()

func fastest() func(sums []int32, rows []byte, query []int16, dim int) {
	switch {
	case system.AVX512VNNI:
		return func(sums []int32, rows []byte, query []int16, dim int) { byFours(dotsVNNI, sums, rows, query, dim) }
	case system.AVX2:
		return func(sums []int32, rows []byte, query []int16, dim int) { byFours(dotsAVX2, sums, rows, query, dim) }
	}
	return dotsPortable
}

// byFours has a kernel do the rows but the last few, of which it would read beyond the end: it reads whole steps,
// where the query is 0 behind its end.
func byFours(kernel func(sums *int32, rows *byte, query *int16, fours, dim, steps int), sums []int32, rows []byte,
	query []int16, dim int) {
	beyond := len(query) - dim
	fours := min(len(sums), max(0, len(rows)-beyond)/dim) / 4
	if fours > 0 {
		kernel(&sums[0], &rows[0], &query[0], fours, dim, len(query)/step)
	}
	dotsPortable(sums[4*fours:], rows[4*fours*dim:], query, dim)
}

// The kernels sum up the products of 4·fours rows, dim bytes from one to the next, with steps·step numbers of a query.

//go:noescape
func dotsVNNI(sums *int32, rows *byte, query *int16, fours, dim, steps int)

//go:noescape
func dotsAVX2(sums *int32, rows *byte, query *int16, fours, dim, steps int)
