package align

import (
	"math"
	"slices"
	"strings"
)

// Words are the words of a sentence, with what is known of them.
type Words struct {
	Text []string
	// Vectors are those of the words, of length 1 and one dimension; nil of a word that has none.
	Vectors [][]float32
}

// Cosines returns how unlike the words of two sentences are by their vectors, n×m in row-major order. It is 0 between
// words of the same letters, capital or not, else 1 − max(0, cos), which is 1 where either has no vector.
func Cosines(source, target Words) []float64 {
	return Between(source.Text, target.Text, func(i, j int) float64 {
		x, y := source.Vectors[i], target.Vectors[j]
		if x == nil || y == nil {
			return 1
		}
		dot := 0.0
		for k, v := range x {
			dot += float64(float64(v) * float64(y[k]))
		}
		return min(max(1-dot, 0), 1)
	})
}

// Discrete returns the costs that know words by their letters alone: 0 between the same, capital or not, else 1.
func Discrete(source, target []string) []float64 {
	return Between(source, target, func(int, int) float64 { return 1 })
}

// Between returns 0 between words of the same letters, capital or not, else what unlike says, n×m in row-major order.
func Between(source, target []string, unlike func(i, j int) float64) []float64 {
	cost := make([]float64, 0, len(source)*len(target))
	for i, v := range source {
		for j, w := range target {
			if strings.EqualFold(v, w) {
				cost = append(cost, 0)
				continue
			}
			cost = append(cost, unlike(i, j))
		}
	}
	return cost
}

// Places lowers and raises costs by how words begin and where they stand. The zero value changes nothing.
type Places struct {
	// Prefix, if not 0, is how many letters words must begin with alike to cost at most PrefixCost: a stand-in for
	// lemmas.
	Prefix int
	// Near is γ ≥ 0: what stands next to two words adds to their cost
	//
	//	γ/2 (c_{i−1,j−1} + c_{i+1,j+1})
	//
	// where c is 0 if both places are outside of their sentence, and 1 if one is.
	Near float64
	// Distortion is κ ≥ 0: what two words are apart in their sentences adds to their cost
	//
	//	κ |(i + ½)/n − (j + ½)/m|
	//
	// [Brown, Della Pietra, Della Pietra, Mercer 1993 call what this stands for distortion]. Near and Distortion tell
	// words apart that a sentence has twice.
	Distortion float64
}

// PrefixCost is the most that words with the same first letters cost; see Places.Prefix.
const PrefixCost = 0.3

// Change changes the costs between the words of two sentences in place: n×m in row-major order, as of Between.
func (p Places) Change(cost []float64, source, target []string) {
	n, m := len(source), len(target)
	if p.Prefix > 0 {
		for i, v := range source {
			for j, w := range target {
				if at := &cost[i*m+j]; *at > PrefixCost && beginAlike(v, w, p.Prefix) {
					*at = PrefixCost
				}
			}
		}
	}
	if p.Near > 0 {
		words := slices.Clone(cost)
		beside := func(i, j int) float64 {
			in, on := i >= 0 && i < n, j >= 0 && j < m
			switch {
			case in && on:
				return words[i*m+j]
			case in || on:
				return 1
			}
			return 0
		}
		for i := range n {
			for j := range m {
				cost[i*m+j] += float64(p.Near / 2 * (beside(i-1, j-1) + beside(i+1, j+1)))
			}
		}
	}
	if p.Distortion > 0 {
		for i := range n {
			for j := range m {
				apart := (float64(i)+0.5)/float64(n) - (float64(j)+0.5)/float64(m)
				cost[i*m+j] += float64(p.Distortion * math.Abs(apart))
			}
		}
	}
}

// beginAlike tells whether two words have so many letters each, and the first of them in common, capital or not.
func beginAlike(v, w string, letters int) bool {
	a, b := []rune(v), []rune(w)
	return len(a) >= letters && len(b) >= letters && strings.EqualFold(string(a[:letters]), string(b[:letters]))
}
