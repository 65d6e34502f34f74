//go:build !noasm

package pairwise

import "contextmover/internal/system"

var squares, products = fastest()

func fastest() (squares, products kernel) {
	switch {
	case system.AVX512:
		return assembled(squaresAVX512), assembled(productsAVX512)
	case system.AVX2:
		return assembled(squaresAVX2), assembled(productsAVX2)
	}
	return squaresPortable, productsPortable
}

//go:noescape
func squaresAVX512(s *sums, x, y *float32, n int)

//go:noescape
func productsAVX512(s *sums, x, y *float32, n int)

//go:noescape
func squaresAVX2(s *sums, x, y *float32, n int)

//go:noescape
func productsAVX2(s *sums, x, y *float32, n int)
