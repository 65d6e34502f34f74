//go:build !noasm

package mips

import "contextmover/internal/system"

// dots is dotsPortable, with the same sums.
var dots = fastest()

func fastest() func(sums []int32, rows []byte, query []int16, dim, stride int) {
	switch {
	case system.AVX512VNNI:
		return byFours(dotsVNNI)
	case system.AVX2:
		return byFours(dotsAVX2)
	}
	return dotsPortable
}

//go:noescape
func dotsVNNI(sums *int32, rows *byte, query *int16, fours, stride, steps int)

//go:noescape
func dotsAVX2(sums *int32, rows *byte, query *int16, fours, stride, steps int)
