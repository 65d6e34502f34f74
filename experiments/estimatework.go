package experiments

import (
	"context"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/profile"
)

// EstimateWork is what lies between the vectors and counts of a corpus and the estimates
// of a row of sentence similarity, for those who measure it: nothing of it comes from
// the store or goes there.
type EstimateWork struct {
	Words, Dim, Clusters, Cooccurrences int
	// Cluster makes the clusters, Histograms the estimates from the counts and the
	// clusters that Cluster made before.
	Cluster, Histograms func(ctx context.Context) error
}

// EstimateWork returns the work of a row. It makes what the store lacks of the row's
// vectors and counts.
func (w *Workspace) EstimateWork(ctx context.Context, row profile.Row) (*EstimateWork, error) {
	vectors, err := w.VectorsOf(ctx, row.Vectors)
	if err != nil {
		return nil, err
	}
	counts, err := w.Counts(ctx)
	if err != nil {
		return nil, err
	}
	clusters, estimates := w.rowClusters(row), w.rowEstimates(row)
	normalisation, err := estimate.ParseNormalisation(estimates.Normalisation)
	if err != nil {
		return nil, err
	}
	var made *cluster.Result
	return &EstimateWork{
		Words: vectors.Len(), Dim: vectors.Dim, Clusters: clusters.K, Cooccurrences: counts.NonZeros(),
		Cluster: func(ctx context.Context) (err error) {
			made, err = cluster.KMeans(ctx, vectors.Data, vectors.Dim, clusters.kMeans(), nil)
			return err
		},
		Histograms: func(ctx context.Context) error {
			m, err := sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: estimates.Smoothing, Shift: estimates.Shift})
			if err != nil {
				return err
			}
			_, err = estimate.Histograms(ctx, m, made.Assignment, clusters.K, estimate.Params{Normalisation: normalisation, Beta: estimates.Beta})
			return err
		},
	}, nil
}
