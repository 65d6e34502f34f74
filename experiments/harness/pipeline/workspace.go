package pipeline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/miniworld"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
)

// Workspace computes what a profile describes, from its text to its context
// estimates: a profile, a store that keeps what was made, and an engine. Its methods may be called concurrently;
// what they return is shared and must not be changed.
type Workspace struct {
	Profile *profile.Profile
	Store   *store.Store
	// Data is the folder that real data is read from; the mini world needs none.
	Data   string
	Engine ot.Engine
	// Progress, if not nil, is called when a long step starts and returns the
	// function that is told how much of it is done.
	Progress func(step string) func(done, total int64)

	origin  *profile.Profile // that of the first seed, in a workspace of a further one; else nil
	shuffle int              // the further arrangement of what is shuffled; 0 for the first
	parts   int              // how many of the corpus's files or shards are read, the first ones; 0 for all
	refs    sync.Map         // of inputs that many others have and that take long to find, by name
}

// known is a node whose key is computed once in the workspace, which has no other node of the name.
func known[T any](w *Workspace, name string, n store.Node[T]) store.Node[T] {
	n.Known = w.once(name, n)
	return n
}

// once is an input whose keys are found once in the workspace.
func (w *Workspace) once(name string, input store.Input) store.Input {
	return store.Source(func() ([]store.Ref, error) {
		if refs, ok := w.refs.Load(name); ok {
			return refs.([]store.Ref), nil
		}
		refs, err := input.Refs()
		if err == nil {
			w.refs.Store(name, refs)
		}
		return refs, err
	})
}

// Step reports the start of a long step and returns its progress function and the
// one to call at its end.
func (w *Workspace) Step(name string) (progress func(done, total int64), finish func()) {
	start := time.Now()
	slog.Debug("start", "step", name)
	if w.Progress != nil {
		progress = w.Progress(name)
	}
	return progress, func() {
		slog.Info("done", "step", name, "seconds", fmt.Sprintf("%.1f", time.Since(start).Seconds()))
	}
}

// The parameters of stages, which are hashed into an artefact's key. Their JSON
// must not change unless their meaning does.
type (
	ClusterParams struct {
		K         int    `json:"k"`
		Spherical bool   `json:"spherical"`
		Seed      uint64 `json:"seed"`
		Kind      string `json:"kind,omitempty"` // of the vectors; empty for SVD
	}
	EstimateParams struct {
		sppmi.Params
		Histograms
		Clusters ClusterParams `json:"clusters"`
	}
	GroundParams struct {
		ground.Params
		Clusters ClusterParams `json:"clusters"`
		Geometry string        `json:"geometry,omitempty"` // as in a profile, "" for the true one
		Seed     uint64        `json:"seed,omitempty"`     // of what is shuffled
	}
	// Histograms are the settings of estimates apart from their associations and clusters.
	Histograms = estimate.Params
)

// vectors is the kind of vectors that are clustered.
func (p ClusterParams) vectors() string {
	return cmp.Or(p.Kind, profile.SVD)
}

// worldNode is the folder of the generated world.
func (w *Workspace) worldNode() store.Node[string] {
	return store.Node[string]{
		Name: "miniworld", Version: miniworld.Version,
		Params: map[string]any{"seed": w.worldSeed(), "tokens": w.Profile.Corpus.Tokens},
		Fill: func(_ context.Context, dir string) error {
			_, finish := w.Step("generate the mini world")
			defer finish()
			return miniworld.Generate(w.worldSeed(), w.Profile.Corpus.Tokens).Write(dir)
		},
	}
}

// worldSeed is the seed of the generated world: further seeds make methods again, not the world.
func (w *Workspace) worldSeed() uint64 {
	if w.origin != nil {
		return w.origin.Seed
	}
	return w.Profile.Seed
}

// File returns the path of a data file of the profile, made or checked.
func (w *Workspace) File(ctx context.Context, path string) (string, error) {
	files, err := w.files(ctx, []string{path})
	if err != nil {
		return "", err
	}
	return files[0], nil
}

func (w *Workspace) files(ctx context.Context, paths []string) ([]string, error) {
	if w.Profile.Corpus.Kind == profile.KindMiniWorld {
		dir, err := store.Get(ctx, w.Store, w.worldNode())
		if err != nil {
			return nil, err
		}
		var files []string
		for _, p := range paths {
			files = append(files, filepath.Join(dir, filepath.FromSlash(p)))
		}
		return files, nil
	}
	return dataset.Locate(w.Data, paths...)
}

