// Package sentence represents sentences by what their words' estimates and
// vectors combine to, and scores pairs of sentences by similarity.
//
// A Method scores pairs: VectorAverage by the cosine of averaged word vectors
// (NBoW, SIF), Transport by the context mover's distance between combined
// histograms. A Combiner makes one histogram of a sentence's words:
// HistogramAverage (the Euclidean average of the paper) or Barycenter (CoMB).
//
// Where a word occurs twice in a sentence, it counts twice.
package sentence

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// Sentence is the words of a sentence by their ids in the vocabulary, in order;
// unknown words have been dropped.
type Sentence []int32

// Pair is two sentences to compare.
type Pair struct{ A, B Sentence }

// Scores are the similarities of pairs.
type Scores struct {
	// Value is greater the more similar the pair is. An uncovered pair has the
	// smallest value of the covered ones, or 0 if no pair is covered.
	Value []float64
	// Covered tells whether both sentences have a representation: at least one word
	// that the method knows.
	Covered []bool
}

// Coverage returns the share of covered pairs, 1 of none.
func (s Scores) Coverage() float64 {
	if len(s.Covered) == 0 {
		return 1
	}
	n := 0
	for _, c := range s.Covered {
		if c {
			n++
		}
	}
	return float64(n) / float64(len(s.Covered))
}

// Method scores pairs of sentences. The pairs of one call are a data set: where a
// principal component is removed, it is that of these pairs, and in batches their
// order matters.
type Method interface {
	Score(ctx context.Context, pairs []Pair) (Scores, error)
}

// newScores gives uncovered pairs the smallest value of the covered ones. Minus a distance of 0 becomes 0, not −0.
func newScores(value []float64, covered []bool) Scores {
	worst, any := 0.0, false
	for i := range value {
		value[i] += 0
	}
	for i, v := range value {
		if covered[i] && (!any || v < worst) {
			worst, any = v, true
		}
	}
	for i := range value {
		if !covered[i] {
			value[i] = worst
		}
	}
	return Scores{Value: value, Covered: covered}
}

// SentEvalOrder returns the order in which SentEval visits the pairs of a data set. It sorts by the number of tokens
// of the first sentence, then of the second, then by gold score; ties stay in the order they were in. Element i is
// the index of the pair that comes i-th. The numbers of tokens are those before unknown words are dropped.
//
// It panics if the lengths differ.
func SentEvalOrder(tokensA, tokensB []int, gold []float64) []int {
	if len(tokensA) != len(gold) || len(tokensB) != len(gold) {
		panic(fmt.Sprintf("sentence: %d and %d lengths for %d gold scores", len(tokensA), len(tokensB), len(gold)))
	}
	order := make([]int, len(gold))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Or(
			cmp.Compare(tokensA[i], tokensA[j]), cmp.Compare(tokensB[i], tokensB[j]), cmp.Compare(gold[i], gold[j]),
		)
	})
	return order
}

// key makes a sentence the key of a map.
func (s Sentence) key() string {
	b := make([]byte, 0, 4*len(s))
	for _, id := range s {
		b = binary.LittleEndian.AppendUint32(b, uint32(id))
	}
	return string(b)
}

// distinct returns the different sentences of pairs in the order they first occur
// in, and which of them the sides of each pair are.
func distinct(pairs []Pair) (sentences []Sentence, a, b []int32) {
	index := make(map[string]int32)
	number := func(s Sentence) int32 {
		k := s.key()
		i, ok := index[k]
		if !ok {
			i = int32(len(sentences))
			index[k] = i
			sentences = append(sentences, s)
		}
		return i
	}
	a, b = make([]int32, len(pairs)), make([]int32, len(pairs))
	for i, p := range pairs {
		a[i], b[i] = number(p.A), number(p.B)
	}
	return sentences, a, b
}

// checkWords returns an error for a word id outside [0, words).
func checkWords(sentences []Sentence, words int) error {
	for i, s := range sentences {
		for j, id := range s {
			if id < 0 || int(id) >= words {
				return fmt.Errorf("sentence: word %d of sentence %d has the id %d, but there are %d words",
					j, i, id, words)
			}
		}
	}
	return nil
}
