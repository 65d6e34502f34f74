package sentence

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
)

// OwnVector writes a vector of the given length whose direction is drawn for the word alone. In hundreds of dimensions
// such directions are at right angles to one another and to all others, up to cosines of 1/√dim.
func OwnVector(to []float32, word string, length float64, seed uint64) {
	hash := fnv.New64a()
	hash.Write([]byte(word))
	random := rand.New(rand.NewPCG(seed, hash.Sum64()))
	square := 0.0
	for i := range to {
		to[i] = float32(random.NormFloat64())
		square += float64(float64(to[i]) * float64(to[i]))
	}
	scale := length / math.Sqrt(square)
	for i, x := range to {
		to[i] = float32(scale * float64(x))
	}
}
