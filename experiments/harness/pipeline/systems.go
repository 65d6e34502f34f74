package pipeline

import (
	"context"
	"fmt"
	"log/slog"
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
	p.Seed = Seed(w.Profile.Seed, "dive")
	return systemNode(w, "dive", p, dive.Train, fmt.Sprintf("DIVE, %d dimensions, k_I %g, %.3g M samples",
		p.Dim, p.Inclusion, float64(p.Samples)/1e6))
}

// GaussianNode is the folder of Gaussian embeddings.
func (w *Workspace) GaussianNode(p gaussian.Params) store.Node[string] {
	p.Seed = Seed(w.Profile.Seed, "gaussian")
	n := systemNode(w, "gaussian", p, gaussian.Train,
		fmt.Sprintf("Gaussian embedding, %d dimensions, margin %g, %.3g M samples",
			p.Dim, p.Margin, float64(p.Samples)/1e6))
	if p.Spherical {
		n.Version = 2 // sums in lanes
	}
	return n
}

// PoincareNode is the folder of points by Poincaré GloVe.
func (w *Workspace) PoincareNode(p poincare.Params) store.Node[string] {
	p.Seed = Seed(w.Profile.Seed, "poincare")
	return systemNode(w, "poincare", p, poincare.Train,
		fmt.Sprintf("Poincaré GloVe, %d disks, %d epochs, rate %g", p.Disks, p.Epochs, p.Rate))
}

// systemNode is the folder of vectors by a method of others that is trained on the counts. kind is its name in stores,
// step what is trained, in words.
func systemNode[P any](w *Workspace, kind string, p P, train func(
	ctx context.Context, counts *corpus.Counts, p P, progress func(done, total int64),
) (*trainers.Result, error), step string) store.Node[string] {
	return store.Node[string]{
		Name: "system", Version: 1, Params: map[string]any{kind: p}, Inputs: []store.Input{w.CountsNode()},
		Fill: func(ctx context.Context, dir string) error {
			counts, err := w.Counts(ctx)
			if err != nil {
				return err
			}
			progress, finish := w.Step(step)
			defer finish()
			r, err := train(ctx, counts, p, progress)
			if err != nil {
				return err
			}
			logLoss(r.Loss)
			if err := writeLoss(dir, r.Loss); err != nil {
				return err
			}
			shape := []int{counts.Rows, len(r.Vectors) / counts.Rows}
			return npy.Write(filepath.Join(dir, vectorsFile), shape, r.Vectors)
		},
	}
}

// logLoss tells how a training went.
func logLoss(loss []float64) {
	slog.Info("trained", "passes", len(loss), "loss_of_first", fmt.Sprintf("%.4f", loss[0]), "of_last",
		fmt.Sprintf("%.4f", loss[len(loss)-1]))
}

// writeLoss leaves the loss of each pass of a training in a folder.
func writeLoss(dir string, loss []float64) error {
	return npy.Write(filepath.Join(dir, "loss.npy"), []int{len(loss)}, loss)
}
