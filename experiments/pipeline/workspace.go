package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/method"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/score"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/dataset"
	"contextmover/experiments/miniworld"
	"contextmover/experiments/profile"
	"contextmover/experiments/store"
)

// Workspace computes what a profile describes, from its text to its context
// estimates, and keeps it in a store: what is there already is read, not made
// again. Big artefacts that are quick to make (associations, estimates, costs)
// stay in memory only, the last few of each kind.
//
// A Workspace is not safe for concurrent use, but for MeasureGroup, Scores, SetDraws and GroupDraws beside each other; the work inside
// each step is parallel.
type Workspace struct {
	Profile *profile.Profile
	Store   *store.Store
	// Data is the folder that real data is read from; the mini world needs none.
	Data   string
	Engine ot.Engine
	// Progress, if not nil, is called when a long step starts and returns the
	// function that is told how much of it is done.
	Progress func(step string) func(done, total int64)

	mu           sync.Mutex           // held by what may run beside others, for all that follows
	origin       *profile.Profile     // that of the first seed, in a workspace of a further one; else nil
	parts        int                  // how many of the corpus's files or shards are read, the first ones; 0 for all
	sums         map[string]store.Key // of data files, by path
	pairs        map[profile.Set]*SentencePairs
	samplers     map[samples]*score.Sampler
	texts        []store.Key // keys of its files, which can be thousands
	vocabulary   *corpus.Vocabulary
	stats        corpus.Stats // of the text, with the vocabulary
	counts       *corpus.Counts
	summed       *sppmi.Counts // these, with their sums
	vectors      map[string]*embedding.Vectors
	unit         map[string]*embedding.Vectors // of length 1, by kind
	terms        map[bool][]float32            // of Sent2vec, words and n-grams; of length 1, or as they are
	encoders     map[string]*dataset.Encoder   // by file
	marginals    map[method.Marginal][]float64
	associations memo[sppmi.Params, *sppmi.Matrix]
	clusters     memo[ClusterParams, *cluster.Result]
	estimates    memo[EstimateParams, *estimate.Estimates]
	grounds      memo[GroundParams, *ground.Ground]
	systems      memo[store.Key, *embedding.Vectors]
}

// memo keeps the values of the last few keys.
type memo[K comparable, V any] struct {
	keys   []K
	values []V
}

// get returns the value of key, calling make where it is not among the last
// limit keys.
func (m *memo[K, V]) get(key K, limit int, make func() (V, error)) (V, error) {
	for i, k := range m.keys {
		if k == key {
			return m.values[i], nil
		}
	}
	if len(m.keys) == limit {
		var none V
		m.values[0] = none
		m.keys, m.values = m.keys[1:], m.values[1:]
	}
	v, err := make()
	if err == nil {
		m.keys, m.values = append(m.keys, key), append(m.values, v)
	}
	return v, err
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

// The parameters of stages: what is hashed into an artefact's key. Their JSON
// must not change unless their meaning does.
type (
	vocabularyParams struct {
		MinCount  int64 `json:"min_count"`
		Tokenised bool  `json:"tokenised"`
	}
	countsParams struct {
		Window    int  `json:"window"`
		Tokenised bool `json:"tokenised"`
	}
	ClusterParams struct {
		K         int    `json:"k"`
		Spherical bool   `json:"spherical"`
		Seed      uint64 `json:"seed"`
		Kind      string `json:"kind,omitempty"` // of the vectors; empty for SVD
	}
	EstimateParams struct {
		Smoothing     float64       `json:"smoothing"`
		Shift         float64       `json:"shift"`
		Normalisation string        `json:"normalisation"`
		Beta          float64       `json:"beta"`
		Clusters      ClusterParams `json:"clusters"`
	}
	GroundParams struct {
		Metric        string        `json:"metric"`
		Normalisation string        `json:"normalisation"`
		Clip          float64       `json:"clip"`
		Reg           float64       `json:"reg"`
		Clusters      ClusterParams `json:"clusters"`
		Geometry      string        `json:"geometry,omitempty"` // as in a profile, "" for the true one
		Seed          uint64        `json:"seed,omitempty"`     // of what is shuffled
	}
)

// vectors is the kind of vectors that are clustered.
func (p ClusterParams) vectors() string {
	if p.Kind == "" {
		return profile.SVD
	}
	return p.Kind
}

// world returns the folder of the generated world.
func (w *Workspace) world(ctx context.Context) (string, error) {
	return w.Store.Get(ctx, w.worldStage(), func(ctx context.Context, dir string) error {
		_, finish := w.Step("generate the mini world")
		defer finish()
		world, err := miniworld.Generate(w.worldSeed(), w.Profile.Corpus.Tokens)
		if err != nil {
			return err
		}
		return world.Write(dir)
	})
}

// worldSeed is the seed of the generated world: further seeds make methods anew, not the world.
func (w *Workspace) worldSeed() uint64 {
	if w.origin != nil {
		return w.origin.Seed
	}
	return w.Profile.Seed
}

func (w *Workspace) worldStage() store.Stage {
	return store.Stage{Name: "miniworld", Version: miniworld.Version, Params: struct {
		Seed   uint64 `json:"seed"`
		Tokens int    `json:"tokens"`
	}{w.worldSeed(), w.Profile.Corpus.Tokens}}
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
		dir, err := w.world(ctx)
		if err != nil {
			return nil, err
		}
		var files []string
		for _, p := range paths {
			f := filepath.Join(dir, filepath.FromSlash(p))
			if _, err := os.Stat(f); err != nil {
				return nil, fmt.Errorf("profile %s: the mini world has no file %s", w.Profile.Name, p)
			}
			files = append(files, f)
		}
		return files, nil
	}
	return dataset.Locate(w.Data, paths...)
}

