package pipeline

import (
	"slices"

	"contextmover/experiments/dataset"
	"contextmover/experiments/profile"
)

// CheckFiles returns a *dataset.MissingError with those of the evaluation files, of the
// corpus and of the vectors that the data folder lacks. A profile on a generated world
// lacks nothing.
func (w *Workspace) CheckFiles(evaluation []string) error {
	if w.Profile.Corpus.Kind == profile.KindMiniWorld {
		return nil
	}
	// Counts that are in the store need no corpus.
	var files []string
	if counts, err := w.CountsStage(); err != nil || !w.Store.Has(counts) {
		if files, err = TextFiles(w.Profile); err != nil {
			return err
		}
	}
	for _, kind := range []string{profile.GloVe, profile.Entailment} {
		if f := w.vectorFile(kind); f != "" {
			files = append(files, f)
		}
	}
	for _, f := range evaluation {
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return dataset.CheckPresent(w.Data, files...)
}
