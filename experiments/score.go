package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
)

// PairMethods are the names of the methods that ScorePairs knows: nbow and sif take the cosine of
// averaged word vectors; the others minus the context mover's distance between the average of
// histograms, their Wasserstein barycenter (comb) or the barycenter without its blur (debiased), alone
// or mixed with the averaged vector.
func PairMethods() []string {
	return []string{"nbow", "sif", "average", "average-mix", "comb", "comb-mix", "debiased", "debiased-mix"}
}

// The settings of mixed methods and of SIF: those that scored best on the validation group of the
// profile "open".
var (
	pairMix       = 0.4
	pairWeighting = sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-3}
)

// PairScores are the similarities of sentence pairs.
type PairScores struct {
	Method string
	// Value is greater the more similar the pair is; a pair without a known word on both sides is not
	// Covered and has the smallest value of the others.
	Value   []float64
	Covered []bool
	// Gold tells whether the pairs have gold scores; only then is there a Correlation.
	Gold     bool
	Pearson  Correlation
	Spearman Correlation
}

// Correlation of scores and gold, with its 95 % bootstrap interval over pairs.
type Correlation struct {
	Value, Low, High float64
	// Undefined says why there is none, or is empty.
	Undefined string
}

// Coverage returns the share of covered pairs.
func (s *PairScores) Coverage() float64 {
	return sentence.Scores{Value: s.Value, Covered: s.Covered}.Coverage()
}

// ScorePairs scores pairs in a space, with the space's own λ, iterations and weights of words; removePC removes the first principal
// component from the averaged vectors of all pairs, which only methods with vectors have.
func ScorePairs(ctx context.Context, space *cmdlib.Space, engine ot.Engine, pairs []dataset.Pair, method string, removePC bool, progress func(done, total int64)) (*PairScores, error) {
	if !slices.Contains(PairMethods(), method) {
		return nil, fmt.Errorf("%w: no method %q, expected one of: %s", pipeline.ErrSettings, method, strings.Join(PairMethods(), ", "))
	}
	combination, mixed := strings.CutSuffix(method, "-mix")
	vectorsOnly := method == "nbow" || method == "sif"
	if removePC && !mixed && !vectorsOnly {
		return nil, fmt.Errorf("%w: the method %s has no vectors to remove a principal component from, expected sif, nbow or one with -mix", pipeline.ErrSettings, method)
	}

	// A world of the words that occur, so that the rest of the space is not touched.
	e := &estimate.Estimates{Histograms: ot.Histograms{K: space.Cost.K}}
	points := sentence.Points{Dim: space.Dim, Weighting: pairWeighting}
	total := int64(0)
	for _, n := range space.Counts {
		total += n
	}
	local := make(map[int32]int32)
	words := func(text string) (s sentence.Sentence) {
		for _, token := range corpus.Tokenise(text) {
			id, ok := space.ID(token)
			if !ok {
				continue
			}
			at, seen := local[id]
			if !seen {
				at = int32(len(e.Known))
				local[id] = at
				h := space.Histograms.Row(int(id))
				e.Data = append(e.Data, h...)
				e.Known = append(e.Known, slices.ContainsFunc(h, func(x float32) bool { return x != 0 }))
				points.Vectors = append(points.Vectors, space.Vectors[int(id)*space.Dim:(int(id)+1)*space.Dim]...)
				points.Probability = append(points.Probability, float64(space.Counts[id])/float64(max(total, 1)))
			}
			s = append(s, at)
		}
		return s
	}
	sentences := make([]sentence.Pair, len(pairs))
	for i, p := range pairs {
		sentences[i] = sentence.Pair{A: words(p.A), B: words(p.B)}
	}

	m, err := pairMethod(space, engine, e, points, combination, mixed, removePC, progress)
	if err != nil {
		return nil, err
	}
	scores, err := m.Score(ctx, sentences)
	if err != nil {
		return nil, err
	}
	result := &PairScores{Method: method, Value: scores.Value, Covered: scores.Covered, Gold: len(pairs) > 0 && pairs[0].HasGold}
	if result.Gold {
		gold := make([]float64, len(pairs))
		for i, p := range pairs {
			gold[i] = p.Gold
		}
		result.Pearson = correlate(score.Pearson, scores.Value, gold)
		result.Spearman = correlate(score.Spearman, scores.Value, gold)
	}
	return result, nil
}

func pairMethod(space *cmdlib.Space, engine ot.Engine, e *estimate.Estimates, points sentence.Points, combination string, mixed, removePC bool, progress func(done, total int64)) (sentence.Method, error) {
	average := sentence.VectorAverage{Vectors: points.Vectors, Dim: points.Dim, Probability: points.Probability, RemovePC: removePC}
	switch combination {
	case "nbow":
		return average, nil
	case "sif":
		average.Weighting = sentence.Weighting{Scheme: sentence.SIF, A: pairWeighting.A}
		return average, nil
	}
	s := space.Settings
	g, err := ground.New(space.Centroids, space.Cost.K, space.Dim, s.Ground)
	if err != nil {
		return nil, err
	}
	combine := s.Sentence.Transport
	if combine.Reg == 0 {
		combine = s.Transport // a space of averages does not say
	}
	settings := func(t cmdlib.Transport) ot.Settings { return ot.Settings{Reg: t.Reg, MaxIter: t.MaxIter, Tol: t.Tol} }
	t := sentence.Transport{Ground: g, Engine: engine, Settings: settings(s.Transport), Progress: progress}
	if combination == "average" {
		t.Combiner = sentence.HistogramAverage{Estimates: e, Weighting: s.Sentence.Weighting, Probability: points.Probability}
	} else {
		t.Combiner = sentence.Barycenter{
			Estimates: e, Weighting: s.Sentence.Weighting, Probability: points.Probability,
			Cost: g.Cost, Engine: engine, Settings: settings(combine), Debiased: combination == "debiased",
		}
	}
	if mixed {
		t.Mix, t.Points, t.RemovePC = pairMix, points, removePC
	}
	return t, nil
}

// correlate returns a correlation with its interval; the samples are always the same.
func correlate(of func(x, y []float64) (float64, error), value, gold []float64) Correlation {
	r, err := of(value, gold)
	if err != nil {
		return Correlation{Undefined: err.Error()}
	}
	x, y := make([]float64, len(value)), make([]float64, len(value))
	low, high := score.Bootstrap(len(value), pipeline.Draws, 1, func(sample []int) float64 {
		for i, s := range sample {
			x[i], y[i] = value[s], gold[s]
		}
		r, err := of(x, y)
		if err != nil {
			return math.NaN() // a constant sample
		}
		return r
	})
	return Correlation{Value: r, Low: max(low, -1), High: min(high, 1)}
}
