package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/entailment"
	"contextmover/experiments/harness/trainers/glove"
	"contextmover/experiments/harness/trainers/sent2vec"
)

// vectorFile is the file that the profile has vectors of a kind read from, "" where
// they are made.
func (w *Workspace) vectorFile(kind string) string {
	switch kind {
	case profile.GloVe:
		return w.Profile.GloVe.File
	case profile.Sent2vec:
		return w.Profile.Sent2vec.File
	case profile.Entailment:
		return w.Profile.Hypernymy.Vectors.File
	}
	if method.IsVectorFile(kind) {
		return kind
	}
	return ""
}

// VectorsNode is the folder of the profile's vectors of a kind, profile.SVD,
// profile.GloVe, profile.Sent2vec or profile.Entailment, or of a file: see method.IsVectorFile.
func (w *Workspace) VectorsNode(kind string) store.Node[string] {
	counts := []store.Input{w.CountsNode()}
	// vectors are those of what train returns, which may write more to the folder.
	vectors := func(
		n store.Node[string], train func(ctx context.Context, dir string) ([]float32, error),
	) store.Node[string] {
		n.Fill = func(ctx context.Context, dir string) error { return w.writeVectors(ctx, dir, kind, train) }
		return known(w, "vectors "+kind, n)
	}
	if file := w.vectorFile(kind); file != "" {
		return vectors(store.Node[string]{
			Name: "vectors-file", Version: 2, Inputs: []store.Input{w.vocabularyNode(), w.dataInput(file)},
			Params: struct {
				Normalise bool `json:"normalise"`
			}{w.normalise(kind)},
		}, func(ctx context.Context, _ string) ([]float32, error) { return w.readVectors(ctx, file) })
	}
	switch kind {
	case profile.Sent2vec:
		return vectors(store.Node[string]{
			Name: "sent2vec", Version: 4, Inputs: []store.Input{w.vocabularyNode(), w.textInputs()},
			Params: struct {
				Tokenised bool            `json:"tokenised"`
				Sent2vec  sent2vec.Params `json:"sent2vec"`
			}{w.Profile.Corpus.Tokenised, w.sent2vecParams()},
		}, w.trainSent2vec)
	case profile.GloVe:
		return vectors(store.Node[string]{
			Name: "glove", Version: 1, Inputs: counts,
			Params: struct {
				Normalise bool         `json:"normalise"`
				GloVe     glove.Params `json:"glove"`
			}{w.Profile.GloVe.Normalise, w.gloveParams()},
		}, w.trainGloVe)
	case profile.Entailment: // half of its dimensions start from SVD vectors
		return vectors(store.Node[string]{
			Name: "entailment", Version: 1, Inputs: []store.Input{counts[0], store.Source(w.entailmentStart)},
			Params: struct {
				Scale      float64           `json:"scale"`
				Entailment entailment.Params `json:"entailment"`
			}{w.Profile.Hypernymy.Vectors.Scale, w.entailmentParams()},
		}, w.trainEntailment)
	}
	p := w.Profile.Vectors
	return vectors(store.Node[string]{
		Name: "svd", Version: 1, Inputs: counts,
		Params: struct {
			Smoothing float64    `json:"smoothing"`
			Shift     float64    `json:"shift"`
			Normalise bool       `json:"normalise"`
			SVD       svd.Params `json:"svd"`
		}{p.Smoothing, p.Shift, p.Normalise, w.svdParams()},
	}, w.trainSVD)
}

func (w *Workspace) svdParams() svd.Params {
	p := w.Profile.Vectors.Params
	p.Seed = Seed(w.Profile.Seed, "svd")
	return p
}

func (w *Workspace) gloveParams() glove.Params {
	p := w.Profile.GloVe.Params
	p.Seed = Seed(w.Profile.Seed, "glove")
	return p
}

// Vectors returns the profile's singular vectors, row i for word i of its vocabulary.
func (w *Workspace) Vectors(ctx context.Context) (*embedding.Vectors, error) {
	return w.VectorsOf(ctx, profile.SVD)
}

// unitVectors returns vectors of a kind scaled to length 1.
func (w *Workspace) unitVectors(ctx context.Context, kind string) (*embedding.Vectors, error) {
	return store.Get(ctx, w.Store, store.Node[*embedding.Vectors]{
		Name: "unit-vectors", Version: 1, Inputs: []store.Input{w.VectorsNode(kind)},
		Make: func(ctx context.Context) (*embedding.Vectors, error) {
			vectors, err := w.VectorsOf(ctx, kind)
			if err != nil {
				return nil, err
			}
			return vectors.Normalised(), nil
		},
	})
}

// VectorsOf returns the profile's vectors of a kind: profile.SVD, profile.GloVe, profile.Sent2vec or
// profile.Entailment, or those of a file (see method.IsVectorFile). A word that a file of vectors lacks has the
// vector 0.
func (w *Workspace) VectorsOf(ctx context.Context, kind string) (*embedding.Vectors, error) {
	return w.VectorsIn(ctx, w.VectorsNode(kind))
}

