package pipeline

import (
	"contextmover/experiments/profile"
)

// HasCounts tells whether the store has the counts of the profile's text, so that the text itself is not read.
func (w *Workspace) HasCounts() bool {
	counts, err := w.CountsStage()
	return err == nil && w.Store.Has(counts)
}

// VectorFiles returns the files that the profile has vectors read from, where it does not train them.
func VectorFiles(p *profile.Profile) (names []string) {
	for _, file := range []string{p.GloVe.File, p.Sent2vec.File, p.Hypernymy.Vectors.File} {
		if file != "" {
			names = append(names, file)
		}
	}
	return names
}