// FileInput is a data file as an input, known by its SHA-256. That is the catalogue's where the file is known there
// (File checks that it is the right one), else that of the file in the folder. A file of the mini world is named by
// the world and its path.
func (w *Workspace) FileInput(path string) store.Input {
	if w.Profile.Corpus.Kind != profile.KindMiniWorld {
		return w.dataInput(path)
	}
	return w.once(fileName(path), store.FileOf{Artefact: w.worldNode(), Name: path})
}

// dataInput is a file of the data folder. One that the catalogue does not know is read for its checksum once: it
// must not change while the workspace is in use.
func (w *Workspace) dataInput(path string) store.Input {
	return w.once(fileName(path), store.Source(func() ([]store.Ref, error) {
		sum, err := dataset.SHA256(w.Data, path)
		return []store.Ref{{Key: store.Key(sum)}}, err
	}))
}

// fileName is the name of a file among the known inputs.
func fileName(path string) string { return "file " + path }

func (w *Workspace) fileInputs(paths ...string) (inputs []store.Input) {
	for _, path := range paths {
		inputs = append(inputs, w.FileInput(path))
	}
	return inputs
}

// A lexicon has the words of a text, and its size.
type lexicon struct {
	*corpus.Vocabulary
	Stats corpus.Stats
}

func (w *Workspace) vocabularyNode() store.Node[lexicon] {
	c := w.Profile.Corpus
	return known(w, "vocabulary", store.Node[lexicon]{
		Name: "vocabulary", Version: 2, Inputs: []store.Input{w.textInputs()},
		Params: map[string]any{"min_count": c.MinCount, "tokenised": c.Tokenised},
		Parts: func(v *lexicon) []store.Part {
			return []store.Part{{
				Name:  "vocab.txt",
				Write: func(path string) error { return v.Vocabulary.Write(path) },
				Read:  func(path string) (err error) { v.Vocabulary, err = corpus.ReadVocabulary(path); return err },
			}, store.JSON("stats.json", &v.Stats)}
		},
		Complete: func(_ context.Context, v *lexicon) error { return w.Profile.CheckVocabulary(v.Len()) },
		Make: func(ctx context.Context) (v lexicon, err error) {
			progress, finish := w.Step("vocabulary")
			defer finish()
			if w.authors() != "" {
				return w.givenWords()
			}
			text, err := w.text(ctx)
			if err != nil {
				return v, err
			}
			v.Vocabulary, v.Stats, err = corpus.BuildVocabulary(ctx, text, c.MinCount, progress)
			if errors.Is(err, corpus.ErrRare) {
				return v, w.Profile.Errorf("corpus.min_count", "%d: %v", c.MinCount, err)
			}
			if err == nil && v.Stats.Invalid > 0 {
				slog.Warn("bytes of the corpus that are not UTF-8 were read as U+FFFD; convert it (iconv -t UTF-8) "+
					"to keep them",
					"lines", v.Stats.Invalid)
			}
			return v, err
		},
	})
}

// Vocabulary returns the words of the profile's corpus. That the profile asks for more than they can serve is a
// *profile.Error, which so comes before anything that takes long.
func (w *Workspace) Vocabulary(ctx context.Context) (*corpus.Vocabulary, error) {
	v, err := store.Get(ctx, w.Store, w.vocabularyNode())
	return v.Vocabulary, err
}

// CorpusStats returns the size of the profile's corpus.
func (w *Workspace) CorpusStats(ctx context.Context) (corpus.Stats, error) {
	v, err := store.Get(ctx, w.Store, w.vocabularyNode())
	return v.Stats, err
}

// CountsNode is that of the co-occurrence counts, with their sums.
func (w *Workspace) CountsNode() store.Node[*sppmi.Counts] {
	c := w.Profile.Corpus
	return known(w, "counts", store.Node[*sppmi.Counts]{
		Name: "counts", Version: 2, Inputs: []store.Input{w.vocabularyNode(), w.textInputs()},
		Params: map[string]any{"window": c.Window, "tokenised": c.Tokenised},
		Parts: func(c **sppmi.Counts) []store.Part {
			if (*c).Matrix == nil {
				(*c).Matrix = new(corpus.Counts)
			}
			return matrixParts((*c).Matrix)
		},
		Complete: func(ctx context.Context, c **sppmi.Counts) (err error) {
			*c, err = sppmi.New(ctx, squared((*c).Matrix))
			return err
		},
		Make: func(ctx context.Context) (*sppmi.Counts, error) {
			if w.authors() != "" {
				given, err := givenMatrix[float64](ctx, w, "counts")
				return &sppmi.Counts{Matrix: given}, err
			}
			v, err := w.Vocabulary(ctx)
			if err != nil {
				return nil, err
			}
			text, err := w.text(ctx)
			if err != nil {
				return nil, err
			}
			progress, finish := w.Step("count co-occurrences")
			defer finish()
			counted, _, err := corpus.Count(ctx, text, v, c.Window, progress)
			return &sppmi.Counts{Matrix: counted}, err
		},
	})
}

