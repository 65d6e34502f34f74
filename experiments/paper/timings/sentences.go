package timings

import (
	"context"

	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
)

// Sentences is the transport behind a row of the sentence-similarity experiment,
// from words' estimates on, for those who measure it: nothing of it comes from the
// store or goes there.
type Sentences struct {
	// Barycenter combines words as the row says.
	Barycenter sentence.Barycenter
	// Plain scores combined histograms, Mixed adds the row's points with the principal
	// component removed. Neither has a Combiner.
	Plain, Mixed sentence.Transport
	Sets         [][]sentence.Pair
}

// NewSentences returns the work of a row. It makes what the store lacks of the row's
// vectors and clusters.
func NewSentences(ctx context.Context, w *pipeline.Workspace, row profile.Row) (*Sentences, error) {
	h := row.Histograms()
	barycenter, err := w.Barycenters(ctx, row)
	if err != nil {
		return nil, err
	}
	g, err := w.Ground(ctx, w.RowGround(row))
	if err != nil {
		return nil, err
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return nil, err
	}
	points := h.Mixed.Weighting()
	probability, err := w.Probability(ctx, points.Marginal())
	if err != nil {
		return nil, err
	}
	distances := h.Transport.Distances()
	if !distances.Accelerate {
		distances.Tol = 0 // all iterations, whose number is known
	}
	work := &Sentences{
		Barycenter: barycenter, Plain: sentence.Transport{Ground: g, Engine: w.Engine, Settings: distances},
	}
	work.Mixed = work.Plain
	work.Mixed.Mix, work.Mixed.RemovePC, work.Mixed.PCBatch = h.Mix, true, h.PCBatch
	work.Mixed.Points = sentence.Points{
		Vectors: vectors.Data, Dim: vectors.Dim, Probability: probability, Weighting: points.Sentence(),
	}
	for _, group := range w.Profile.STS.Groups {
		for _, set := range group.Sets {
			s, err := w.ReadPairs(ctx, set)
			if err != nil {
				return nil, err
			}
			work.Sets = append(work.Sets, s.Pairs)
		}
	}
	return work, nil
}
