package pipeline

import (
	"context"
	"fmt"
	"path/filepath"

	"contextmover/cmdlib"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// spaceFolder is that of the space in its artefact.
const spaceFolder = "space"

// OpenSpace opens the space of the profile for questions, with its engine, and returns its folder
// too; it makes the space if the store has none. Of a space that is there only the checksums that
// cmdlib.Open looks at are verified, as opening is meant to take no time.
func (w *Workspace) OpenSpace(ctx context.Context) (*cmdlib.Space, string, error) {
	row := w.Profile.Space.Row()
	stage, err := w.spaceStage(row)
	if err != nil {
		return nil, "", err
	}
	if dir, ok := w.Store.Find(stage); ok {
		dir = filepath.Join(dir, spaceFolder)
		if s, err := cmdlib.Open(dir, w.Engine); err == nil {
			return s, dir, nil
		}
		// It is damaged, which the store sees and mends.
	}
	return w.OpenSpaceOf(ctx, row)
}

// HasSpace tells whether the store has the profile's space.
func (w *Workspace) HasSpace() bool {
	stage, err := w.spaceStage(w.Profile.Space.Row())
	return err == nil && w.Store.Has(stage)
}

// OpenSpaceOf opens the space of a row of sentence similarity as OpenSpace does, but verified as a
// whole, once a process: what is made from it is kept.
func (w *Workspace) OpenSpaceOf(ctx context.Context, row profile.Row) (*cmdlib.Space, string, error) {
	stage, err := w.spaceStage(row)
	if err != nil {
		return nil, "", err
	}
	dir, err := w.Store.Get(ctx, stage, func(ctx context.Context, dir string) error {
		return w.writeSpace(ctx, row, filepath.Join(dir, spaceFolder))
	})
	if err != nil {
		return nil, "", err
	}
	dir = filepath.Join(dir, spaceFolder)
	s, err := cmdlib.Open(dir, w.Engine)
	return s, dir, err
}

// SpaceKey is the key of the space of a row.
func (w *Workspace) SpaceKey(row profile.Row) (store.Key, error) {
	stage, err := w.spaceStage(row)
	if err != nil {
		return "", err
	}
	return stage.Key(), nil
}

// spaceSettings are those of a row.
func spaceSettings(row profile.Row) (cmdlib.Settings, error) {
	h := row.Histograms()
	if !row.HasHistograms() || h.Weighting.Marginal() != method.OfCorpus {
		return cmdlib.Settings{}, fmt.Errorf("row %q has the weights %q, which a space cannot have: its words weigh by the corpus's own counts", row.ID, h.Weights)
	}
	s := cmdlib.Settings{
		SPPMI:     sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift},
		Estimate:  estimate.Params{Normalisation: h.Normalisation, Beta: h.Beta},
		Ground:    h.Cost.Params(h.Reg),
		Transport: ot.Settings{Reg: h.Reg, MaxIter: h.Iterations},
		Sentence:  cmdlib.SentenceSettings{Combination: cmdlib.Average, Weighting: h.Weighting.Of()},
		Encoding:  cmdlib.DefaultEncoding,
	}
	if h.Accelerate {
		s.Transport = h.Transport.Distances()
	}
	if row.Method.Needs().Combined != nil {
		s.Sentence.Combination = cmdlib.Barycenter
		if _, debiased := row.Method.(method.Debiased); debiased {
			s.Sentence.Combination = cmdlib.DebiasedBarycenter
		}
		s.Sentence.Transport = h.Transport.Barycenters()
	}
	return s, nil
}

func (w *Workspace) spaceStage(row profile.Row) (store.Stage, error) {
	settings, err := spaceSettings(row)
	if err != nil {
		return store.Stage{}, err
	}
	counts, err := w.CountsStage()
	if err != nil {
		return store.Stage{}, err
	}
	vectors, err := w.VectorsStage(row.Vectors())
	if err != nil {
		return store.Stage{}, err
	}
	clusters, err := w.ClustersStage(w.RowClusters(row))
	return store.Stage{
		Name: "space", Version: 5, Params: settings,
		Inputs: []store.Key{counts.Key(), vectors.Key(), clusters.Key()},
	}, err
}

func (w *Workspace) writeSpace(ctx context.Context, row profile.Row, dir string) error {
	settings, err := spaceSettings(row)
	if err != nil {
		return err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return err
	}
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return err
	}
	clusters, err := w.Clusters(ctx, w.RowClusters(row))
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
	counts, err := w.summedCounts(ctx)
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
	return cmdlib.Write(ctx, dir, cmdlib.Contents{
		Vocabulary: v, Histograms: ot.Histograms{K: estimates.K, Data: estimates.Data},
		Dim: vectors.Dim, Vectors: vectors.Data, Centroids: clusters.Centroids, Cost: cost.Cost,
		Settings: settings, Assignment: clusters.Assignment, Associations: associations,
		Reference: &cmdlib.Reference{
			Window: w.Profile.Corpus.Window, Marginals: marginals.Contexts, Total: marginals.Total, Divisors: estimates.Divisors,
		},
		Provenance: map[string]any{
			"profile": w.Profile.Name, "corpus": w.Profile.Description, "vectors": row.Vectors(),
			"window": w.Profile.Corpus.Window, "min_count": w.Profile.Corpus.MinCount, "seed": w.Profile.Seed,
		},
	})
}
