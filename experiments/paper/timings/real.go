package timings

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
)

// The paper's table of hypernymy timings: all pairs of its sets, K, iterations.
const (
	hypernymyPairs      = 110_926
	hypernymyClusters   = 200
	hypernymyIterations = 500
)

// sentenceRow is the row of sentence similarity that is measured: the first that combines
// words by barycenters, with the paper's mix. It is false if the profile has none.
func sentenceRow(p *profile.Profile) (profile.Row, bool) {
	i := slices.IndexFunc(p.STS.Rows, func(r profile.Row) bool { return r.Method.Needs().Combined != nil })
	if i < 0 {
		return profile.Row{}, false
	}
	return p.STS.Rows[i].With("mix", 0.4), true
}

// profileWork measures the work of a profile from words' estimates on: combining and comparing
// the sentences of all its sets, and as many pairs of words as the paper's hypernymy.
func profileWork(ctx context.Context, w *pipeline.Workspace, add adder) error {
	row, ok := sentenceRow(w.Profile)
	if !ok {
		return nil
	}
	h := row.Histograms()
	work, err := newSentences(ctx, w, row)
	if err != nil {
		return err
	}
	counter := &operationCounter{Engine: w.Engine}
	work.barycenter.Engine = counter
	combined := make([]*sentence.Precomputed, len(work.sets))
	name := fmt.Sprintf("sentences/profile=%s/k=%d", w.Profile.Name, h.Clusters)
	// All of it is done, however few units are asked for.
	err = add(name+fmt.Sprintf("/barycenter/tol=%g", h.Tolerance), "barycenters",
		func(int) (done int, flop float64, err error) {
			counter.flop, counter.barycenters = 0, 0
			for i, set := range work.sets {
				if combined[i], err = sentence.Precompute(ctx, work.barycenter, set); err != nil {
					return done, 0, err
				}
			}
			return counter.barycenters, counter.flop, nil
		})
	if err != nil {
		return err
	}
	flop := 4 * float64(h.Clusters*h.Clusters) * float64(h.Iterations) * float64(work.pairs)
	if h.Accelerate { // distances end before the last iteration
		flop = 0
	}
	for _, m := range []struct {
		name   string
		method sentence.Transport
	}{{"/distance", work.plain}, {"/distance/mix", work.mixed}} {
		err := add(name+m.name+fmt.Sprintf("/iters=%d", h.Iterations), "pairs", func(int) (int, float64, error) {
			for i, set := range work.sets {
				m.method.Combiner = combined[i]
				if _, err := m.method.Score(ctx, set); err != nil {
					return 0, 0, err
				}
			}
			return work.pairs, flop, nil
		})
		if err != nil {
			return err
		}
	}
	return words(ctx, w, row, add)
}

// words measures distances between known words, drawn at random.
func words(ctx context.Context, w *pipeline.Workspace, row profile.Row, add adder) error {
	if w.Profile.Corpus.Kind != profile.KindMiniWorld {
		row = row.With("clusters", hypernymyClusters)
	}
	work, err := newSentences(ctx, w, row)
	if err != nil {
		return err
	}
	estimates := work.barycenter.Estimates
	known := known(estimates)
	random := rand.New(rand.NewPCG(1, 0))
	p := &ot.Problem{
		Settings: ot.Settings{Reg: row.Histograms().Reg, MaxIter: hypernymyIterations},
		Cost:     work.barycenter.Cost, Rows: estimates.Histograms,
	}
	for range hypernymyPairs {
		p.Pairs = append(p.Pairs, ot.Pair{
			Source: known[random.IntN(len(known))], Target: known[random.IntN(len(known))],
		})
	}
	k := row.Histograms().Clusters
	name := fmt.Sprintf("words/profile=%s/k=%d/iters=%d/pairs=%d", w.Profile.Name, k, p.MaxIter, len(p.Pairs))
	return add(name, "distances", func(int) (int, float64, error) {
		flop := 4 * float64(k*k) * float64(p.MaxIter) * float64(len(p.Pairs))
		return len(p.Pairs), flop, w.Engine.Distances(ctx, p, func(int, []ot.Result) error { return nil })
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

// sentences is the transport behind a row of the sentence-similarity experiment, from words' estimates on: nothing of
// it comes from the store or goes there.
type sentences struct {
	// barycenter combines words as the row says.
	barycenter sentence.Barycenter
	// plain scores combined histograms, mixed adds the row's points with the principal
	// component removed. Neither has a Combiner.
	plain, mixed sentence.Transport
	sets         [][]sentence.Pair
	pairs        int // of all sets
}

// newSentences returns the work of a row. It makes what the store lacks of the row's
// vectors and clusters.
func newSentences(ctx context.Context, w *pipeline.Workspace, row profile.Row) (*sentences, error) {
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
	work := &sentences{
		barycenter: barycenter, plain: sentence.Transport{Ground: g, Engine: w.Engine, Settings: distances},
	}
	work.mixed = work.plain
	work.mixed.Mix, work.mixed.RemovePC, work.mixed.PCBatch = h.Mix, true, h.PCBatch
	work.mixed.Points = sentence.Points{
		Vectors: vectors.Data, Dim: vectors.Dim, Probability: probability, Weighting: points.Sentence(),
	}
	for _, group := range w.Profile.STS.Groups {
		for _, set := range group.Sets {
			s, err := w.ReadPairs(ctx, set)
			if err != nil {
				return nil, err
			}
			work.sets, work.pairs = append(work.sets, s.Pairs), work.pairs+len(s.Pairs)
		}
	}
	return work, nil
}
