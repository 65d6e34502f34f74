package pipeline

import (
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// TextStages returns the stages of the profile's text and vocabulary that its artefacts have.
func (w *Workspace) TextStages() ([]store.Stage, error) {
	vocabulary, err := w.vocabularyStage()
	if err != nil {
		return nil, err
	}
	switch w.Profile.Corpus.Kind {
	case profile.KindMiniWorld:
		return []store.Stage{w.worldStage(), vocabulary}, nil
	case profile.KindPrepared:
		text, err := w.preparedStage()
		return []store.Stage{text, vocabulary}, err
	}
	return []store.Stage{vocabulary}, nil
}

// SpaceStage is the stage of a row's space.
func (w *Workspace) SpaceStage(row profile.Row) (store.Stage, error) { return w.spaceStage(row) }

// SetStages returns the stages of what a row has of a set: costs to random documents or combined histograms, scores
// and draws.
func (w *Workspace) SetStages(row profile.Row, set profile.Set) (stages []store.Stage, err error) {
	needs := row.Method.Needs()
	if needs.Costs != nil {
		stage, err := w.wordCostsStage(needs.Costs, set)
		if stages = append(stages, stage); err != nil {
			return nil, err
		}
	}
	if needs.Combined != nil {
		stage, err := w.combinedStage(needs.Combined, set)
		if stages = append(stages, stage); err != nil {
			return nil, err
		}
	}
	scores, sampling, err := w.ScoresStage(row, set)
	return append(stages, scores, drawsStage(scores, sampling)), err
}
