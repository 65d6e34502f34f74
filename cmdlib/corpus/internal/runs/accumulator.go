package runs

import "math/bits"

// Accumulator sums one row of counts, as whole multiples of 1/L.
type Accumulator struct {
	sum []uint64 // one a word
	// used has the bit of every word whose sum is not 0, and usedWords that of every
	// word of used that is not 0: finding the few non-zeros of a rare word's row
	// must not take a walk over the vocabulary.
	used, usedWords []uint64
	columns         []int32
	sums            []uint64
}

// NewAccumulator returns the accumulator of so many words, with all sums 0.
func NewAccumulator(words int) *Accumulator {
	used := (words + 63) / 64
	return &Accumulator{sum: make([]uint64, words), used: make([]uint64, used), usedWords: make([]uint64, (used+63)/64)}
}

// Add adds to a word's sum a number that is not 0.
func (a *Accumulator) Add(id int32, weight uint64) {
	if a.sum[id] == 0 {
		a.used[id>>6] |= 1 << (id & 63)
		a.usedWords[id>>12] |= 1 << (id >> 6 & 63)
	}
	a.sum[id] += weight
}

// Take returns the words with a sum, in increasing order, and their sums, and clears all. The slices are valid
// until the next call.
func (a *Accumulator) Take() (columns []int32, sums []uint64) {
	a.columns, a.sums = a.columns[:0], a.sums[:0]
	for i := range a.usedWords {
		for ; a.usedWords[i] != 0; a.usedWords[i] &= a.usedWords[i] - 1 {
			j := i<<6 + bits.TrailingZeros64(a.usedWords[i])
			for ; a.used[j] != 0; a.used[j] &= a.used[j] - 1 {
				id := j<<6 + bits.TrailingZeros64(a.used[j])
				a.columns = append(a.columns, int32(id))
				a.sums = append(a.sums, a.sum[id])
				a.sum[id] = 0
			}
		}
	}
	return a.columns, a.sums
}
