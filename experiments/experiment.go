package experiments

import (
	"context"

	"contextmover/experiments/figure"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
)

// An Experiment is one section of the paper.
type Experiment struct {
	Name string // as on the command line
	Help string // what it is about, a few words
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

// Experiments returns all experiments in the order of the paper.
func Experiments() []Experiment {
	return []Experiment{
		{"sts", "sentence similarity", runSTS},
		{"hypernymy", "hypernymy", runHypernymy},
		{"wordsim", "word similarity", runWordSim},
		{"clusters", "the number of clusters", runClusters},
		{"qualitative", "CoMB and SIF sentence by sentence", runQualitative},
		{"figures", "densities and transport plans as figures", runFigures},
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
	return &Output{Tables: tables, Quantities: quantities}, err
}

func runWordSim(ctx context.Context, w *Workspace) (*Output, error) {
	result, err := w.RunWordSim(ctx)
	if err != nil {
		return nil, err
	}
	return &Output{Tables: result.Tables(w.Profile), Quantities: result.quantities()}, nil
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
	return &Output{Tables: tables, Quantities: result.quantities(w.Profile)}, err
}
