//go:build !amd64 || noasm

package entailment

func score(w, c []float32, odds float32) float32 { return scorePortable(w, c, odds) }

func step(w, c []float32, odds, move float32) { stepPortable(w, c, odds, move) }
