// Package embedding holds word vectors and reads and writes their file formats.
//
// Read recognises by content, not by name:
//
//   - GloVe text: a line per word, the word and its components separated by blanks;
//   - word2vec text and fastText .vec: the same below a header line "words dim";
//   - word2vec binary: the same header, then for each word its bytes, a blank and
//     dim little-endian float32.
//
// Any of them may be compressed with gzip or zstd, as with corpus.Open, or stand in a zip archive. Packages below
// this one make vectors.
package embedding

import (
	"context"
	"fmt"
	"math"
	"strings"

	"contextmover/internal/parallel"
)

// Vectors is a vector of Dim components for each of Words, in row-major order:
// component k of word i is Data[i*Dim+k]. Words are distinct and not empty,
// components are finite. Vectors may be used concurrently.
type Vectors struct {
	Words []string
	Dim   int
	Data  []float32 // len(Words)×Dim

	index map[string]int32
}

// New makes Vectors of words and data, which it keeps. It returns an error that names the word if one is empty, holds
// a NUL byte, occurs twice or has a component that is not a finite number. It is also an error if data does not have
// len(words)·dim components with dim ≥ 1.
func New(words []string, dim int, data []float32) (*Vectors, error) {
	switch {
	case dim < 1:
		return nil, fmt.Errorf("embedding: vectors of %d components, expected at least 1", dim)
	case len(words) > math.MaxInt32:
		return nil, fmt.Errorf("embedding: %d words, at most %d can be numbered", len(words), math.MaxInt32)
	case len(data) != len(words)*dim:
		return nil, fmt.Errorf("embedding: %d components for %d words of %d, expected %d",
			len(data), len(words), dim, len(words)*dim)
	}
	v := &Vectors{Words: words, Dim: dim, Data: data, index: make(map[string]int32, len(words))}
	for i, word := range words {
		if word == "" || strings.Contains(word, "\x00") {
			return nil, fmt.Errorf("embedding: word %d, %q, expected text without NUL bytes", i, word)
		}
		if before, twice := v.index[word]; twice {
			return nil, &duplicateError{word, int(before), i}
		}
		v.index[word] = int32(i)
	}
	err := parallel.Blocks(context.Background(), len(words), rowsPerBlock, func(lo, hi int) error {
		for at, x := range data[lo*dim : hi*dim] {
			// x-x is not 0 for infinities and NaN.
			if x-x != 0 {
				word := lo + at/dim
				return fmt.Errorf("embedding: word %d, %q: component %d is %v, expected a finite number",
					word, words[word], at%dim+1, x)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// rowsPerBlock is the unit of parallel work over rows.
const rowsPerBlock = 1024

// duplicateError tells that two rows have the same word; readers turn the rows
// into places in their file.
type duplicateError struct {
	word          string
	first, second int
}

func (e *duplicateError) Error() string {
	return fmt.Sprintf("embedding: words %d and %d are both %q; words must be distinct", e.first, e.second, e.word)
}

// Len returns the number of words.
func (v *Vectors) Len() int { return len(v.Words) }

// Row returns the vector of word i. The slice aliases v.Data.
func (v *Vectors) Row(i int) []float32 {
	return v.Data[i*v.Dim : (i+1)*v.Dim : (i+1)*v.Dim]
}

// ID returns the index of word, and whether v has it.
func (v *Vectors) ID(word string) (int32, bool) {
	id, ok := v.index[word]
	return id, ok
}

// Normalised returns a copy of v whose rows have Euclidean norm 1; rows of zeros
// stay zero. The words are shared with v.
func (v *Vectors) Normalised() *Vectors {
	u := &Vectors{Words: v.Words, Dim: v.Dim, Data: make([]float32, len(v.Data)), index: v.index}
	// Without an end to the context and with a function that never fails there is
	// no error.
	_ = parallel.Blocks(context.Background(), v.Len(), rowsPerBlock, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			var square float64
			for _, x := range v.Row(i) {
				square += float64(float64(x) * float64(x))
			}
			if square == 0 {
				continue
			}
			scale := 1 / math.Sqrt(square)
			to := u.Row(i)
			for k, x := range v.Row(i) {
				to[k] = float32(float64(x) * scale)
			}
		}
		return nil
	})
	return u
}
