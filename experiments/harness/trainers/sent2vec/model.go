package sent2vec

import "contextmover/experiments/harness/trainers/internal/pages"

// A model holds the parameters. A word's number is 1 more than in the vocabulary: word 0 is a placeholder, which stands
// for the word that is predicted.
type model struct {
	p     Params
	words int // with the placeholder

	// A row each for the words, the buckets, and the words as outputs.
	stride     int
	parameters []float32
}

// newModel returns a model of zeros.
func newModel(p Params, words int) model {
	m := model{p: p, words: words, stride: stride(p.Dim)}
	m.parameters = pages.Large[float32](m.stride * (m.inputs() + words))
	return m
}

// inputs is the number of rows that contexts are made of.
func (m *model) inputs() int { return m.words + m.p.buckets() }

// row returns a row, padded with zeros.
func (m *model) row(i int) []float32 { return m.parameters[i*m.stride:][:m.stride:m.stride] }

// vectors returns a copy of rows.
func (m *model) vectors(from, to int) []float32 {
	vectors := make([]float32, 0, (to-from)*m.p.Dim)
	for i := from; i < to; i++ {
		vectors = append(vectors, m.row(i)[:m.p.Dim]...)
	}
	return vectors
}

// Grams appends the numbers of a sentence's n-grams of at least two words, first and its bucket, but for those that
// touch a place in dropped, if that is not nil. Words are numbered as in the model, 0 being the placeholder.
func (p Params) Grams(to, words []int32, first int, dropped []bool) []int32 {
	for i := range words {
		if dropped != nil && dropped[i] {
			continue
		}
		hash := uint64(words[i])
		for j := i + 1; j < min(len(words), i+p.NGrams); j++ {
			if dropped != nil && dropped[j] {
				break
			}
			hash = hash*116049371 + uint64(words[j]) // the original's
			to = append(to, int32(first)+int32(hash%uint64(p.Buckets)))
		}
	}
	return to
}