// FileKey is the SHA-256 of a data file: that of the catalogue where the file is known
// there (File checks that it is the right one), else of what lies in the folder. A file
// of the mini world is named by the world and its path.
func (w *Workspace) FileKey(path string) (store.Key, error) {
	if w.Profile.Corpus.Kind == profile.KindMiniWorld {
		return store.PartKey(w.worldStage().Key(), path), nil
	}
	return w.checksum(path)
}

// checksum is the SHA-256 of a file of the data folder. A file is read for it once: it
// must not change while the workspace is in use.
func (w *Workspace) checksum(path string) (store.Key, error) {
	if sum, ok := w.sums[path]; ok {
		return sum, nil
	}
	sum, err := dataset.SHA256(w.Data, path)
	if err != nil {
		return "", err
	}
	if w.sums == nil {
		w.sums = map[string]store.Key{}
	}
	w.sums[path] = store.Key(sum)
	return store.Key(sum), nil
}

func (w *Workspace) vocabularyStage() (store.Stage, error) {
	c := w.Profile.Corpus
	stage := store.Stage{Name: "vocabulary", Version: 1, Params: vocabularyParams{c.MinCount, c.Tokenised}}
	var err error
	if w.texts == nil {
		w.texts, err = w.textKeys()
	}
	stage.Inputs = slices.Clip(w.texts)
	return stage, err
}

