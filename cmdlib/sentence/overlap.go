package sentence

import (
	"context"
	"fmt"

	"contextmover/internal/parallel"
)

// Overlap scores a pair by minus a distance of its combined histograms that needs no transport plan. Between returns
// that of two histograms over the same bins, each of sum 1: at least 0, and finite.
type Overlap struct {
	Combiner Combiner
	Between  func(p, q []float32) float64
}

// Score returns minus the distances. A pair is covered if both sides have a word with an estimate.
func (o Overlap) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	sentences, first, second := distinct(pairs)
	rows, err := o.Combiner.Combine(ctx, sentences)
	if err != nil {
		return Scores{}, err
	}
	if len(rows.Data) != len(sentences)*rows.K {
		return Scores{}, fmt.Errorf("sentence: %d combined histograms for %d sentences",
			len(rows.Data)/max(rows.K, 1), len(sentences))
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	err = parallel.Blocks(ctx, len(pairs), 256, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			p, q := rows.Row(int(first[i])), rows.Row(int(second[i]))
			if covered[i] = !isZero(p) && !isZero(q); covered[i] {
				value[i] = -o.Between(p, q)
			}
		}
		return nil
	})
	if err != nil {
		return Scores{}, err
	}
	return newScores(value, covered), nil
}
