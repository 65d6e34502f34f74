//go:build !noasm

package pairwise

//go:generate go run gen_neon.go

var squares, products = assembled(squaresNEON), assembled(productsNEON)

//go:noescape
func squaresNEON(s *sums, x, y *float32, n int)

//go:noescape
func productsNEON(s *sums, x, y *float32, n int)
