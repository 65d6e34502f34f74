package sentence

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// Sum scores a pair by Σ_i w_i s_i, with s_i the scores of several methods. Their scales are as they are: cosines and
// the word rotator's distance both lie within 1 of 0.
type Sum []Term

// Term is a method and what its scores are multiplied by, any finite number.
type Term struct {
	Weight float64
	Method Method
}

// Score returns the sums. A pair is covered if every method covers it.
// Without terms, or with a weight that is not finite, it is an error.
func (s Sum) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if len(s) == 0 {
		return Scores{}, errors.New("sentence: a sum of no methods, expected one or more")
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	for i := range covered {
		covered[i] = true
	}
	for t, term := range s {
		if math.IsNaN(term.Weight) || math.IsInf(term.Weight, 0) {
			return Scores{}, fmt.Errorf("sentence: the weight of method %d of a sum is %v, expected a finite number",
				t, term.Weight)
		}
		part, err := term.Method.Score(ctx, pairs)
		if err != nil {
			return Scores{}, err
		}
		for i, v := range part.Value {
			value[i] += float64(term.Weight * v)
			covered[i] = covered[i] && part.Covered[i]
		}
	}
	return newScores(value, covered), nil
}
