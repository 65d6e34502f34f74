package pipeline

import (
	"slices"

	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// NeedsText tells whether the text itself is read: the store lacks its
// counts, or the Sent2vec vectors or patterns that rows of the profile are on. A profile without a text needs none.
func (w *Workspace) NeedsText() bool {
	if w.Profile.Corpus.Kind == profile.KindNone {
		return false
	}
	onText := slices.ContainsFunc(w.Profile.STS.Rows,
		func(r profile.Row) bool { return r.Vectors() == profile.Sent2vec })
	patterns := len(w.Profile.Hypernymy.Patterns.Ranks) > 0
	return !store.Stored(w.Store, w.CountsNode()) ||
		onText && !store.Stored(w.Store, w.VectorsNode(profile.Sent2vec)) ||
		patterns && !store.Stored(w.Store, w.PatternsNode())
}

// VectorFiles returns the files that the profile has vectors read from, where it does not train them.
func VectorFiles(p *profile.Profile) (names []string) {
	for _, file := range []string{p.GloVe.File, p.Sent2vec.File, p.Hypernymy.Vectors.File} {
		if file != "" {
			names = append(names, file)
		}
	}
	for _, row := range p.STS.Rows {
		for _, kind := range row.Method.Needs().Vectors {
			if method.IsVectorFile(kind) {
				names = append(names, kind)
			}
		}
	}
	return names
}
