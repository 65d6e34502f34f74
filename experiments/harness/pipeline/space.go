package pipeline

import (
	"context"
	"fmt"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
)

// spaceFile is that of the space in its artefact.
const spaceFile = "space"

// OpenSpace opens the space of the profile for questions, with its engine, and returns its file
// too; it makes the space if the store has none. Of a space that is there only the checksums that
// cmdlib.Open looks at are verified, as opening is meant to take no time.
func (w *Workspace) OpenSpace(ctx context.Context) (*cmdlib.Space, string, error) {
	row := w.Profile.Space.Row()
	stage, err := w.SpaceNode(row).Stage()
	if err != nil {
		return nil, "", err
	}
	if dir, ok := w.Store.Find(stage); ok {
		path := filepath.Join(dir, spaceFile)
		if s, err := cmdlib.Open(path, w.Engine); err == nil {
			return s, path, nil
		}
		// It is damaged, which the store sees and mends.
	}
	return w.OpenSpaceOf(ctx, row)
}

// OpenSpaceOf opens the space of a row of sentence similarity as OpenSpace does, but verified as a
// whole, once a process: what is made from it is kept.
func (w *Workspace) OpenSpaceOf(ctx context.Context, row profile.Row) (*cmdlib.Space, string, error) {
	dir, err := store.Get(ctx, w.Store, w.SpaceNode(row))
	if err != nil {
		return nil, "", err
	}
	path := filepath.Join(dir, spaceFile)
	s, err := cmdlib.Open(path, w.Engine)
	return s, path, err
}

// SpaceNode is the artefact with the space of a row.
func (w *Workspace) SpaceNode(row profile.Row) store.Node[string] {
	settings, err := method.SettingsOf(row.Method)
	return store.Node[string]{
		Name: "space", Version: 7, Params: settings,
		Inputs: []store.Input{
			w.CountsNode(), w.VectorsNode(row.Vectors()), w.ClustersNode(w.RowEstimates(row).Clusters),
		},
		Fill: func(ctx context.Context, dir string) error {
			if err != nil {
				return fmt.Errorf("row %q: %w", row.ID, err)
			}
			return w.writeSpace(ctx, row, settings, filepath.Join(dir, spaceFile))
		},
	}
}

func (w *Workspace) writeSpace(ctx context.Context, row profile.Row, settings cmdlib.Settings, path string) error {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return err
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return err
	}
	clusters, err := w.Clusters(ctx, w.RowEstimates(row).Clusters)
	if err != nil {
		return err
	}
	estimates, err := w.Estimates(ctx, w.RowEstimates(row))
	if err != nil {
		return err
	}
	associations, err := w.Associations(ctx, settings.SPPMI)
	if err != nil {
		return err
	}
	counts, err := store.Get(ctx, w.Store, w.CountsNode())
	if err != nil {
		return err
	}
	marginals, err := counts.Marginals(settings.SPPMI.Smoothing)
	if err != nil {
		return err
	}
	cost, err := w.Ground(ctx, w.RowGround(row))
	if err != nil {
		return err
	}
	_, finish := w.Step("write the space")
	defer finish()
	return cmdlib.Write(ctx, path, cmdlib.Contents{
		Vocabulary: v, Histograms: ot.Histograms{K: estimates.K, Data: estimates.Data},
		Dim: vectors.Dim, Vectors: vectors.Data, Centroids: clusters.Centroids, Cost: cost.Cost,
		Settings: settings, Assignment: clusters.Assignment, Associations: associations,
		Reference: &cmdlib.Reference{
			Window: w.Profile.Corpus.Window, Marginals: marginals.Contexts, Total: marginals.Total,
			Divisors: estimates.Divisors,
		},
		Provenance: map[string]any{
			"profile": w.Profile.Name, "corpus": w.Profile.Description, "vectors": row.Vectors(),
			"window": w.Profile.Corpus.Window, "min_count": w.Profile.Corpus.MinCount, "seed": w.Profile.Seed,
		},
	})
}