// matrixParts are the files of a square matrix, whose size squared tells it.
func matrixParts(m *corpus.Counts) []store.Part {
	return []store.Part{
		store.Array("start.npy", &m.Start), store.Array("index.npy", &m.Index), store.Array("value.npy", &m.Value),
	}
}

func squared(m *corpus.Counts) *corpus.Counts {
	m.Rows, m.Cols = len(m.Start)-1, len(m.Start)-1
	return m
}

// Counts returns the co-occurrence counts of the profile's corpus.
func (w *Workspace) Counts(ctx context.Context) (*corpus.Counts, error) {
	c, err := store.Get(ctx, w.Store, w.CountsNode())
	if err != nil {
		return nil, err
	}
	return c.Matrix, nil
}

// AssociationsNode is the SPPMI matrix of the profile's counts, in memory.
func (w *Workspace) AssociationsNode(p sppmi.Params) store.Node[*sppmi.Matrix] {
	return known(w, fmt.Sprintf("associations %+v", p), store.Node[*sppmi.Matrix]{
		Name: "associations", Version: 1, Params: p, Inputs: []store.Input{w.CountsNode()},
		Make: func(ctx context.Context) (*sppmi.Matrix, error) {
			if w.authors() != "" {
				return givenMatrix[float32](ctx, w, associationsOf(p))
			}
			counts, err := store.Get(ctx, w.Store, w.CountsNode())
			if err != nil {
				return nil, err
			}
			_, finish := w.Step(fmt.Sprintf("associations α=%g s=%g", p.Smoothing, p.Shift))
			defer finish()
			return counts.Associations(ctx, p)
		},
	})
}

// Associations returns the SPPMI matrix of the profile's counts.
func (w *Workspace) Associations(ctx context.Context, p sppmi.Params) (*sppmi.Matrix, error) {
	return store.Get(ctx, w.Store, w.AssociationsNode(p))
}

// ClustersNode is that of K-means clusters of the word vectors.
func (w *Workspace) ClustersNode(p ClusterParams) store.Node[*cluster.Result] {
	return known(w, fmt.Sprintf("clusters %+v", p), store.Node[*cluster.Result]{
		Name: "clusters", Version: 1, Params: p, Inputs: []store.Input{w.VectorsNode(p.vectors())},
		Parts: func(r **cluster.Result) []store.Part {
			dim := len((*r).Centroids) / p.K
			return []store.Part{
				store.Matrix("centroids.npy", &dim, &(*r).Centroids), store.Array("assignment.npy", &(*r).Assignment),
			}
		},
		Make: func(ctx context.Context) (*cluster.Result, error) {
			if given, err := w.givenClusters(ctx, p); given != nil || err != nil {
				return given, err
			}
			vectors, err := w.VectorsOf(ctx, p.vectors())
			if err != nil {
				return nil, err
			}
			if p.K > vectors.Len() {
				return nil, fmt.Errorf("%w: %d clusters of the %d words of profile %s that have a vector, expected "+
					"at most as many",
					ErrSettings, p.K, vectors.Len(), w.Profile.Name)
			}
			progress, finish := w.Step(fmt.Sprintf("clusters K=%d", p.K))
			defer finish()
			words, points := w.withVector(p.vectors(), vectors)
			made, err := cluster.KMeans(ctx, points, vectors.Dim, p.KMeans(), progress)
			if err != nil {
				return nil, err
			}
			r := &cluster.Result{Centroids: made.Centroids, Assignment: slices.Repeat([]int32{-1}, vectors.Len())}
			for i, word := range words {
				r.Assignment[word] = made.Assignment[i]
			}
			return r, nil
		},
	})
}

// KMeans returns the parameters as cluster.KMeans takes them.
func (p ClusterParams) KMeans() cluster.Params {
	return cluster.Params{
		K: p.K, Spherical: p.Spherical, MaxIter: cluster.DefaultMaxIter, Tol: cluster.DefaultTol, Seed: p.Seed,
	}
}

