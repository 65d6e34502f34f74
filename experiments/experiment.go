package experiments

import (
	"context"
	"slices"

	"contextmover/experiments/clusters"
	"contextmover/experiments/dataset"
	"contextmover/experiments/figures"
	"contextmover/experiments/hypernymy"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/profile"
	"contextmover/experiments/qualitative"
	"contextmover/experiments/sts"
	"contextmover/experiments/weights"
	"contextmover/experiments/wordsim"
)

// An Experiment is one section of the paper.
type Experiment struct {
	Name string // as on the command line
	Help string // what it is about, a few words
	// Files lists the evaluation files that a profile has it read.
	Files func(p *profile.Profile) []string
	// Run computes what the workspace's store lacks and returns what it makes.
	Run func(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error)
}

// CheckFiles returns a *dataset.MissingError with every file that the data folder lacks
// for these experiments, corpus and vectors included, so that none shows up missing
// after hours of work. A profile on a generated world lacks nothing.
func CheckFiles(w *pipeline.Workspace, chosen ...Experiment) error {
	if w.Profile.Corpus.Kind == profile.KindMiniWorld {
		return nil
	}
	// Counts that are in the store need no corpus.
	var files []string
	if counts, err := w.CountsStage(); err != nil || !w.Store.Has(counts) {
		files = slices.Clone(w.CorpusFiles())
	}
	for _, kind := range []string{profile.GloVe, profile.Entailment} {
		if f := w.VectorFile(kind); f != "" {
			files = append(files, f)
		}
	}
	for _, x := range chosen {
		for _, f := range x.Files(w.Profile) {
			if !slices.Contains(files, f) {
				files = append(files, f)
			}
		}
	}
	return dataset.CheckPresent(w.Data, files...)
}

// Experiments returns all experiments in the order of the paper.
func Experiments() []Experiment {
	return []Experiment{
		{"sts", "sentence similarity", sts.Files, sts.Run},
		{"weights", "how the paper's rows weighed words", sts.Files, weights.Run},
		{"hypernymy", "hypernymy", hypernymy.Files, hypernymy.Run},
		{"wordsim", "word similarity", wordsim.Files, wordsim.Run},
		{"clusters", "the number of clusters", sts.Files, clusters.Run},
		{"qualitative", "CoMB and SIF sentence by sentence", sts.Files, qualitative.Run},
		{"figures", "densities and transport plans as figures", func(*profile.Profile) []string { return nil }, figures.Run},
	}
}