// Vocabulary returns the words of the profile's corpus. That the profile asks for more than they can serve is a
// *profile.Error, which so comes before anything that takes long.
func (w *Workspace) Vocabulary(ctx context.Context) (*corpus.Vocabulary, error) {
	if w.vocabulary != nil {
		return w.vocabulary, nil
	}
	stage, err := w.vocabularyStage()
	if err != nil {
		return nil, err
	}
	var v *corpus.Vocabulary
	var stats corpus.Stats
	words := store.Part{
		Name:  "vocab.txt",
		Write: func(path string) error { return v.Write(path) },
		Read:  func(path string) (err error) { v, err = corpus.ReadVocabulary(path); return err },
	}
	err = w.Store.Keep(ctx, stage, []store.Part{words, store.JSON("stats.json", &stats)}, func(ctx context.Context) error {
		progress, finish := w.Step("vocabulary")
		defer finish()
		text, err := w.text(ctx)
		if err != nil {
			return err
		}
		v, stats, err = corpus.BuildVocabulary(ctx, text, w.Profile.Corpus.MinCount, progress)
		if errors.Is(err, corpus.ErrRare) {
			return w.Profile.Errorf("corpus.min_count", "%d: %v", w.Profile.Corpus.MinCount, err)
		}
		if err != nil {
			return err
		}
		if stats.Invalid > 0 {
			slog.Warn("bytes of the corpus that are not UTF-8 were read as U+FFFD; convert it (iconv -t UTF-8) to keep them", "lines", stats.Invalid)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := w.Profile.CheckVocabulary(v.Len()); err != nil {
		return nil, err
	}
	w.vocabulary, w.stats = v, stats
	return v, nil
}

// CorpusStats returns the size of the profile's corpus.
func (w *Workspace) CorpusStats(ctx context.Context) (corpus.Stats, error) {
	_, err := w.Vocabulary(ctx)
	return w.stats, err
}

// CountsStage is the stage of the co-occurrence counts.
func (w *Workspace) CountsStage() (store.Stage, error) {
	vocabulary, err := w.vocabularyStage()
	return store.Stage{
		Name: "counts", Version: 1,
		Params: countsParams{w.Profile.Corpus.Window, w.Profile.Corpus.Tokenised},
		Inputs: append([]store.Key{vocabulary.Key()}, vocabulary.Inputs...),
	}, err
}

// Counts returns the co-occurrence counts of the profile's corpus.
func (w *Workspace) Counts(ctx context.Context) (*corpus.Counts, error) {
	if w.counts != nil {
		return w.counts, nil
	}
	stage, err := w.CountsStage()
	if err != nil {
		return nil, err
	}
	c := new(corpus.Counts)
	err = w.Store.Keep(ctx, stage, []store.Part{
		store.Array("start.npy", &c.Start), store.Array("index.npy", &c.Index), store.Array("value.npy", &c.Value),
	}, func(ctx context.Context) error {
		v, err := w.Vocabulary(ctx)
		if err != nil {
			return err
		}
		text, err := w.text(ctx)
		if err != nil {
			return err
		}
		progress, finish := w.Step("count co-occurrences")
		defer finish()
		counted, _, err := corpus.Count(ctx, text, v, w.Profile.Corpus.Window, progress)
		if err != nil {
			return err
		}
		c.Start, c.Index, c.Value = counted.Start, counted.Index, counted.Value
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.Rows = len(c.Start) - 1
	c.Cols = c.Rows
	w.counts = c
	return c, c.Validate()
}

// Associations returns the SPPMI matrix of the profile's counts.
func (w *Workspace) Associations(ctx context.Context, p sppmi.Params) (*sppmi.Matrix, error) {
	return w.associations.get(p, 1, func() (*sppmi.Matrix, error) {
		counts, err := w.summedCounts(ctx)
		if err != nil {
			return nil, err
		}
		_, finish := w.Step(fmt.Sprintf("associations α=%g s=%g", p.Smoothing, p.Shift))
		defer finish()
		return counts.Associations(ctx, p)
	})
}

// summedCounts returns the counts with their sums.
func (w *Workspace) summedCounts(ctx context.Context) (*sppmi.Counts, error) {
	counts, err := w.Counts(ctx)
	if err == nil && w.summed == nil {
		w.summed, err = sppmi.New(ctx, counts)
	}
	return w.summed, err
}

// ClustersStage is the stage of clusters.
func (w *Workspace) ClustersStage(p ClusterParams) (store.Stage, error) {
	vectors, err := w.VectorsStage(p.vectors())
	return store.Stage{Name: "clusters", Version: 1, Params: p, Inputs: []store.Key{vectors.Key()}}, err
}

// KMeans returns the parameters as cluster.KMeans takes them.
func (p ClusterParams) KMeans() cluster.Params {
	return cluster.Params{K: p.K, Spherical: p.Spherical, MaxIter: 300, Tol: 1e-4, Seed: p.Seed}
}

// Clusters returns the K-means clusters of the word vectors.
func (w *Workspace) Clusters(ctx context.Context, p ClusterParams) (*cluster.Result, error) {
	return w.clusters.get(p, 4, func() (*cluster.Result, error) {
		stage, err := w.ClustersStage(p)
		if err != nil {
			return nil, err
		}
		r, dim := new(cluster.Result), 0
		err = w.Store.Keep(ctx, stage, []store.Part{
			store.Matrix("centroids.npy", &dim, &r.Centroids), store.Array("assignment.npy", &r.Assignment),
		}, func(ctx context.Context) error {
			vectors, err := w.VectorsOf(ctx, p.vectors())
			if err != nil {
				return err
			}
			if p.K > vectors.Len() {
				return fmt.Errorf("%w: %d clusters of the %d words of profile %s that have a vector, expected at most as many", ErrSettings, p.K, vectors.Len(), w.Profile.Name)
			}
			progress, finish := w.Step(fmt.Sprintf("clusters K=%d", p.K))
			defer finish()
			words, points := w.withVector(p.vectors(), vectors)
			made, err := cluster.KMeans(ctx, points, vectors.Dim, p.KMeans(), progress)
			if err != nil {
				return err
			}
			dim, r.Centroids = vectors.Dim, made.Centroids
			r.Assignment = slices.Repeat([]int32{-1}, vectors.Len())
			for i, word := range words {
				r.Assignment[word] = made.Assignment[i]
			}
			return nil
		})
		return r, err
	})
}

// Estimates returns the histogram of every word over the K clusters. A word without a
// vector has none.
func (w *Workspace) Estimates(ctx context.Context, p EstimateParams) (*estimate.Estimates, error) {
	return w.estimates.get(p, 2, func() (*estimate.Estimates, error) {
		clusters, err := w.Clusters(ctx, p.Clusters)
		if err != nil {
			return nil, err
		}
		m, err := w.Associations(ctx, sppmi.Params{Smoothing: p.Smoothing, Shift: p.Shift})
		if err != nil {
			return nil, err
		}
		_, finish := w.Step(fmt.Sprintf("estimates α=%g s=%g β=%g K=%d", p.Smoothing, p.Shift, p.Beta, p.Clusters.K))
		defer finish()
		e, err := estimate.Histograms(ctx, m, clusters.Assignment, p.Clusters.K, estimate.Params{Normalisation: estimate.Normalisation(p.Normalisation), Beta: p.Beta})
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
	})
}

// Ground returns the ground cost between the cluster centroids.
func (w *Workspace) Ground(ctx context.Context, p GroundParams) (*ground.Ground, error) {
	return w.grounds.get(p, 4, func() (*ground.Ground, error) {
		clusters, err := w.Clusters(ctx, p.Clusters)
		if err != nil {
			return nil, err
		}
		k, dim := p.Clusters.K, len(clusters.Centroids)/p.Clusters.K
		centroids := clusters.Centroids
		if p.Geometry == method.Shuffled {
			centroids = make([]float32, 0, len(centroids))
			for _, i := range rand.New(rand.NewPCG(p.Seed, 0)).Perm(k) {
				centroids = append(centroids, clusters.Centroids[i*dim:][:dim]...)
			}
		}
		g, err := ground.New(centroids, k, dim, ground.Params{
			Metric: ground.Metric(p.Metric), Normalisation: ground.Normalisation(p.Normalisation),
			Clip: p.Clip, Reg: p.Reg,
		})
		if err == nil && p.Geometry == method.Flat {
			flatten(g.Data, k)
		}
		return g, err
	})
}

// flatten makes all costs between different bins their mean.
func flatten(cost []float32, k int) {
	sum := 0.0
	for i, c := range cost {
		if i/k != i%k {
			sum += float64(c)
		}
	}
	mean := float32(sum / float64(max(k*(k-1), 1)))
	for i := range cost {
		if cost[i] = mean; i/k == i%k {
			cost[i] = 0
		}
	}
}

// Seed derives the seed of a random stream from the profile's and the stage's name.
func Seed(profile uint64, stage string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", profile, stage))
	return binary.LittleEndian.Uint64(sum[:])
}
