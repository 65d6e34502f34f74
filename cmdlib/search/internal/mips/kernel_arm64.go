//go:build !noasm

package mips

//go:generate go run gen_neon.go

// dots is dotsPortable, with the same sums.
var dots = byFours(dotsNEON)

//go:noescape
func dotsNEON(sums *int32, rows *byte, query *int16, fours, stride, steps int)
