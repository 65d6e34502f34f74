//go:build !noasm

package gaussian

// implementations returns the kernels of an energy that this machine can run, best first.
func implementations(e Energy) []kernels {
	if e == KL {
		return []kernels{assembled(termsKLNEON, gradientsKLNEON, moveMeanNEON, moveVarianceNEON, scaleNEON).
			with(squaresNEON, moveSphericalNEON), plain(e)}
	}
	return []kernels{assembled(termsELNEON, gradientsELNEON, moveMeanNEON, moveVarianceNEON, scaleNEON).
		with(squaresNEON, moveSphericalNEON), plain(e)}
}

//go:noescape
func termsKLNEON(x, y, z, to *float32, blocks int)

//go:noescape
func termsELNEON(x, y, z, to *float32, blocks int)

//go:noescape
func gradientsKLNEON(x, y, z, to *float32, blocks int)

//go:noescape
func gradientsELNEON(x, y, z, to *float32, blocks int)

//go:noescape
func squaresNEON(x, y, z *float32, sums *laneSums, a, b float32, blocks int)

//go:noescape
func moveSphericalNEON(x, y, z *float32, sums *laneSums, a, b, ofX, ofY, ofZ float32, blocks int)

//go:noescape
func moveMeanNEON(x, gradient *float32, scale float32, squares *float32, blocks int)

//go:noescape
func moveVarianceNEON(x, gradient *float32, scale, least, greatest float32, blocks int)

//go:noescape
func scaleNEON(x *float32, by float32, blocks int)
