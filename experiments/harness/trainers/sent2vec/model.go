package sent2vec

import (
	"fmt"

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
	// Tokens is the number of tokens of the text, also such that are no words of the vocabulary.
	Tokens int64

	index map[string]int32
	// A row each for the words, the buckets, and the words as outputs.
	stride     int
	parameters []float32
}

// newModel returns a model of zeros. It is an error if a word occurs twice.
func newModel(p Params, words []string, counts []int64, tokens int64) (*Model, error) {
	m := &Model{
		Params: p, Words: words, Counts: counts, Tokens: tokens, stride: stride(p.Dim),
		index: make(map[string]int32, len(words)),
	}
	for i, word := range words {
		if before, twice := m.index[word]; twice {
			return nil, fmt.Errorf("words %d and %d are both %q, expected each once", before, i, word)
		}
		m.index[word] = int32(i)
	}
	m.parameters = pages.Large[float32](m.stride * (m.inputs() + len(words)))
	return m, nil
}

// inputs is the number of rows that contexts are made of.
func (m *Model) inputs() int { return len(m.Words) + m.Params.buckets() }

// row returns a row, padded with zeros.
func (m *Model) row(i int) []float32 { return m.parameters[i*m.stride:][:m.stride:m.stride] }

// Word returns the vector of word i. Words are numbered as in Words. The slice is the model's own.
func (m *Model) Word(i int) []float32 { return m.row(i)[:m.Params.Dim] }

// Gram returns the vector of a bucket.
func (m *Model) Gram(bucket int) []float32 { return m.row(len(m.Words) + bucket)[:m.Params.Dim] }

// ID returns the number of a word, and whether it is there.
func (m *Model) ID(word string) (int32, bool) {
	id, ok := m.index[word]
	return id, ok && id > 0
}

// Sentence returns the mean of the vectors of a sentence's words and n-grams. Words that the
// model lacks are left out, as if their neighbours stood side by side; it is 0 if none is left.
func (m *Model) Sentence(words []string) []float32 {
	var ids []int32
	for _, word := range words {
		if id, ok := m.ID(word); ok {
			ids = append(ids, id)
		}
	}
	grams := m.Params.Grams(nil, ids, len(m.Words))
	sum := make([]float64, m.Params.Dim)
	for _, list := range [][]int32{ids, grams} {
		for _, i := range list {
			for k, x := range m.Word(int(i)) {
				sum[k] += float64(x)
			}
		}
	}
	to := make([]float32, len(sum))
	if n := len(ids) + len(grams); n > 0 {
		for k, x := range sum {
			to[k] = float32(x / float64(n))
		}
	}
	return to
}

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
