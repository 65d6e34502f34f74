package pipeline

import (
	"context"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/store"
)

// marginalPPMI has the α and s that the usage of wasserstein.py, in the README of the paper's code, has for marginals.
var marginalPPMI = sppmi.Params{Smoothing: 0.75, Shift: 1}

// MarginalInputs are what p(w) is made from, in addition to the vocabulary.
func (w *Workspace) MarginalInputs(m method.Marginal) []store.Input {
	switch m {
	case method.OfList:
		return w.fileInputs(w.Profile.STS.Frequencies)
	case method.OfCounts:
		return []store.Input{w.CountsNode()}
	case method.OfPPMI:
		return []store.Input{w.AssociationsNode(marginalPPMI)}
	}
	return nil
}

// Probability returns p(w) of every word of the vocabulary:
//
//	OfCorpus  its count over the sum of all counts of the vocabulary
//	OfList    its count over the sum of all counts of the profile's list of frequencies; 0 for a
//	          word that the list lacks, whose weight then is 1, as in the code of SIF
//	          [Arora, Liang, Ma 2017], where such words (punctuation above all) weigh as much as the rarest
//	OfCounts  the sum of its co-occurrence counts, not divided by anything
//	OfPPMI    the sum of its row of SPPMI, α = 0.75 and s = 1, not divided by anything
func (w *Workspace) Probability(ctx context.Context, m method.Marginal) ([]float64, error) {
	return store.Get(ctx, w.Store, store.Node[[]float64]{
		Name: "probability", Version: 1, Params: m, Inputs: append(w.MarginalInputs(m), w.vocabularyNode()),
		Make: func(ctx context.Context) ([]float64, error) { return w.readProbability(ctx, m) },
	})
}

func (w *Workspace) readProbability(ctx context.Context, m method.Marginal) ([]float64, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	switch m {
	case method.OfList:
		path, err := w.File(ctx, w.Profile.STS.Frequencies)
		if err != nil {
			return nil, err
		}
		return listShares(v, path)
	case method.OfCounts:
		return rowSums(ctx, w, "counts", w.Counts)
	case method.OfPPMI:
		return rowSums(ctx, w, associationsOf(marginalPPMI), func(ctx context.Context) (*sppmi.Matrix, error) {
			return w.Associations(ctx, marginalPPMI)
		})
	}
	return v.Probability(), nil
}

// rowSums returns the sum of each row of a matrix, or the authors' in a folder of theirs.
func rowSums[T float32 | float64](ctx context.Context, w *Workspace, folder string,
	matrix func(ctx context.Context) (*sparse.Matrix[T], error)) ([]float64, error) {
	given, err := givenArray[float64](w, folder+"/marginals.npy", false, -1)
	if given != nil || err != nil {
		return given, err
	}
	m, err := matrix(ctx)
	if err != nil {
		return nil, err
	}
	sums := make([]float64, m.Rows)
	for i := range sums {
		_, values := m.Row(i)
		for _, x := range values {
			sums[i] += float64(x)
		}
	}
	return sums, nil
}

// listShares returns the share that each word has of all counts of a list of frequencies.
func listShares(v *corpus.Vocabulary, path string) ([]float64, error) {
	list, err := dataset.ReadFrequencies(path)
	if err != nil {
		return nil, err
	}
	total := 0.0
	for _, f := range list {
		total += float64(f.Count)
	}
	p := make([]float64, v.Len())
	for _, f := range list {
		if id, ok := v.ID(f.Word); ok {
			p[id] = float64(f.Count) / total
		}
	}
	return p, nil
}
