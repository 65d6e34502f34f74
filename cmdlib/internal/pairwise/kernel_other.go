//go:build (!amd64 && !arm64) || noasm

package pairwise

var squares, products kernel = squaresPortable, productsPortable
