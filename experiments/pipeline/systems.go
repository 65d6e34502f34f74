package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/embedding/dive"
	"contextmover/cmdlib/embedding/gaussian"
	"contextmover/cmdlib/embedding/poincare"
	"contextmover/cmdlib/npy"
	"contextmover/experiments/store"
)

// A System is a method of others that is trained on the counts: one of its fields is set. Seeds are those of the
// workspace.
type System struct {
	DIVE     *dive.Params     `json:"dive,omitempty"`
	Gaussian *gaussian.Params `json:"gaussian,omitempty"`
	Poincare *poincare.Params `json:"poincare,omitempty"`
}

// seeded is the system with a workspace's seed.
func (s System) seeded(w *Workspace) System {
	switch {
	case s.DIVE != nil:
		p := *s.DIVE
		p.Seed = Seed(w.Profile.Seed, "dive")
		s.DIVE = &p
	case s.Gaussian != nil:
		p := *s.Gaussian
		p.Seed = Seed(w.Profile.Seed, "gaussian")
		s.Gaussian = &p
	case s.Poincare != nil:
		p := *s.Poincare
		p.Seed = Seed(w.Profile.Seed, "poincare")
		s.Poincare = &p
	}
	return s
}

// SystemNode is the folder of a system's vectors.
func (w *Workspace) SystemNode(s System) store.Node[string] {
	s = s.seeded(w)
	version := 1
	if s.Gaussian != nil && s.Gaussian.Spherical {
		version = 2 // sums in lanes
	}
	return store.Node[string]{
		Name: "system", Version: version, Inputs: []store.Input{w.CountsNode()}, Params: s,
		Fill: func(ctx context.Context, dir string) error {
			counts, err := w.Counts(ctx)
			if err != nil {
				return err
			}
			vectors, loss, err := s.train(ctx, w, counts)
			if err != nil {
				return err
			}
			slog.Info("trained", "passes", len(loss),
				"loss_of_first", fmt.Sprintf("%.4f", loss[0]), "of_last", fmt.Sprintf("%.4f", loss[len(loss)-1]))
			if err := npy.Write(filepath.Join(dir, "loss.npy"), []int{len(loss)}, loss); err != nil {
				return err
			}
			return npy.Write(filepath.Join(dir, vectorsFile), []int{counts.Rows, len(vectors) / counts.Rows}, vectors)
		},
	}
}

// SystemVectors returns a system's vectors, row i for word i of the profile's vocabulary.
func (w *Workspace) SystemVectors(ctx context.Context, s System) (*embedding.Vectors, error) {
	return w.vectorsIn(ctx, w.SystemNode(s))
}

// train returns the vectors of all words and the loss of each pass.
func (s System) train(
	ctx context.Context, w *Workspace, counts *corpus.Counts,
) (vectors []float32, loss []float64, err error) {
	switch {
	case s.DIVE != nil:
		p := s.DIVE
		progress, finish := w.Step(fmt.Sprintf("DIVE, %d dimensions, k_I %g, %.3g M samples",
			p.Dim, p.Inclusion, float64(p.Samples)/1e6))
		defer finish()
		r, err := dive.Train(ctx, counts, *p, progress)
		if err != nil {
			return nil, nil, err
		}
		return r.Vectors, r.Loss, nil
	case s.Gaussian != nil:
		p := s.Gaussian
		progress, finish := w.Step(fmt.Sprintf("Gaussian embedding, %d dimensions, margin %g, %.3g M samples",
			p.Dim, p.Margin, float64(p.Samples)/1e6))
		defer finish()
		r, err := gaussian.Train(ctx, counts, *p, progress)
		if err != nil {
			return nil, nil, err
		}
		return r.Distributions, r.Loss, nil
	case s.Poincare != nil:
		p := s.Poincare
		progress, finish := w.Step(fmt.Sprintf("Poincaré GloVe, %d disks, %d epochs, rate %g",
			p.Disks, p.Epochs, p.Rate))
		defer finish()
		r, err := poincare.Train(ctx, counts, *p, progress, nil)
		if err != nil {
			return nil, nil, err
		}
		return r.Points, r.Loss, nil
	}
	panic("pipeline: a system without settings")
}
