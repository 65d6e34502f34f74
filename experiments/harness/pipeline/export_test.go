package pipeline

import (
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// TextNodes returns the nodes of the profile's text and vocabulary.
func (w *Workspace) TextNodes() (nodes []interface{ Stage() (store.Stage, error) }) {
	switch w.Profile.Corpus.Kind {
	case profile.KindMiniWorld:
		nodes = append(nodes, w.worldNode())
	case profile.KindPrepared:
		nodes = append(nodes, w.preparedNode())
	}
	return append(nodes, w.vocabularyNode())
}

// KeptNodes returns the nodes of what is kept between the sentences of a set and their scores by a row: costs to random
// documents, or combined histograms.
func (w *Workspace) KeptNodes(row profile.Row, set profile.Set) (nodes []interface{ Stage() (store.Stage, error) }) {
	needs := row.Method.Needs()
	if needs.Combined != nil {
		nodes = append(nodes, w.combinedNode(needs.Combined, set, nil))
	}
	return nodes
}
