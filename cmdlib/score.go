package cmdlib

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/internal/enum"
	"contextmover/cmdlib/sentence"
)

// ErrSettings is what an error about a setting is that the data or the other settings cannot serve.
var ErrSettings = errors.New("setting out of range")

// Pair is two texts to compare.
type Pair struct{ A, B string }

// ScoreMethod names how Score compares two texts.
type ScoreMethod string

// The first two take the cosine of averaged word vectors; the others minus the context mover's distance
// between combined histograms, alone or, mixed, with the averaged vector as a
// point of its own (section 3.4 of the paper).
const (
	NBoW          ScoreMethod = "nbow"         // every word alike
	SIF           ScoreMethod = "sif"          // words weighted a/(a+p)
	CMDAverage    ScoreMethod = "average"      // sentence.HistogramAverage
	CMDAverageMix ScoreMethod = "average-mix"  //
	CoMB          ScoreMethod = "comb"         // sentence.Barycenter
	CoMBMix       ScoreMethod = "comb-mix"     //
	Debiased      ScoreMethod = "debiased"     // sentence.Barycenter, debiased
	DebiasedMix   ScoreMethod = "debiased-mix" //
)

// ScoreMethods returns all methods.
func ScoreMethods() []ScoreMethod {
	return []ScoreMethod{NBoW, SIF, CMDAverage, CMDAverageMix, CoMB, CoMBMix, Debiased, DebiasedMix}
}

// Validate returns an error if m is no method, which is an ErrSettings.
func (m ScoreMethod) Validate() error {
	if err := enum.Validate("no method", m, ScoreMethods()); err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	return nil
}

// The settings of mixed methods and of SIF: those that scored best on the validation set of sentence
// similarity (STS16) where the corpus was novels and Wikipedia.
var (
	scoreMix       = 0.4
	scoreWeighting = sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-3}
)

// ScoreParams say how Score compares.
type ScoreParams struct {
	Method ScoreMethod
	// RemovePC removes the first principal component of the averaged vectors of all pairs from them,
	// which only NBoW, SIF and the mixed methods have.
	RemovePC bool
	// Progress, if not nil, is told how many of the transport problems are solved.
	Progress func(done, total int64)
}

// Score returns the similarities of pairs: the greater, the more similar. Texts become words as in Sentence,
// and histograms are combined with the space's own λ, iterations and weights of words, so that
// CMDAverage is minus Distance in a space of averages, and CoMB and Debiased in one of barycenters
// (single words apart, which Distance does not combine). A pair of which a text has no known word is not
// covered, and has the smallest value of the others.
//
// A method that does not exist, has no vectors for RemovePC, or needs those that the space lacks, is an ErrSettings.
func (s *Space) Score(ctx context.Context, pairs []Pair, p ScoreParams) (sentence.Scores, error) {
	if err := p.Method.Validate(); err != nil {
		return sentence.Scores{}, err
	}
	combination, mixed := strings.CutSuffix(string(p.Method), "-mix")
	vectorless := !mixed && p.Method != NBoW && p.Method != SIF
	if p.RemovePC && vectorless {
		return sentence.Scores{}, fmt.Errorf("%w: the method %s has no vectors to remove a principal component from, expected sif, nbow or one with -mix", ErrSettings, p.Method)
	}
	if !s.HasVectors() && !vectorless {
		return sentence.Scores{}, fmt.Errorf("%w: the method %s takes vectors of words, which the space does not have, "+
			"expected average, comb or debiased", ErrSettings, p.Method)
	}
	part := s.part()
	words := func(text string) (ids sentence.Sentence) {
		for _, token := range s.tokenise(text) {
			// A learned word has no vector.
			if id, ok := s.ID(token); ok && (vectorless || int(id) < s.Histograms.Len()) {
				ids = append(ids, part.add(id))
			}
		}
		return ids
	}
	sentences := make([]sentence.Pair, len(pairs))
	for i, pair := range pairs {
		sentences[i] = sentence.Pair{A: words(pair.A), B: words(pair.B)}
	}
	var vectors []float32
	if !vectorless {
		vectors = part.vectors()
	}

	switch p.Method {
	case NBoW, SIF:
		average := sentence.VectorAverage{Vectors: vectors, Dim: s.Dim, Probability: part.probability}
		if p.RemovePC {
			average.Components = 1
		}
		if p.Method == SIF {
			average.Weighting = sentence.Weighting{Scheme: sentence.SIF, A: scoreWeighting.A}
		}
		return average.Score(ctx, sentences)
	}
	g, err := ground.New(s.Centroids, s.Cost.K, s.Dim, s.Settings.Ground)
	if err != nil {
		return sentence.Scores{}, err
	}
	combiner, err := part.combiner(map[string]Combination{"average": Average, "comb": Barycenter, "debiased": DebiasedBarycenter}[combination])
	if err != nil {
		return sentence.Scores{}, err
	}
	t := sentence.Transport{Combiner: combiner, Ground: g, Engine: s.engine, Settings: s.Settings.Transport, Progress: p.Progress}
	if mixed {
		t.Mix, t.RemovePC = scoreMix, p.RemovePC
		t.Points = sentence.Points{Vectors: vectors, Dim: s.Dim, Probability: part.probability, Weighting: scoreWeighting}
	}
	return t.Score(ctx, sentences)
}