// Clusters returns the K-means clusters of the word vectors.
func (w *Workspace) Clusters(ctx context.Context, p ClusterParams) (*cluster.Result, error) {
	return store.Get(ctx, w.Store, w.ClustersNode(p))
}

// EstimatesNode has the histogram of every word over the K clusters, in memory. A word without a
// vector has none.
func (w *Workspace) EstimatesNode(p EstimateParams) store.Node[*estimate.Estimates] {
	return known(w, fmt.Sprintf("estimates %+v", p), store.Node[*estimate.Estimates]{
		Name: "estimates", Version: 1, Params: p, Inputs: []store.Input{w.CountsNode(), w.ClustersNode(p.Clusters)},
		Make: func(ctx context.Context) (*estimate.Estimates, error) {
			if given, err := w.givenHistograms(ctx, p); given != nil || err != nil {
				return given, err
			}
			clusters, err := w.Clusters(ctx, p.Clusters)
			if err != nil {
				return nil, err
			}
			m, err := w.Associations(ctx, p.Params)
			if err != nil {
				return nil, err
			}
			_, finish := w.Step(fmt.Sprintf("estimates α=%g s=%g β=%g K=%d",
				p.Smoothing, p.Shift, p.Beta, p.Clusters.K))
			defer finish()
			return histograms(ctx, m, clusters, p)
		},
	})
}

// histograms makes estimates of the words that are in a cluster; the others are unknown.
func histograms(
	ctx context.Context, m *sppmi.Matrix, clusters *cluster.Result, p EstimateParams,
) (*estimate.Estimates, error) {
	e, err := estimate.Histograms(ctx, m, clusters.Assignment, p.Clusters.K, p.Histograms)
	if err != nil {
		return nil, err
	}
	for word, in := range clusters.Assignment {
		if in < 0 {
			e.Known[word] = false
			clear(e.Row(word))
		}
	}
	return e, nil
}

// Estimates returns the histogram of every word over the K clusters. A word without a
// vector has none.
func (w *Workspace) Estimates(ctx context.Context, p EstimateParams) (*estimate.Estimates, error) {
	return store.Get(ctx, w.Store, w.EstimatesNode(p))
}

// Shared returns what estimates are made of in memory, and they themselves, as store.Node has it.
func (w *Workspace) Shared(p EstimateParams) []store.Input {
	return []store.Input{w.AssociationsNode(p.Params), w.ClustersNode(p.Clusters), w.EstimatesNode(p)}
}

// Ground returns the ground cost between the cluster centroids, by a metric of package ground.
func (w *Workspace) Ground(ctx context.Context, p GroundParams) (*ground.Ground, error) {
	return groundNode(ctx, w, p, func(cost method.Cost, centroids []float32) (*ground.Ground, error) {
		return cost.Ground(centroids, p.Clusters.K, p.Reg, p.Seed)
	})
}

// EntailmentCost returns the cost of entailment between the cluster centroids.
func (w *Workspace) EntailmentCost(ctx context.Context, p GroundParams) (ot.Cost, error) {
	return groundNode(ctx, w, p, func(c method.Cost, centroids []float32) (ot.Cost, error) {
		k := p.Clusters.K
		cost, err := entailment.Cost(c.Arranged(centroids, k, p.Seed), k, len(centroids)/k, p.Params)
		if err == nil {
			c.Flatten(cost.Data, k)
		}
		return cost, err
	})
}

func groundNode[T any](
	ctx context.Context, w *Workspace, p GroundParams, make func(cost method.Cost, centroids []float32) (T, error),
) (T, error) {
	return store.Get(ctx, w.Store, store.Node[T]{
		Name: "ground", Version: 1, Params: p, Inputs: []store.Input{w.ClustersNode(p.Clusters)},
		Make: func(ctx context.Context) (none T, err error) {
			clusters, err := w.Clusters(ctx, p.Clusters)
			if err != nil {
				return none, err
			}
			return make(method.Cost{
				Metric: p.Metric, CostNormalisation: p.Normalisation, Clip: p.Clip, Geometry: p.Geometry,
			}, clusters.Centroids)
		},
	})
}

// Seed derives the seed of a random stream from the profile's and the stage's name.
func Seed(profile uint64, stage string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", profile, stage))
	return binary.LittleEndian.Uint64(sum[:])
}
