//go:build (amd64 || arm64) && !noasm

package mips

// byFours has a kernel do the rows but the last few, behind which there is nothing: it reads whole steps, where the
// query is 0 behind its end. The kernel sums up the products of 4·fours rows, stride bytes from one to the next, with
// steps·step numbers of a query.
func byFours(kernel func(sums *int32, rows *byte, query *int16, fours, stride, steps int)) func(
	sums []int32, rows []byte, query []int16, dim, stride int) {
	return func(sums []int32, rows []byte, query []int16, dim, stride int) {
		fours := 0
		if whole := len(rows) - len(query); whole >= 0 {
			fours = min(len(sums), whole/stride+1) / 4
		}
		if fours > 0 {
			kernel(&sums[0], &rows[0], &query[0], fours, stride, len(query)/step)
		}
		dotsPortable(sums[4*fours:], rows[min(len(rows), 4*fours*stride):], query, dim, stride)
	}
}
