// Package experiments lists the sections of the paper. Each is a package of its own, which says
// what tables and figures it makes; what they share is package pipeline. A further section is a
// folder and a line in Experiments.
package experiments

import (
	"context"
	"slices"

	"contextmover/experiments/beyond/alignment"
	"contextmover/experiments/beyond/documents"
	"contextmover/experiments/beyond/geometry"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/paper/clusters"
	"contextmover/experiments/paper/figures"
	"contextmover/experiments/paper/hypernymy"
	"contextmover/experiments/paper/qualitative"
	"contextmover/experiments/paper/scaling"
	"contextmover/experiments/paper/sts"
	"contextmover/experiments/paper/weights"
	"contextmover/experiments/paper/wordsim"
)

// An Experiment is one section of the paper, or one of our own.
type Experiment struct {
	Name string // as on the command line
	Help string // what it is about, a few words
	// Paper tells a section of the paper from what goes beyond it.
	Paper bool
	// Files lists the evaluation files that a profile has it read.
	Files func(p *profile.Profile) []string
	// IDs lists the tables and figures that Run may make for a profile. Which of them it does make can depend on what
	// it finds.
	IDs func(p *profile.Profile) []string
	// Run computes what the workspace's store lacks and returns what it makes.
	Run func(ctx context.Context, w *pipeline.Workspace) (*pipeline.Output, error)
}

// Files lists what a profile has experiments read of the data folder, each file once: evaluation data, vectors and,
// with text, the text. A profile on a generated world has none.
func Files(p *profile.Profile, text bool, chosen ...Experiment) (files []string, err error) {
	if p.Corpus.Kind == profile.KindMiniWorld {
		return nil, nil
	}
	if text {
		if files, err = pipeline.TextFiles(p); err != nil {
			return nil, err
		}
	}
	files = append(files, pipeline.VectorFiles(p)...)
	for _, x := range chosen {
		files = append(files, x.Files(p)...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// CheckFiles returns a *dataset.MissingError with every file that the data folder lacks
// for these experiments, text and vectors included, so that none shows up missing
// after hours of work. Where the store has what is made of the text, the text is not needed.
func CheckFiles(w *pipeline.Workspace, chosen ...Experiment) error {
	files, err := Files(w.Profile, w.NeedsText(), chosen...)
	if err != nil {
		return err
	}
	return dataset.CheckPresent(w.Data, files...)
}

// Experiments returns all experiments in the order of the paper.
func Experiments() []Experiment {
	return []Experiment{
		{"sts", "sentence similarity", true, sts.Files, sts.IDs, sts.Run},
		{"weights", "how the paper's rows weighed words", false, sts.Files, weights.IDs, weights.Run},
		{"hypernymy", "hypernymy", true, hypernymy.Files, hypernymy.IDs, hypernymy.Run},
		{"wordsim", "word similarity", true, wordsim.Files, wordsim.IDs, wordsim.Run},
		{"clusters", "the number of clusters", true, sts.Files, clusters.IDs, clusters.Run},
		{"scaling", "the amount of text", false, sts.Files, scaling.IDs, scaling.Run},
		{"geometry", "the benefit of the ground cost", false, geometry.Files, geometry.IDs, geometry.Run},
		{"alignment", "words linked as people link them", false, alignment.Files, alignment.IDs, alignment.Run},
		{"documents", "documents by their nearest neighbours", false, documents.Files, documents.IDs, documents.Run},
		{"qualitative", "CoMB and SIF sentence by sentence", true, sts.Files, qualitative.IDs, qualitative.Run},
		{"figures", "densities and transport plans as figures", true,
			func(*profile.Profile) []string { return nil }, figures.IDs, figures.Run},
	}
}
