//go:build !amd64 || noasm

package sent2vec

func addScaled(y, x []float32, a float32, _ []float32) { addScaledPortable(y, x, a) }

func dot(x, y, _ []float32) float32 { return dotPortable(x, y) }
