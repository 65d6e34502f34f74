package pipeline

import (
	"context"
	"math"
	"strings"

	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/profile"
	"contextmover/experiments/setwords"
)

// setWordsParams is what the vectors of a set's words depend on, beside the vectors that they are put together of.
type setWordsParams struct {
	Own    string  `json:"own"`
	Seed   uint64  `json:"seed"`
	Beside string  `json:"beside,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
}

func (w *Workspace) setWordsParams(row profile.Row) *setWordsParams {
	p := &setWordsParams{Own: row.Own, Seed: Seed(w.Profile.Seed, "vectors of their own")}
	if row.Beside != "" {
		p.Beside, p.Scale = profile.KindName(row.Beside), row.BesideScale
	}
	return p
}

// points returns the vectors and weights that a row takes of the words of a set; and where these are the words of the
// vocabulary, its vectors.
func (w *Workspace) points(ctx context.Context, p ScoreParams, row profile.Row, set profile.Set) (sentence.Points, *embedding.Vectors, error) {
	vectors, err := w.rowVectors(ctx, row)
	if err != nil {
		return sentence.Points{}, nil, err
	}
	probability, err := w.Probability(ctx, p.PointMarginal)
	points := sentence.Points{Vectors: vectors.Data, Dim: vectors.Dim, Probability: probability, Weighting: p.Points}
	if err != nil || p.Sets == nil {
		return points, vectors, err
	}
	pairs, err := w.ReadPairs(ctx, set)
	if err != nil {
		return points, nil, err
	}
	beside := &embedding.Vectors{}
	if row.Beside != "" {
		if beside, err = w.VectorsOf(ctx, row.Beside); err != nil {
			return points, nil, err
		}
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return points, nil, err
	}
	words := setwords.New(pairs.Lines).List
	points.Dim = vectors.Dim + beside.Dim
	points.Vectors, points.Probability = make([]float32, len(words)*points.Dim), make([]float64, len(words))
	length := math.Sqrt(1 + float64(p.Sets.Scale*p.Sets.Scale)) // of a vector that is put together
	for i, word := range words {
		to := points.Vectors[i*points.Dim : (i+1)*points.Dim]
		id, known := v.ID(word)
		if known {
			points.Probability[i] = probability[id]
			setwords.Put(to, vectors.Row(int(id)), 1)
			if row.Beside != "" {
				setwords.Put(to[vectors.Dim:], beside.Row(int(id)), p.Sets.Scale)
			}
			known = !setwords.IsZero(to)
		}
		number := p.Sets.Own == profile.UnknownAndNumbers && strings.ContainsAny(word, "0123456789")
		if p.Sets.Own != profile.NoneOwn && !known || number {
			setwords.Own(to, word, length, p.Sets.Seed)
		}
	}
	return points, nil, nil
}
