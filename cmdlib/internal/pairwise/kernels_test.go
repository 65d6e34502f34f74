//go:build !amd64 || noasm

package pairwise

type named struct {
	name              string
	squares, products kernel
}

func kernels() []named {
	return []named{{"portable", squaresPortable, productsPortable}, {"chosen", squares, products}}
}
