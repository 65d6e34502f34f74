package pipeline

import (
	"context"
	"errors"
	"fmt"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// setSource gives a method what it needs to score a set: it implements method.Source.
type setSource struct {
	*Workspace
	set        profile.Set
	vocabulary *corpus.Vocabulary
	pairs      *SentencePairs // of the set
	words      func(text string) []string
	unstored   bool // compute what is kept anew
}

// source returns what methods score the pairs of a set from.
func (w *Workspace) source(ctx context.Context, set profile.Set) (*setSource, error) {
	pairs, err := w.ReadPairs(ctx, set)
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	return &setSource{Workspace: w, set: set, vocabulary: v, pairs: pairs, words: corpus.Tokenise}, err
}

// ScoreWords scores pairs of words by a row, as sentences of one word; set says where they are from.
func (w *Workspace) ScoreWords(
	ctx context.Context, row profile.Row, set profile.Set, pairs []method.Pair,
) (sentence.Scores, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return sentence.Scores{}, err
	}
	s := &setSource{Workspace: w, set: set, vocabulary: v, words: func(text string) []string { return []string{text} }}
	return method.Score(ctx, row.Method, s, pairs)
}

// Words implements method.Source, as the methods below do.
func (s *setSource) Words(text string) []string { return s.words(text) }

func (s *setSource) ID(word string) (int32, bool) { return s.vocabulary.ID(word) }

func (s *setSource) Vectors(ctx context.Context, kind string, unit bool) ([]float32, int, error) {
	v, err := s.scaledVectors(ctx, kind, unit)
	if err != nil {
		return nil, 0, err
	}
	return v.Data, v.Dim, nil
}

func (s *setSource) Kept(context.Context) (*sentence.Components, error) {
	return nil, errors.New("a profile has no components of texts in general, expected a method that removes those of " +
		"a set: remove_pc")
}

func (s *setSource) Estimates(ctx context.Context, e method.Estimates, b method.Bins) (*estimate.Estimates, error) {
	return s.Workspace.Estimates(ctx, s.EstimateParams(e, b))
}

func (s *setSource) Centroids(ctx context.Context, b method.Bins) ([]float32, error) {
	c, err := s.Clusters(ctx, s.ClusterParams(b))
	if err != nil {
		return nil, err
	}
	return c.Centroids, nil
}

func (s *setSource) Ground(ctx context.Context, c method.Cost, b method.Bins, reg float64) (*ground.Ground, error) {
	return s.Workspace.Ground(ctx, s.GroundParams(c, b, reg))
}

func (s *setSource) Engine() ot.Engine { return s.Workspace.Engine }

func (s *setSource) Solver(t method.Transport) (distances, barycenters ot.Settings) {
	return t.Distances(), t.Barycenters()
}

func (s *setSource) Progress() func(done, total int64) { return nil }

func (s *setSource) Combined(
	ctx context.Context, m method.Method, _ []sentence.Sentence, combine method.Combine,
) (ot.Histograms, error) {
	if s.unstored {
		return combine(ctx, nil)
	}
	return store.Get(ctx, s.Store, s.combinedNode(m, s.set, func(ctx context.Context) (ot.Histograms, error) {
		of, _ := method.GroupOf[method.Histograms](m)
		name := fmt.Sprintf("%s barycenters, %s, K=%d", method.KindOf(m).ID, s.set.Name, of.Clusters)
		progress, finish := s.Step(name)
		defer finish()
		return combine(ctx, progress)
	}))
}

// combinedNode has the combined histograms of a set's sentences, which the set must determine: barycenters take longer
// than all else, and rows with and without a mix share them.
func (w *Workspace) combinedNode(m method.Method, set profile.Set,
	combine func(ctx context.Context) (ot.Histograms, error)) store.Node[ot.Histograms] {
	return store.Node[ot.Histograms]{
		Name: "barycenters", Version: 3, Params: w.MethodParams(m), Inputs: w.Inputs(m, set),
		Parts: func(h *ot.Histograms) []store.Part {
			return []store.Part{store.Matrix("histograms.npy", &h.K, &h.Data)}
		},
		Make: combine,
	}
}

func (s *setSource) File(ctx context.Context, name string) (method.Scored, error) {
	return store.Get(ctx, s.Store, store.Node[*dataset.Encoder]{
		Name: "encoder", Version: 1, Params: name, Inputs: s.encoderInputs(name),
		Make: func(context.Context) (*dataset.Encoder, error) {
			files, err := dataset.Locate(s.Data, dataset.EncoderFiles(name)...)
			if err != nil {
				return nil, err
			}
			e, err := dataset.ReadEncoder(files[0])
			if err != nil {
				return nil, DataError(err)
			}
			return e, nil
		},
	})
}
