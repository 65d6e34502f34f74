package sentence

import (
	"context"
	"fmt"
	"math"

	"contextmover/cmdlib/internal/enum"
	"contextmover/cmdlib/internal/parallel"
)

// Divergence names a distance of two histograms p and q that knows nothing of how far bins are from each other.
type Divergence string

const (
	TotalVariation Divergence = "total variation" // ½ Σ |p_i − q_i|: transport where every move costs 1
	Hellinger      Divergence = "hellinger"       // √(1 − Σ √(p_i q_i))
	JensenShannon  Divergence = "jensen-shannon"  // the square root of that divergence, base 2
	Cosine         Divergence = "cosine"          // 1 − p·q / (‖p‖ ‖q‖)
)

// Divergences lists them.
func Divergences() []Divergence {
	return []Divergence{TotalVariation, Hellinger, JensenShannon, Cosine}
}

// Validate returns an error for a name that is none of them.
func (d Divergence) Validate() error {
	return enum.Validate("sentence: unknown divergence", d, Divergences())
}

// Between returns the distance of two histograms of one length that sum to 1, at least 0. It panics for a name that Validate refuses.
func (d Divergence) Between(p, q []float32) float64 {
	sum, pp, qq := 0.0, 0.0, 0.0
	for i, x := range p {
		x, y := float64(x), float64(q[i])
		switch d {
		case TotalVariation:
			sum += math.Abs(x-y) / 2
		case Hellinger:
			r := math.Sqrt(x) - math.Sqrt(y) // where Σ √(p q) is near 1 it has no digits to lose
			sum += r * r / 2
		case JensenShannon:
			m := (x + y) / 2
			if x > 0 {
				sum += x * math.Log2(x/m) / 2
			}
			if y > 0 {
				sum += y * math.Log2(y/m) / 2
			}
		case Cosine:
			sum += x * y
			pp += x * x
			qq += y * y
		default:
			panic("sentence: divergence " + string(d))
		}
	}
	switch d {
	case Hellinger, JensenShannon:
		return math.Sqrt(max(sum, 0))
	case Cosine:
		return max(0, 1-sum/math.Sqrt(pp*qq))
	}
	return sum
}

// Overlap scores a pair by minus the divergence of its combined histograms: what is left of Transport without a ground cost.
type Overlap struct {
	Combiner   Combiner
	Divergence Divergence
}

// Score returns minus the divergences. A pair is covered if both sides have a word with an estimate.
func (o Overlap) Score(ctx context.Context, pairs []Pair) (Scores, error) {
	if err := o.Divergence.Validate(); err != nil {
		return Scores{}, err
	}
	sentences, first, second := distinct(pairs)
	rows, err := o.Combiner.Combine(ctx, sentences)
	if err != nil {
		return Scores{}, err
	}
	if len(rows.Data) != len(sentences)*rows.K {
		return Scores{}, fmt.Errorf("sentence: %d combined histograms for %d sentences", len(rows.Data)/max(rows.K, 1), len(sentences))
	}
	value, covered := make([]float64, len(pairs)), make([]bool, len(pairs))
	err = parallel.Blocks(ctx, len(pairs), 256, func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			p, q := rows.Row(int(first[i])), rows.Row(int(second[i]))
			if covered[i] = !isZero(p) && !isZero(q); covered[i] {
				value[i] = -o.Divergence.Between(p, q)
			}
		}
		return nil
	})
	if err != nil {
		return Scores{}, err
	}
	return newScores(value, covered), nil
}
