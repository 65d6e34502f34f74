package timings

import (
	"context"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
)

// Estimates is the work between the vectors and counts of a corpus and the estimates of a row of sentence similarity,
// to be measured. Nothing of it comes from the store or goes there.
type Estimates struct {
	Words, Dim, Clusters, Cooccurrences int
	// Cluster makes the clusters, Histograms the estimates from the counts and the
	// clusters that Cluster made before.
	Cluster, Histograms func(ctx context.Context) error
}

// NewEstimates returns the work of a row. It makes what the store lacks of the row's
// vectors and counts.
func NewEstimates(ctx context.Context, w *pipeline.Workspace, row profile.Row) (*Estimates, error) {
	vectors, err := w.VectorsOf(ctx, row.Vectors())
	if err != nil {
		return nil, err
	}
	counts, err := w.Counts(ctx)
	if err != nil {
		return nil, err
	}
	clusters, estimates := w.RowClusters(row), w.RowEstimates(row)
	var made *cluster.Result
	return &Estimates{
		Words: vectors.Len(), Dim: vectors.Dim, Clusters: clusters.K, Cooccurrences: counts.NonZeros(),
		Cluster: func(ctx context.Context) (err error) {
			made, err = cluster.KMeans(ctx, vectors.Data, vectors.Dim, clusters.KMeans(), nil)
			return err
		},
		Histograms: func(ctx context.Context) error {
			m, err := sppmi.Compute(ctx, counts, sppmi.Params{Smoothing: estimates.Smoothing, Shift: estimates.Shift})
			if err != nil {
				return err
			}
			_, err = estimate.Histograms(ctx, m, made.Assignment, clusters.K, estimate.Params{
				Normalisation: estimate.Normalisation(estimates.Normalisation), Beta: estimates.Beta,
			})
			return err
		},
	}, nil
}
