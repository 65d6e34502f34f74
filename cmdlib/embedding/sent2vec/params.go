package sent2vec

import (
	"fmt"
	"math"
)

// Params are the settings of a training. Those of the authors' vectors of books are
// 700 dimensions, 13 epochs, rate 0.2, Subsample 1e-5, 10 negatives and MinTarget
// 8, with words alone or with bigrams in 2 million buckets and Dropout 7.
type Params struct {
	// Dim is the number of components of a vector, at least 1.
	Dim int `json:"dim"`
	// Epochs is the number of passes over the text, at least 1.
	Epochs int `json:"epochs"`
	// Rate is the rate of learning at the start, > 0.
	Rate float64 `json:"rate"`
	// NGrams is the number of words in the longest n-gram, 1 to 5: 1 has words alone, 2 bigrams too.
	NGrams int `json:"ngrams"`
	// Buckets is the number of vectors that n-grams of two words and more share by their hash, at least 1; with NGrams
	// 1 it is not used.
	Buckets int `json:"buckets"`
	// Dropout ≥ 0 is the number of words of a sentence whose n-grams are left out each time.
	Dropout int `json:"dropout"`
	// Negatives is the number of words drawn against each word foretold, at least 1.
	Negatives int `json:"negatives"`
	// Subsample is t > 0.
	Subsample float64 `json:"subsample"`
	// MinTarget: words of a lower count stand in contexts alone.
	MinTarget int64  `json:"min_target"`
	Seed      uint64 `json:"seed"`
}

// Validate returns an error that names a setting out of its range.
func (p Params) Validate() error {
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	switch {
	case p.Dim < 1 || p.Dim > 1<<20:
		return fmt.Errorf("sent2vec: dimension %d, expected 1 to %d", p.Dim, 1<<20)
	case p.Epochs < 1 || p.Epochs > 1<<20:
		return fmt.Errorf("sent2vec: %d epochs, expected 1 to %d", p.Epochs, 1<<20)
	case !positive(p.Rate):
		return fmt.Errorf("sent2vec: rate %v, expected a positive number", p.Rate)
	case p.NGrams < 1 || p.NGrams > 5:
		return fmt.Errorf("sent2vec: n-grams of %d words, expected 1 to 5", p.NGrams)
	case p.NGrams > 1 && (p.Buckets < 1 || p.Buckets > 1<<30):
		return fmt.Errorf("sent2vec: %d buckets for n-grams, expected 1 to %d", p.Buckets, 1<<30)
	case p.Dropout < 0 || p.Dropout > 1<<20:
		return fmt.Errorf("sent2vec: dropout of %d words, expected 0 to %d", p.Dropout, 1<<20)
	case p.Negatives < 1 || p.Negatives > 1<<20:
		return fmt.Errorf("sent2vec: %d negatives, expected 1 to %d", p.Negatives, 1<<20)
	case !positive(p.Subsample):
		return fmt.Errorf("sent2vec: subsample %v, expected a positive number", p.Subsample)
	}
	return nil
}

// buckets is the number of rows for n-grams: none where there are words alone.
func (p Params) buckets() int {
	if p.NGrams == 1 {
		return 0
	}
	return p.Buckets
}

// Memory predicts the bytes of memory that training or reading vectors of so many words takes, but for what
// grows with the longest sentences. The text, 4 bytes a token, is on disk.
func (p Params) Memory(words int) int64 {
	return 4 * int64(stride(p.Dim)) * int64(2*(words+1)+p.buckets())
}

// stride is the number of floats from one row to the next: a multiple of what the kernels take at once.
func stride(dim int) int { return (dim + lanes - 1) / lanes * lanes }
