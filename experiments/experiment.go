package experiments

import (
	"context"
	"slices"

	"contextmover/experiments/dataset"
	"contextmover/experiments/figure"
	"contextmover/experiments/profile"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
)

// An Experiment is one section of the paper.
type Experiment struct {
	Name string // as on the command line
	Help string // what it is about, a few words
	// Files lists the evaluation files that a profile has it read.
	Files func(p *profile.Profile) []string
	// Run computes what the workspace's store lacks and returns what it makes.
	Run func(ctx context.Context, w *Workspace) (*Output, error)
}

// Output is what an experiment shows.
type Output struct {
	Tables  []*render.Table
	Figures []*figure.Figure
	// Quantities are our numbers beside the printed ones that they reproduce, for the
	// verdict. Cells of Tables that have a printed number need none of their own.
	Quantities []results.Quantity
}

func stsFiles(p *profile.Profile) (files []string) {
	for _, g := range p.STS.Groups {
		for _, s := range g.Sets {
			files = append(files, s.File)
		}
	}
	if p.STS.UsesList() {
		files = append(files, p.STS.Frequencies)
	}
	return files
}

func hypernymyFiles(p *profile.Profile) (files []string) {
	for _, s := range p.Hypernymy.Sets {
		files = append(files, s.File)
	}
	if p.Hypernymy.HyperLex != "" {
		files = append(files, p.Hypernymy.HyperLex)
	}
	return files
}

func wordFiles(p *profile.Profile) (files []string) {
	for _, s := range p.WordSim.Sets {
		files = append(files, s.File)
	}
	return files
}

// CheckFiles returns a *dataset.MissingError with every file that the data folder lacks
// for these experiments, corpus and vectors included, so that none shows up missing
// after hours of work. A profile on a generated world lacks nothing.
func (w *Workspace) CheckFiles(chosen ...Experiment) error {
	if w.Profile.Corpus.Kind == profile.KindMiniWorld {
		return nil
	}
	// Counts that are in the store need no corpus.
	var files []string
	if counts, err := w.countsStage(); err != nil || !w.Store.Has(counts) {
		files = slices.Clone(w.corpusFiles())
	}
	for _, kind := range []string{profile.GloVe, profile.Entailment} {
		if f := w.vectorFile(kind); f != "" {
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
		{"sts", "sentence similarity", stsFiles, runSTS},
		{"weights", "how the paper's rows weighed words", stsFiles, runWeights},
		{"hypernymy", "hypernymy", hypernymyFiles, runHypernymy},
		{"wordsim", "word similarity", wordFiles, runWordSim},
		{"clusters", "the number of clusters", stsFiles, runClusters},
		{"qualitative", "CoMB and SIF sentence by sentence", stsFiles, runQualitative},
		{"figures", "densities and transport plans as figures", func(*profile.Profile) []string { return nil }, runFigures},
	}
}

func runSTS(ctx context.Context, w *Workspace) (*Output, error) {
	result, err := w.RunSTS(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := result.Tables(w.Profile)
	if err != nil {
		return nil, err
	}
	quantities, err := result.quantities(ctx, w)
	if err != nil {
		return nil, err
	}
	err = w.addSeeds(quantities, func(further *Workspace) ([]results.Quantity, error) { return result.withSeed(ctx, further, quantities) })
	if t := seedsTable(w.Profile, "sts", 1, quantities, func(q results.Quantity) bool {
		return q.Column == "Avg_STS12_15" // the average over the test groups
	}); t != nil {
		tables = append(tables, t)
	}
	return &Output{Tables: tables, Quantities: quantities}, err
}

func runWordSim(ctx context.Context, w *Workspace) (*Output, error) {
	result, err := w.RunWordSim(ctx)
	if err != nil {
		return nil, err
	}
	quantities := result.quantities()
	err = w.addSeeds(quantities, func(further *Workspace) ([]results.Quantity, error) { return result.withSeed(ctx, further) })
	tables := result.Tables(w.Profile)
	if t := seedsTable(w.Profile, "wordsim", 1, quantities, func(q results.Quantity) bool { return q.Table == wordTable }); t != nil {
		tables = append(tables, t)
	}
	return &Output{Tables: tables, Quantities: quantities}, err
}

func runFigures(ctx context.Context, w *Workspace) (*Output, error) {
	figures, err := w.RunFigures(ctx)
	return &Output{Figures: figures}, err
}

func runHypernymy(ctx context.Context, w *Workspace) (*Output, error) {
	result, err := w.RunHypernymy(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := result.Tables(w.Profile)
	if err != nil {
		return nil, err
	}
	if t := result.seeds(w.Profile); t != nil {
		tables = append(tables, t)
	}
	return &Output{Tables: tables, Quantities: result.quantities(w.Profile)}, nil
}
