package entailment

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestKernel(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	w, c := make([]float32, 48), make([]float32, 48)
	for k := range 24 {
		w[k] = float32(r.ExpFloat64())
		c[k] = float32(r.ExpFloat64())
		w[24+k] = float32(math.Exp(-float64(w[k])))
		c[24+k] = float32(math.Exp(-float64(c[k])))
	}
	w2, c2 := append([]float32(nil), w...), append([]float32(nil), c...)
	t.Log(score(w, c, .1), scorePortable(w, c, .1))
	for range 100 {
		step(w, c, .1, .3)
		stepPortable(w2, c2, .1, .3)
	}
	for k := range w {
		if math.Abs(float64(w[k]-w2[k])) > 1e-5 || math.Abs(float64(c[k]-c2[k])) > 1e-5 {
			t.Error(k, w[k], w2[k])
		}
	}
}
