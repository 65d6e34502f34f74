package usage

import (
	"math"
	"slices"

	"contextmover/cmdlib"
)

// The settings are those that scored best on pseudowords (nouns of Wikipedia that were given one name), and on the
// uses that people grouped for 22 lemmas of DWUG EN, when k-means grouped them.
const (
	a     = 3e-4 // of a/(a+p)
	reach = 50   // words on either side, at most
)

// useVectors makes vectors of the uses of a word in sentences of some words.
type useVectors struct {
	dim   int
	start map[int32]int // where a word's weighted vector begins in data
	data  []float32
}

// newUseVectors returns the vectors of a space for sentences of words with these ids, of which those without a vector,
// and negative ones, count for nothing. A space without vectors is a cmdlib.ErrNoVectors.
func newUseVectors(s *cmdlib.Space, ids []int32) (*useVectors, error) {
	if !s.HasVectors() {
		return nil, cmdlib.ErrNoVectors
	}
	v := &useVectors{dim: s.Dim, start: make(map[int32]int)}
	row := make([]float32, s.Dim)
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	for _, id := range slices.Compact(sorted) {
		if id < 0 || !s.Vector(row, id) {
			continue
		}
		weight := float32(a / (a + s.Probability(id)))
		v.start[id] = len(v.data)
		for _, x := range row {
			v.data = append(v.data, weight*x)
		}
	}
	return v, nil
}

// at writes the vector of the use at a position of a sentence to x, and tells whether there is one:
//
//	x ∝ Σ_j a/(a+p_j) d_j^(−1/2) v_j,  ‖x‖ = 1
//
// over the other words j of the sentence, up to 50 on either side, at distances d_j, with shares p_j of the corpus
// and L2-normalised vectors v_j. The word itself is left out everywhere. Without any other word that is known x is 0.
func (v *useVectors) at(x []float64, sentence []int32, at int) bool {
	clear(x)
	for i := max(0, at-reach); i < min(len(sentence), at+reach+1); i++ {
		from, ok := v.start[sentence[i]]
		if !ok || sentence[i] == sentence[at] {
			continue
		}
		w := 1 / math.Sqrt(math.Abs(float64(i-at)))
		for j, y := range v.data[from : from+v.dim] {
			x[j] += float64(w * float64(y))
		}
	}
	return normalise(x)
}
