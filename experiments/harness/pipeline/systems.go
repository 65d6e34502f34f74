package pipeline

import (
	"context"
	"fmt"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/npy"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/poincare"
)

// DIVENode is the folder of vectors of DIVE.
func (w *Workspace) DIVENode(p dive.Params) store.Node[string] {
	p.Seed = w.Seed("dive")
	return w.systemNode("dive", p, trained(w, p, dive.Train, fmt.Sprintf("DIVE, %d dimensions, k_I %g, %.3g M samples",
		p.Dim, p.Inclusion, float64(p.Samples)/1e6)))
}

// GaussianNode is the folder of Gaussian embeddings.
func (w *Workspace) GaussianNode(p gaussian.Params) store.Node[string] {
	p.Seed = w.Seed("gaussian")
	n := w.systemNode("gaussian", p, trained(w, p, gaussian.Train,
		fmt.Sprintf("Gaussian embedding, %d dimensions, margin %g, %.3g M samples",
			p.Dim, p.Margin, float64(p.Samples)/1e6)))
	if p.Spherical {
		n.Version = 2 // sums in lanes
	}
	return n
}

// PoincareNode is the folder of points by Poincaré GloVe.
func (w *Workspace) PoincareNode(p poincare.Params) store.Node[string] {
	p.Seed = w.Seed("poincare")
	return w.systemNode("poincare", p, trained(w, p, poincare.Train,
		fmt.Sprintf("Poincaré GloVe, %d disks, %d epochs, rate %g", p.Disks, p.Epochs, p.Rate)))
}

// systemNode is the folder of vectors by a method of others that is trained on the counts. kind is its name in stores.
func (w *Workspace) systemNode(kind string, params any, train training) store.Node[string] {
	return store.Node[string]{
		Name: "system", Version: 1, Params: map[string]any{kind: params}, Inputs: []store.Input{w.CountsNode()},
		Fill: func(ctx context.Context, dir string) error { return w.writeVectors(ctx, dir, kind, train) },
	}
}

// A training returns vectors of the vocabulary's words, and may write more to the folder.
type training func(ctx context.Context, dir string) ([]float32, error)

// trained is a training on the counts, which leaves the loss of each pass in the folder. step says what is trained.
func trained[P any](w *Workspace, p P, train func(
	ctx context.Context, counts *corpus.Counts, p P, progress func(done, total int64),
) (*trainers.Result, error), step string) training {
	return func(ctx context.Context, dir string) ([]float32, error) {
		counts, err := w.Counts(ctx)
		if err != nil {
			return nil, err
		}
		progress, finish := w.Step(step)
		defer finish()
		r, err := train(ctx, counts, p, progress)
		if err != nil {
			return nil, err
		}
		return r.Vectors, writeLoss(dir, r.Loss)
	}
}

// writeLoss leaves the loss of each pass of a training in a folder.
func writeLoss(dir string, loss []float64) error {
	return npy.Write(filepath.Join(dir, "loss.npy"), []int{len(loss)}, loss)
}
