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
// place. The error is that of a file that is not as their list says.
func (w *Workspace) given(ctx context.Context, name string) (string, error) {
	folder := w.authors()
	if folder == "" || name == "" {
		return "", nil
	}
	files, err := dataset.AuthorsFiles(w.Data, folder)
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(files, func(f dataset.File) bool { return f.Path == path.Join(folder, name) })
	if i < 0 {
		return "", nil
	}
	paths, err := dataset.Locate(w.Data, files[i].Path)
	if err != nil {
		return "", err
	}
	sum, err := dataset.SHA256(w.Data, files[i].Path)
	if err == nil && sum != files[i].SHA256 {
		err = &dataset.DamagedError{File: paths[0], Expected: files[i].SHA256, Found: sum}
	}
	return paths[0], err
}

// givenArray reads an array of the authors; nil where there is none.
func givenArray[T npy.Element](ctx context.Context, w *Workspace, name string) (shape []int, data []T, err error) {
	file, err := w.given(ctx, name)
	if file == "" || err != nil {
		return nil, nil, err
	}
	shape, data, err = npy.Read[T](file)
	if err != nil {
		err = DataError(err)
	}
	return shape, data, err
}

// lacks is the error about a file that the authors' folder has not.
func (w *Workspace) lacks(name string) error {
	return &dataset.MissingError{Dir: w.Data, Files: []string{path.Join(w.authors(), name)}}
}

// givenMatrix reads a matrix of the authors, which they have to have.
func givenMatrix[T float32 | float64](ctx context.Context, w *Workspace, folder string) (*sparse.Matrix[T], error) {
	_, start, err := givenArray[int64](ctx, w, folder+"/start.npy")
	if err != nil {
		return nil, err
	}
	if start == nil {
		return nil, w.lacks(folder + "/start.npy")
	}
	m := &sparse.Matrix[T]{Rows: len(start) - 1, Cols: len(start) - 1, Start: start}
	if _, m.Index, err = givenArray[int32](ctx, w, folder+"/index.npy"); err != nil {
		return nil, err
	}
	if _, m.Value, err = givenArray[T](ctx, w, folder+"/value.npy"); err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err == nil && m.Rows != v.Len() {
		err = fmt.Errorf("%d rows, expected the %d words of its vocab.txt", m.Rows, v.Len())
	}
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return nil, DataError(fmt.Errorf("%s%s: %w", w.authors(), folder, err))
	}
	return m, nil
}

// givenSums reads the sums of a matrix's rows; nil where the authors have none.
func (w *Workspace) givenSums(ctx context.Context, folder string) ([]float64, error) {
	_, sums, err := givenArray[float64](ctx, w, folder+"/marginals.npy")
	return sums, err
}

// givenWords reads the authors' vocabulary.
func (w *Workspace) givenWords(ctx context.Context) (v lexicon, err error) {
	file, err := w.given(ctx, "vocab.txt")
	if err != nil {
		return v, err
	}
	if file == "" {
		return v, w.lacks("vocab.txt")
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
	shape, assignment, err := givenArray[int32](ctx, w, clustersOf(p)+"/assignment.npy")
	if err != nil {
		return nil, err
	}
	if shape == nil {
		slog.Warn("not among the authors' files, and so computed of their vectors", "clusters", clustersOf(p))
		return nil, nil
	}
	_, centroids, err := givenArray[float32](ctx, w, clustersOf(p)+"/centroids.npy")
	if err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	if len(assignment) != v.Len() || len(centroids) == 0 || len(centroids)%p.K != 0 ||
		slices.Max(assignment) >= int32(p.K) || slices.Min(assignment) < -1 {
		return nil, DataError(fmt.Errorf("%s%s: assignment.npy of %d and centroids.npy of %d numbers, expected a "+
			"cluster below %d of each of %d words, and as many centroids", w.authors(), clustersOf(p), len(assignment),
			len(centroids), p.K, v.Len()))
	}
	return &cluster.Result{Centroids: centroids, Assignment: assignment}, nil
}

// givenHistograms reads estimates of the authors; nil where they have none of these settings.
func (w *Workspace) givenHistograms(ctx context.Context, p EstimateParams) (*estimate.Estimates, error) {
	if p.Clusters.Spherical {
		return nil, nil
	}
	shape, data, err := givenArray[float32](ctx, w, histogramsOf(p.Params, p.Histograms, p.Clusters.K))
	if shape == nil || err != nil {
		return nil, err
	}
	v, err := w.Vocabulary(ctx)
	if err != nil {
		return nil, err
	}
	if want := []int{v.Len(), p.Clusters.K}; !slices.Equal(shape, want) {
		return nil, DataError(fmt.Errorf("%s%s: has the shape %v, expected %v", w.authors(),
			histogramsOf(p.Params, p.Histograms, p.Clusters.K), shape, want))
	}
	e := &estimate.Estimates{Histograms: ot.Histograms{K: p.Clusters.K, Data: data}, Known: make([]bool, v.Len())}
	for word := range e.Known {
		e.Known[word] = !Zero(e.Row(word))
	}
	return e, nil
}

// AuthorsFiles returns the files of the paper's authors without which a profile cannot run; none of one on a text.
// Clusters and histograms that they lack are computed from the others.
func AuthorsFiles(p *profile.Profile) (names []string) {
	if p.Corpus.Kind != profile.KindAuthors {
		return nil
	}
	for _, folder := range p.Corpus.Files {
		for _, name := range []string{dataset.AuthorsList, "vocab.txt", "vectors.txt"} {
			names = append(names, path.Join(folder, name))
		}
	}
	need := func(folder string, of sppmi.Params) {
		names = append(names, path.Join(folder, associationsOf(of), "value.npy"))
	}
	first, last := p.Corpus.Files[0], p.Corpus.Files[len(p.Corpus.Files)-1]
	for _, row := range slices.Concat(p.STS.Rows, p.WordSim.Rows()) {
		if row.HasHistograms() {
			h := row.Histograms()
			need(first, sppmi.Params{Smoothing: h.Smoothing, Shift: h.Shift})
		}
	}
	if h := p.Hypernymy; len(h.Sets) > 0 {
		need(last, sppmi.Params{Smoothing: h.CMD.Smoothing, Shift: h.CMD.Shift})
		need(last, sppmi.Params{Smoothing: h.Baselines.Smoothing, Shift: h.Baselines.Shift})
	}
	slices.Sort(names)
	return slices.Compact(names)
}
