//go:build (!amd64 && !arm64) || noasm

package mips

func dots(sums []int32, rows []byte, query []int16, dim, stride int) {
	dotsPortable(sums, rows, query, dim, stride)
}
