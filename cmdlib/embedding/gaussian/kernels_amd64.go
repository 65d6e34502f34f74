//go:build !noasm

package gaussian

import "contextmover/internal/system"

//go:generate go run gen_kernels.go

// implementations returns the kernels of an energy that this machine can run, best first.
func implementations(e Energy) (all []kernels) {
	kl := e == KL
	if system.AVX512 && kl {
		all = append(all, assembled(termsKL512, gradientsKL512, moveMean512, moveVariance512, scale512).
			with(squares512, moveSpherical512))
	} else if system.AVX512 {
		all = append(all, assembled(termsEL512, gradientsEL512, moveMean512, moveVariance512, scale512).
			with(squares512, moveSpherical512))
	}
	if system.AVX2 && kl {
		all = append(all, assembled(termsKL256, gradientsKL256, moveMean256, moveVariance256, scale256).
			with(squares256, moveSpherical256))
	} else if system.AVX2 {
		all = append(all, assembled(termsEL256, gradientsEL256, moveMean256, moveVariance256, scale256).
			with(squares256, moveSpherical256))
	}
	return append(all, plain(e))
}

//go:noescape
func termsKL512(x, y, z, to *float32, blocks int)

//go:noescape
func termsEL512(x, y, z, to *float32, blocks int)

//go:noescape
func gradientsKL512(x, y, z, to *float32, blocks int)

//go:noescape
func gradientsEL512(x, y, z, to *float32, blocks int)

//go:noescape
func squares512(x, y, z *float32, sums *laneSums, a, b float32, blocks int)

//go:noescape
func moveSpherical512(x, y, z *float32, sums *laneSums, a, b, ofX, ofY, ofZ float32, blocks int)

//go:noescape
func moveMean512(x, gradient *float32, scale float32, squares *float32, blocks int)

//go:noescape
func moveVariance512(x, gradient *float32, scale, least, greatest float32, blocks int)

//go:noescape
func scale512(x *float32, by float32, blocks int)

//go:noescape
func termsKL256(x, y, z, to *float32, blocks int)

//go:noescape
func termsEL256(x, y, z, to *float32, blocks int)

//go:noescape
func gradientsKL256(x, y, z, to *float32, blocks int)

//go:noescape
func gradientsEL256(x, y, z, to *float32, blocks int)

//go:noescape
func squares256(x, y, z *float32, sums *laneSums, a, b float32, blocks int)

//go:noescape
func moveSpherical256(x, y, z *float32, sums *laneSums, a, b, ofX, ofY, ofZ float32, blocks int)

//go:noescape
func moveMean256(x, gradient *float32, scale float32, squares *float32, blocks int)

//go:noescape
func moveVariance256(x, gradient *float32, scale, least, greatest float32, blocks int)

//go:noescape
func scale256(x *float32, by float32, blocks int)
