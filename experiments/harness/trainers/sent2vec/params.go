package sent2vec

import (
	"contextmover/internal/setting"
	"fmt"
)

// Params are the settings of a training. Those of the authors' vectors of books are
// 700 dimensions, 13 epochs, rate 0.2, Subsample 1e-5, 10 negatives and MinTarget
// 8, with words alone or with bigrams in 2 million buckets and Dropout 7.
type Params struct {
	// Dim is the number of components of a vector, at least 1.
	Dim int `toml:"dim" json:"dim" range:"1..1048576"`
	// Epochs is the number of passes over the text, at least 1.
	Epochs int `toml:"epochs" json:"epochs" range:"1..1048576"`
	// Rate is the rate of learning at the start, > 0.
	Rate float64 `toml:"rate" json:"rate" range:">0"`
	// NGrams is the number of words in the longest n-gram, 1 to 5: 1 has words alone, 2 bigrams too.
	NGrams int `toml:"ngrams" json:"ngrams" range:"1..5"`
	// Buckets is the number of vectors that n-grams of two words and more share by their hash, at least 1; with NGrams
	// 1 it is not used.
	Buckets int `toml:"buckets" json:"buckets" range:"0..1e9"`
	// Dropout ≥ 0 is the number of words of a sentence whose n-grams are left out each time.
	Dropout int `toml:"dropout" json:"dropout" range:"0..1048576"`
	// Negatives is the number of words drawn against each word predicted, at least 1.
	Negatives int `toml:"negatives" json:"negatives" range:"1..1048576"`
	// Subsample is t > 0.
	Subsample float64 `toml:"subsample" json:"subsample" range:">0"`
	// MinTarget: words of a lower count stand in contexts alone.
	MinTarget int64  `toml:"min_target" json:"min_target" range:"0.."`
	Seed      uint64 `toml:"-" json:"seed"`
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error {
	if p.NGrams > 1 && p.Buckets < 1 {
		return &setting.Error{
			Owner: "sent2vec", Name: "buckets", Problem: fmt.Sprintf("%d for n-grams, expected 1 or more", p.Buckets),
		}
	}
	return setting.Check("sent2vec", p)
}

// buckets is the number of rows for n-grams: none where there are words alone.
func (p Params) buckets() int {
	if p.NGrams == 1 {
		return 0
	}
	return p.Buckets
}

// stride is the number of floats from one row to the next: a multiple of what the kernels take at once.
func stride(dim int) int { return (dim + lanes - 1) / lanes * lanes }
