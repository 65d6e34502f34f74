package sent2vec

import (
	"contextmover/cmdlib/embedding"
	"contextmover/experiments/harness/trainers/internal/pages"
)

// Placeholder is the first of a model's words: it stands for the word that is predicted.
const Placeholder = "<PLACEHOLDER>"

// Model holds trained vectors. It may be used concurrently.
type Model struct {
	Params Params
	// Words are those of the vocabulary behind the Placeholder, with their counts in the text; that of the
	// Placeholder is 0.
	Words  []string
	Counts []int64

	// A row each for the words, the buckets, and the words as outputs.
	stride     int
	parameters []float32
}

// newModel returns a model of zeros.
func newModel(p Params, words []string, counts []int64) *Model {
	m := &Model{Params: p, Words: words, Counts: counts, stride: stride(p.Dim)}
	m.parameters = pages.Large[float32](m.stride * (m.inputs() + len(words)))
	return m
}

// inputs is the number of rows that contexts are made of.
func (m *Model) inputs() int { return len(m.Words) + m.Params.buckets() }

// row returns a row, padded with zeros.
func (m *Model) row(i int) []float32 { return m.parameters[i*m.stride:][:m.stride:m.stride] }

// Word returns the vector of word i. Words are numbered as in Words. The slice is the model's own.
func (m *Model) Word(i int) []float32 { return m.row(i)[:m.Params.Dim] }

// Gram returns the vector of a bucket.
func (m *Model) Gram(bucket int) []float32 { return m.row(len(m.Words) + bucket)[:m.Params.Dim] }

// Grams appends the numbers of a sentence's n-grams of at least two words: first and its
// bucket. Words are numbered as in Model.Words, and so are n-grams where first is their number.
func (p Params) Grams(to, words []int32, first int) []int32 { return p.grams(to, words, first, nil) }

// grams leaves out the n-grams that touch a place in dropped, if that is not nil.
func (p Params) grams(to, words []int32, first int, dropped []bool) []int32 {
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

// Vectors returns a copy of the vectors of all words but the Placeholder. The original's text file of vectors is what
// they are as embedding.Word2Vec.
func (m *Model) Vectors() (*embedding.Vectors, error) {
	words := m.Words[1:]
	data := make([]float32, 0, len(words)*m.Params.Dim)
	for i := range words {
		data = append(data, m.Word(i+1)...)
	}
	return embedding.New(words, m.Params.Dim, data)
}
