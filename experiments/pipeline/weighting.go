package pipeline

import (
	"context"
	"fmt"

	"contextmover/cmdlib/method"
	"contextmover/experiments/dataset"
	"contextmover/experiments/store"
)

// MarginalInputs returns the keys of what p(w) is made from, beside the vocabulary.
func (w *Workspace) MarginalInputs(m method.Marginal) ([]store.Key, error) {
	switch m {
	case method.OfList:
		key, err := w.FileKey(w.Profile.STS.Frequencies)
		return []store.Key{key}, err
	case method.OfCounts:
		counts, err := w.CountsStage()
		return []store.Key{counts.Key()}, err
	}
	return nil, nil
}

// Probability returns p(w) of every word of the vocabulary:
//
//	OfCorpus  its count over the sum of all counts of the vocabulary
//	OfList    its count over the sum of all counts of the profile's list of frequencies; 0 for a
//	          word that the list lacks, whose weight then is 1, as in the code of SIF
//	          [Arora, Liang, Ma 2017], where such words (punctuation above all) weigh as much as the rarest
//	OfCounts  the sum of its co-occurrence counts, not divided by anything
func (w *Workspace) Probability(ctx context.Context, m method.Marginal) ([]float64, error) {
	if p := w.marginals[m]; p != nil {
		return p, nil
	}
	p, err := w.readProbability(ctx, m)
	if err != nil {
		return nil, err
	}
	if w.marginals == nil {
		w.marginals = map[method.Marginal][]float64{}
	}
	w.marginals[m] = p
	return p, nil
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
	case method.OfCounts:
		counts, err := w.Counts(ctx)
		if err != nil {
			return nil, err
		}
		if counts.Rows != v.Len() {
			return nil, fmt.Errorf("counts of %d words for a vocabulary of %d", counts.Rows, v.Len())
		}
		sums := make([]float64, counts.Rows)
		for i := range sums {
			for _, x := range counts.Value[counts.Start[i]:counts.Start[i+1]] {
				sums[i] += x
			}
		}
		return sums, nil
	}
	return v.Probability(), nil
}
