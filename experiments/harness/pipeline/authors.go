package pipeline

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"slices"

	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/profile"
)

// What bench/authors.py makes of the files of the paper's authors, in a folder of each corpus:
//
//	vocab.txt, vectors.txt        words with counts, and vectors of words, in GloVe's formats
//	associations_α_s/             SPPMI by rows: start.npy, index.npy, value.npy; and marginals.npy, their row sums
//	counts/                       the same of co-occurrences
//	clusters_K/, clusters_K_cosine/   centroids.npy (K×dim), and of each word assignment.npy, −1 for none
//	histograms_α_s_K_β/           histograms.npy, |V|×K; "none" for β where columns were not divided
//
// Nodes read those that are there. The list of the folder's files, with their checksums, is an input of all of them.
func associationsOf(p sppmi.Params) string {
	return fmt.Sprintf("associations_%g_%g", p.Smoothing, p.Shift)
}

func clustersOf(p ClusterParams) string {
	if p.Spherical {
		return fmt.Sprintf("clusters_%d_cosine", p.K)
	}
	return fmt.Sprintf("clusters_%d", p.K)
}

func histogramsOf(p sppmi.Params, h Histograms, k int) string {
	of := fmt.Sprintf("histograms_%g_%g_%d_", p.Smoothing, p.Shift, k)
	switch h.Normalisation {
	case estimate.Total:
		return fmt.Sprint(of, h.Beta, "/histograms.npy")
	case estimate.None:
		return of + "none/histograms.npy"
	}
	return "" // theirs for sizes of clusters are in another order than the clusters [histograms.py:127]
}

// authors is the folder of the authors' files that the workspace is on, "" with a text of its own.
func (w *Workspace) authors() string {
	if w.Profile.Corpus.Kind != profile.KindAuthors {
		return ""
	}
	return w.Profile.Corpus.Files[0]
}

// OnTerms returns the workspace for pairs of terms, which on the authors' files is that of their second corpus.
func (w *Workspace) OnTerms() *Workspace {
	if w.authors() == "" {
		return w
	}
	p := *w.Profile
	p.Corpus.Files = p.Corpus.Files[len(p.Corpus.Files)-1:]
	return w.with(&p, w.origin, w.parts)
}

// given returns the path of one of the authors' files, "" where they have none of the name or a text takes their
// place. The error is that of a file that is not as their list says, or is required and not in it.
func (w *Workspace) given(name string, required bool) (string, error) {
	folder := w.authors()
	if folder == "" || name == "" {
		return "", nil
	}
	files, err := dataset.AuthorsFiles(w.Data, folder)
	if err != nil {
		return "", err
	}
	name = path.Join(folder, name)
	i := slices.IndexFunc(files, func(f dataset.File) bool { return f.Path == name })
	if i < 0 {
		if required {
			err = &dataset.MissingError{Dir: w.Data, Files: []string{name}}
		}
		return "", err
	}
	paths, err := dataset.Locate(w.Data, name)
	if err != nil {
		return "", err
	}
	sum, err := dataset.SHA256(w.Data, name)
	if err == nil && sum != files[i].SHA256 {
		err = dataset.Damage(paths[0], files[i].SHA256, sum)
	}
	return paths[0], err
}

// givenArray reads an array of the authors of this shape, in which −1 is any number; nil where there is none.
func givenArray[T npy.Element](w *Workspace, name string, required bool, want ...int) ([]T, error) {
	file, err := w.given(name, required)
	if file == "" || err != nil {
		return nil, err
	}
	shape, data, err := npy.Read[T](file)
	if err == nil && !slices.EqualFunc(shape, want, func(is, want int) bool { return is == want || want < 0 }) {
		err = fmt.Errorf("%s: an array of shape %v, expected %v for the words of vocab.txt", file, shape, want)
	}
	if err != nil {
		err = DataError(err)
	}
	return data, err
}

// givenMatrix reads a matrix of the authors, which they have to have.
func givenMatrix[T float32 | float64](ctx context.Context, w *Workspace, folder string) (*sparse.Matrix[T], error) {
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	m := &sparse.Matrix[T]{Rows: v.Len(), Cols: v.Len()}
	if m.Start, err = givenArray[int64](w, folder+"/start.npy", true, v.Len()+1); err != nil {
		return nil, err
	}
	if m.Index, err = givenArray[int32](w, folder+"/index.npy", true, -1); err != nil {
		return nil, err
	}
	if m.Value, err = givenArray[T](w, folder+"/value.npy", true, -1); err != nil {
		return nil, err
	}
	if err := m.Validate(); err != nil {
		return nil, DataError(fmt.Errorf("%s%s: %w", w.authors(), folder, err))
	}
	return m, nil
}

// givenWords reads the authors' vocabulary.
func (w *Workspace) givenWords() (v lexicon, err error) {
	file, err := w.given("vocab.txt", true)
	if err != nil {
		return v, err
	}
	if v.Vocabulary, err = corpus.ReadVocabulary(file); err != nil {
		return v, DataError(err)
	}
	for _, n := range v.Counts {
		v.Stats.Tokens += n
	}
	return v, nil
}

// givenClusters reads clusters of the authors; nil where they have none of these numbers, or not of these vectors.
func (w *Workspace) givenClusters(ctx context.Context, p ClusterParams) (*cluster.Result, error) {
	if w.vectorFile(p.vectors()) != path.Join(w.authors(), "vectors.txt") {
		return nil, nil
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	r := new(cluster.Result)
	if r.Assignment, err = givenArray[int32](w, clustersOf(p)+"/assignment.npy", false, v.Len()); err != nil {
		return nil, err
	}
	if r.Assignment == nil {
		slog.Warn("not among the authors' files, and so computed of their vectors", "clusters", clustersOf(p))
		return nil, nil
	}
	r.Centroids, err = givenArray[float32](w, clustersOf(p)+"/centroids.npy", true, p.K, -1)
	return r, err
}

// givenHistograms reads estimates of the authors; nil where they have none of these settings.
func (w *Workspace) givenHistograms(ctx context.Context, p EstimateParams) (*estimate.Estimates, error) {
	if p.Clusters.Spherical {
		return nil, nil
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	name := histogramsOf(p.Params, p.Histograms, p.Clusters.K)
	data, err := givenArray[float32](w, name, false, v.Len(), p.Clusters.K)
	if data == nil || err != nil {
		return nil, err
	}
	e := &estimate.Estimates{Histograms: ot.Histograms{K: p.Clusters.K, Data: data}, Known: make([]bool, v.Len())}
	for word := range e.Known {
		e.Known[word] = !Zero(e.Row(word))
	}
	return e, nil
}

// AuthorsFiles returns the files of the paper's authors without which a profile cannot begin; none of one on a text.
// Matrices that they lack are told when they are read; clusters and histograms are computed from the others.
func AuthorsFiles(p *profile.Profile) (names []string) {
	if p.Corpus.Kind != profile.KindAuthors {
		return nil
	}
	for _, folder := range p.Corpus.Files {
		for _, name := range []string{dataset.AuthorsList, "vocab.txt", "vectors.txt"} {
			names = append(names, path.Join(folder, name))
		}
	}
	return names
}
