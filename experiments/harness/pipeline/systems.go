package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/npy"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/dive"
	"contextmover/experiments/harness/trainers/gaussian"
	"contextmover/experiments/harness/trainers/poincare"
)

// A System is a method of others that is trained on the counts: a DIVE, Gaussian or Poincare.
type System interface {
	// kind is its name in stores, and that of its random numbers.
	kind() string
	version() int
	seeded(seed uint64) System
	// step says what is trained, in words.
	step() string
	// train returns the vectors of all words and the loss of each pass.
	train(ctx context.Context, counts *corpus.Counts, progress func(done, total int64)) ([]float32, []float64, error)
}

// The systems are their trainings' settings; seeds are those of the workspace.
type (
	DIVE     dive.Params
	Gaussian gaussian.Params
	Poincare poincare.Params
)

func (DIVE) kind() string     { return "dive" }
func (Gaussian) kind() string { return "gaussian" }
func (Poincare) kind() string { return "poincare" }

func (DIVE) version() int     { return 1 }
func (Poincare) version() int { return 1 }
func (s Gaussian) version() int {
	if s.Spherical {
		return 2 // sums in lanes
	}
	return 1
}

func (s DIVE) seeded(seed uint64) System     { s.Seed = seed; return s }
func (s Gaussian) seeded(seed uint64) System { s.Seed = seed; return s }
func (s Poincare) seeded(seed uint64) System { s.Seed = seed; return s }

func (s DIVE) step() string {
	return fmt.Sprintf("DIVE, %d dimensions, k_I %g, %.3g M samples", s.Dim, s.Inclusion, float64(s.Samples)/1e6)
}

func (s Gaussian) step() string {
	return fmt.Sprintf("Gaussian embedding, %d dimensions, margin %g, %.3g M samples",
		s.Dim, s.Margin, float64(s.Samples)/1e6)
}

func (s Poincare) step() string {
	return fmt.Sprintf("Poincaré GloVe, %d disks, %d epochs, rate %g", s.Disks, s.Epochs, s.Rate)
}

func (s DIVE) train(
	ctx context.Context, counts *corpus.Counts, progress func(done, total int64),
) ([]float32, []float64, error) {
	r, err := dive.Train(ctx, counts, dive.Params(s), progress)
	if err != nil {
		return nil, nil, err
	}
	return r.Vectors, r.Loss, nil
}

func (s Gaussian) train(
	ctx context.Context, counts *corpus.Counts, progress func(done, total int64),
) ([]float32, []float64, error) {
	r, err := gaussian.Train(ctx, counts, gaussian.Params(s), progress)
	if err != nil {
		return nil, nil, err
	}
	return r.Distributions, r.Loss, nil
}

func (s Poincare) train(
	ctx context.Context, counts *corpus.Counts, progress func(done, total int64),
) ([]float32, []float64, error) {
	r, err := poincare.Train(ctx, counts, poincare.Params(s), progress, nil)
	if err != nil {
		return nil, nil, err
	}
	return r.Points, r.Loss, nil
}

// SystemNode is the folder of a system's vectors.
func (w *Workspace) SystemNode(s System) store.Node[string] {
	s = s.seeded(Seed(w.Profile.Seed, s.kind()))
	return store.Node[string]{
		Name: "system", Version: s.version(), Params: map[string]any{s.kind(): s},
		Inputs: []store.Input{w.CountsNode()},
		Fill: func(ctx context.Context, dir string) error {
			counts, err := w.Counts(ctx)
			if err != nil {
				return err
			}
			progress, finish := w.Step(s.step())
			defer finish()
			vectors, loss, err := s.train(ctx, counts, progress)
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
