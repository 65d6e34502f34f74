// Package draw draws at random.
package draw

// Alias draws from a discrete distribution in constant time [Walker 1977; Vose 1991].
type Alias struct {
	share []uint32 // of 2³², the probability to stay at i
	other []int32
}

// NewAlias returns the distribution with probabilities proportional to the weights, at
// least one of them and none below 0. If all are 0 each index is as likely as the others.
func NewAlias(weights []float64) Alias {
	n := len(weights)
	a := Alias{make([]uint32, n), make([]int32, n)}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	scaled := make([]float64, n)
	var small, large []int32
	for i, w := range weights {
		scaled[i] = 1
		if total > 0 {
			scaled[i] = w / total * float64(n)
		}
		if scaled[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	set := func(i, other int32, p float64) {
		a.share[i], a.other[i] = uint32(min(p*(1<<32), 1<<32-1)), other
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		set(s, l, scaled[s])
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large, small = large[:len(large)-1], append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		set(i, i, 1)
	}
	return a
}

// Draw turns 64 random bits into an index.
func (a Alias) Draw(bits uint64) int32 {
	i := int32(bits >> 32 * uint64(len(a.share)) >> 32)
	if uint32(bits) < a.share[i] {
		return i
	}
	return a.other[i]
}
