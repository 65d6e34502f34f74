package timings

import (
	"context"
	"fmt"
	"slices"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
)

// SentenceRow is the row of sentence similarity that is measured: the first that combines
// words by barycenters, with the paper's mix. It is false if the profile has none.
func SentenceRow(p *profile.Profile) (profile.Row, bool) {
	i := slices.IndexFunc(p.STS.Rows, func(r profile.Row) bool { return r.Method.Needs().Combined != nil })
	if i < 0 {
		return profile.Row{}, false
	}
	return p.STS.Rows[i].With("mix", 0.4), true
}

// profileWork measures combining the words of all sentences of a profile, from words' estimates on.
func profileWork(ctx context.Context, w *pipeline.Workspace, add adder) error {
	row, ok := SentenceRow(w.Profile)
	if !ok {
		return nil
	}
	work, err := NewSentences(ctx, w, row)
	if err != nil {
		return err
	}
	counter := &operationCounter{Engine: w.Engine}
	work.Barycenter.Engine = counter
	h := row.Histograms()
	name := fmt.Sprintf("sentences/profile=%s/k=%d/barycenter/tol=%g", w.Profile.Name, h.Clusters, h.Tolerance)
	// All of it is done, however few units are asked for.
	return add(name, "barycenters", func(int) (int, float64, error) {
		counter.flop, counter.barycenters = 0, 0
		for _, set := range work.Sets {
			if _, err := sentence.Precompute(ctx, work.Barycenter, set); err != nil {
				return 0, 0, err
			}
		}
		return counter.barycenters, counter.flop, nil
	})
}

// known are the words that have an estimate.
func known(e *estimate.Estimates) (words []int32) {
	for i, ok := range e.Known {
		if ok {
			words = append(words, int32(i))
		}
	}
	return words
}

// operationCounter is an engine that counts barycenters and their floating-point operations.
type operationCounter struct {
	ot.Engine
	barycenters int
	flop        float64
}

func (c *operationCounter) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error,
) error {
	return c.Engine.Barycenters(ctx, p, func(first int, results []ot.Barycenter) error {
		c.barycenters += len(results)
		for i, r := range results {
			// One more: the method begins with a step of its own.
			words := p.Offsets[first+i+1] - p.Offsets[first+i]
			c.flop += float64(4 * float64(p.Cost.K*p.Cost.K) * float64(words*(r.Iterations+1)))
		}
		return yield(first, results)
	})
}

// Sentences is the transport behind a row of the sentence-similarity experiment, from words' estimates on: nothing of
// it comes from the store or goes there.
type Sentences struct {
	// Barycenter combines words as the row says.
	Barycenter sentence.Barycenter
	// Mixed scores combined histograms and the row's points with the principal component removed. It has no Combiner.
	Mixed sentence.Transport
	Sets  [][]sentence.Pair
	pairs int // of all sets
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
		Barycenter: barycenter, Mixed: sentence.Transport{Ground: g, Engine: w.Engine, Settings: distances},
	}
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
			work.Sets, work.pairs = append(work.Sets, s.Pairs), work.pairs+len(s.Pairs)
		}
	}
	return work, nil
}
