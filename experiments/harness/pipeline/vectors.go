package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/harness/trainers/glove"
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
	node := func(
		name string, version int, params map[string]any, train training, from ...store.Input,
	) store.Node[string] {
		return known(w, "vectors "+kind, store.Node[string]{
			Name: name, Version: version, Params: params, Inputs: from,
			Fill: func(ctx context.Context, dir string) error { return w.writeVectors(ctx, dir, kind, train) },
		})
	}
	p := w.Profile
	switch file := w.vectorFile(kind); {
	case file != "":
		return node("vectors-file", 2, map[string]any{"normalise": w.normalise(kind)},
			func(ctx context.Context, _ string) ([]float32, error) { return w.readVectors(ctx, file) },
			w.vocabularyNode(), w.dataInput(file))
	case kind == profile.Sent2vec:
		return node("sent2vec", 4, map[string]any{"tokenised": p.Corpus.Tokenised, "sent2vec": w.sent2vecParams()},
			w.trainSent2vec, w.vocabularyNode(), w.textInputs())
	case kind == profile.GloVe:
		g := p.GloVe.Params
		g.Seed = w.Seed("glove")
		return node("glove", 1, map[string]any{"normalise": p.GloVe.Normalise, "glove": g},
			trained(w, g, glove.Train, fmt.Sprintf("GloVe, %d dimensions, %d epochs", g.Dim, g.Epochs)), w.CountsNode())
	case kind == profile.Entailment: // half of its dimensions start from SVD vectors
		params := map[string]any{"scale": p.Hypernymy.Vectors.Scale, "entailment": w.entailmentParams()}
		return node("entailment", 1, params, w.trainEntailment, w.CountsNode(), store.Source(w.entailmentStart))
	}
	return node("svd", 1, map[string]any{
		"smoothing": p.Vectors.Smoothing, "shift": p.Vectors.Shift, "normalise": p.Vectors.Normalise,
		"svd": w.svdParams(),
	}, w.trainSVD, w.CountsNode())
}

func (w *Workspace) svdParams() svd.Params {
	p := w.Profile.Vectors.Params
	p.Seed = w.Seed("svd")
	return p
}

// Vectors returns the profile's singular vectors, row i for word i of its vocabulary.
func (w *Workspace) Vectors(ctx context.Context) (*embedding.Vectors, error) {
	return w.VectorsOf(ctx, profile.SVD)
}

// scaledVectors returns vectors of a kind, scaled to length 1 if unit.
func (w *Workspace) scaledVectors(ctx context.Context, kind string, unit bool) (*embedding.Vectors, error) {
	if !unit {
		return w.VectorsOf(ctx, kind)
	}
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
func (w *Workspace) writeVectors(ctx context.Context, dir, kind string, train training) error {
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
