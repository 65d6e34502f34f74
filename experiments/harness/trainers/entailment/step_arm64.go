//go:build !noasm

package entailment

//go:generate go run gen_neon.go

func score(w, c []float32, odds float32) float32 { return scoreNEON(&w[0], &c[0], len(w)/2, odds) }

func step(w, c []float32, odds, move float32) { stepNEON(&w[0], &c[0], len(w)/2, odds, move) }

// The kernels do what scorePortable and stepPortable do, for vectors of half values A
// and half values R, half a multiple of lanes.

//go:noescape
func scoreNEON(w, c *float32, half int, odds float32) float32

//go:noescape
func stepNEON(w, c *float32, half int, odds, move float32)
