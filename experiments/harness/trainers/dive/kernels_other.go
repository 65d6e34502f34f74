//go:build !amd64 || noasm

package dive

func dot(w, c []float32) float32 { return dotPortable(w, c) }

func step(w, c []float32, g, rate float32) { stepPortable(w, c, g, rate) }
