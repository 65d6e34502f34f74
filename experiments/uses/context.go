package uses

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/dataset"
)

// likenesses are how alike two uses may be said to be.
var likenesses = []row{
	{"uses", "cosine of the vectors of uses"},
	{"sentences", "cosine of whole sentences (`Space.Encode`)"},
	{"estimates", "context mover's distance of estimates"},
}

// like returns how alike the uses of each pair are, by each of likenesses. A pair whose uses have no words that are
// known beside them is as unlike as can be.
func like(ctx context.Context, s *cmdlib.Space, pairs []dataset.InContext) (all [][]float64, err error) {
	histograms, moved := ot.Histograms{K: s.Cost.K}, []ot.Pair(nil)
	all = make([][]float64, len(likenesses))
	for i := range all {
		all[i] = slices.Repeat([]float64{-unlike}, len(pairs))
	}
	var texts []string
	var open []int // pairs that have estimates
	for i, pair := range pairs {
		x, err := vectors(s, pair.Uses[:])
		if err != nil {
			return nil, err
		}
		if len(x) == 2 {
			all[0][i] = floats.Dot(x[0], x[1])
		}
		var both []float32
		for _, o := range pair.Uses {
			texts = append(texts, strings.Join(o.Sentence, " "))
			e, err := s.Estimate([]corpus.Occurrence{o})
			if err == nil {
				both = append(both, e.Histogram...)
			} else if !errors.Is(err, cmdlib.ErrNoContexts) {
				return nil, err
			}
		}
		if len(both) == 2*histograms.K {
			n := int32(histograms.Len())
			moved, open = append(moved, ot.Pair{Source: n, Target: n + 1}), append(open, i)
			histograms.Data = append(histograms.Data, both...)
		}
	}
	encoded, err := s.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	row := func(i int) (x []float64) {
		for _, y := range encoded[i*s.Dim : (i+1)*s.Dim] {
			x = append(x, float64(y))
		}
		return x
	}
	for i := range pairs {
		if x, y := row(2*i), row(2*i+1); floats.Norm(x, 2) > 0 && floats.Norm(y, 2) > 0 {
			all[1][i] = cosine(x, y)
		}
	}
	distances, err := s.Distances(ctx, histograms, moved)
	for i, d := range distances {
		all[2][open[i]] = -d
	}
	return all, err
}

// unlike is farther than any distance.
const unlike = 1e9

// threshold returns the likeness from which on most answers are right, and the share of these in per cent.
func threshold(likeness []float64, same []bool) (from, share float64) {
	sorted, order := slices.Clone(likeness), make([]int, len(likeness))
	floats.ArgsortStable(sorted, order)
	right := 0 // with all said to be the same
	for _, s := range same {
		if s {
			right++
		}
	}
	most := right
	from = sorted[0]
	for i, at := range order {
		if same[at] {
			right--
		} else {
			right++
		}
		if i+1 < len(sorted) && sorted[i+1] > sorted[i] && right > most {
			most, from = right, (sorted[i]+sorted[i+1])/2
		}
	}
	return from, 100 * float64(most) / float64(len(likeness))
}

// accuracy is the share of a sample that a threshold is right of, in per cent.
func accuracy(likeness []float64, same []bool, from float64, sample []int) float64 {
	right := 0.0
	for _, i := range sample {
		if (likeness[i] >= from) == same[i] {
			right++
		}
	}
	return 100 * right / math.Max(1, float64(len(sample)))
}
