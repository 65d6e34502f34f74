//go:build !noasm

package sent2vec

//go:generate go run gen_neon.go

// addScaled adds a·x to y, and fetches ahead, which is as long, into the cache.
func addScaled(y, x []float32, a float32, ahead []float32) {
	addScaledNEON(&y[0], &x[0], len(y), a, &ahead[0])
}

// dot returns x·y, and fetches ahead into the cache.
func dot(x, y, ahead []float32) float32 { return dotNEON(&x[0], &y[0], len(x), &ahead[0]) }

// The kernels take n floats, a positive multiple of lanes.

//go:noescape
func addScaledNEON(y, x *float32, n int, a float32, ahead *float32)

//go:noescape
func dotNEON(x, y *float32, n int, ahead *float32) float32