// VectorsIn returns the vectors that a folder has, row i for word i of the profile's vocabulary.
func (w *Workspace) VectorsIn(ctx context.Context, folder store.Node[string]) (*embedding.Vectors, error) {
	return store.Get(ctx, w.Store, store.Node[*embedding.Vectors]{
		Name: "vectors", Version: 1, Inputs: []store.Input{w.vocabularyNode(), folder},
		Make: func(ctx context.Context) (*embedding.Vectors, error) {
			v, err := w.Vocabulary(ctx)
			if err != nil {
				return nil, err
			}
			dir, err := store.Get(ctx, w.Store, folder)
			if err != nil {
				return nil, err
			}
			shape, data, err := npy.Read[float32](filepath.Join(dir, vectorsFile))
			if err != nil {
				return nil, err
			}
			return embedding.New(v.Words, shape[1], data)
		},
	})
}

// vectorsFile has the vectors in the folder of an artefact.
const vectorsFile = "vectors.npy"

// writeVectors writes the vectors that train returns, a row for each word of the vocabulary.
func (w *Workspace) writeVectors(ctx context.Context, dir, kind string,
	train func(ctx context.Context, dir string) ([]float32, error)) error {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return err
	}
	data, err := train(ctx, dir)
	if err != nil {
		return err
	}
	vectors, err := embedding.New(v.Words, len(data)/v.Len(), data)
	if err != nil {
		return err
	}
	if w.normalise(kind) {
		vectors = vectors.Normalised()
	}
	return npy.Write(filepath.Join(dir, vectorsFile), []int{vectors.Len(), vectors.Dim}, vectors.Data)
}

// normalise tells whether vectors of a kind are scaled to length 1.
func (w *Workspace) normalise(kind string) bool {
	return kind == profile.SVD && w.Profile.Vectors.Normalise || kind == profile.GloVe && w.Profile.GloVe.Normalise
}

// readVectors reads the vectors of the vocabulary's words from a file of the data
// folder; a word that it does not have gets the vector 0.
func (w *Workspace) readVectors(ctx context.Context, file string) ([]float32, error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	_, finish := w.Step("read " + filepath.Base(file))
	defer finish()
	paths, err := dataset.Locate(w.Data, file)
	if err != nil {
		return nil, err
	}
	given, err := embedding.Read(ctx, paths[0])
	if err != nil {
		return nil, DataError(err)
	}
	found := 0
	data := make([]float32, v.Len()*given.Dim)
	for i, word := range v.Words {
		if id, ok := given.ID(word); ok {
			found++
			copy(data[i*given.Dim:], given.Row(int(id)))
		}
	}
	if found == 0 {
		return nil, DataError(fmt.Errorf("%s: none of its words is one of the %d words of the corpus (%q, …): are "+
			"they of the same language and case?", paths[0], v.Len(), v.Words[0]))
	}
	slog.Info("vectors read", "file", file, "dimensions", given.Dim, "words_with_vector", found, "of", v.Len())
	return data, nil
}

// withVector returns the words that have a vector, and their vectors. A word that a
// file of vectors lacks has none, and one of zeros has no direction; where vectors are
// made, every word has one.
func (w *Workspace) withVector(kind string, v *embedding.Vectors) (words []int, points []float32) {
	made := w.vectorFile(kind) == ""
	for i := range v.Len() {
		if made || !Zero(v.Row(i)) {
			words = append(words, i)
		}
	}
	if len(words) == v.Len() {
		return words, v.Data
	}
	for _, i := range words {
		points = append(points, v.Row(i)...)
	}
	return words, points
}

// Zero tells whether a vector is 0, as that of a word which a file of vectors lacks.
func Zero(row []float32) bool {
	return !slices.ContainsFunc(row, func(x float32) bool { return x != 0 })
}

// trainSVD returns singular vectors and leaves the singular values in dir.
func (w *Workspace) trainSVD(ctx context.Context, dir string) ([]float32, error) {
	m, err := w.Associations(ctx, sppmi.Params{Smoothing: w.Profile.Vectors.Smoothing, Shift: w.Profile.Vectors.Shift})
	if err != nil {
		return nil, err
	}
	progress, finish := w.Step(fmt.Sprintf("singular vectors, %d dimensions", w.Profile.Vectors.Dim))
	defer finish()
	r, err := svd.Compute(ctx, m, w.svdParams(), progress)
	if err != nil {
		return nil, err
	}
	return r.Vectors, npy.Write(filepath.Join(dir, "values.npy"), []int{len(r.Values)}, r.Values)
}

// trainGloVe returns GloVe vectors and leaves the loss of each epoch in dir.
func (w *Workspace) trainGloVe(ctx context.Context, dir string) ([]float32, error) {
	counts, err := w.Counts(ctx)
	if err != nil {
		return nil, err
	}
	progress, finish := w.Step(fmt.Sprintf("GloVe, %d dimensions, %d epochs",
		w.Profile.GloVe.Dim, w.Profile.GloVe.Epochs))
	defer finish()
	start := time.Now()
	r, err := glove.Train(ctx, counts, w.gloveParams(), progress, func(epoch int, loss float64) {
		records := float64(counts.NonZeros()) * float64(epoch+1)
		slog.Info("epoch", "number", epoch+1, "loss", fmt.Sprintf("%.5f", loss),
			"records_per_second", fmt.Sprintf("%.3g", records/time.Since(start).Seconds()))
	})
	if err != nil {
		return nil, err
	}
	return r.Vectors, writeLoss(dir, r.Loss)
}
