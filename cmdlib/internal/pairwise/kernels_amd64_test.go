//go:build !noasm

package pairwise

import "contextmover/internal/system"

type named struct {
	name              string
	squares, products kernel
}

func kernels() []named {
	all := []named{{"portable", squaresPortable, productsPortable}}
	if system.AVX2 {
		all = append(all, named{"AVX2", assembled(squaresAVX2), assembled(productsAVX2)})
	}
	if system.AVX512 {
		all = append(all, named{"AVX-512", assembled(squaresAVX512), assembled(productsAVX512)})
	}
	return all
}
