package pipeline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cmdlib/sparse"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/method"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/pipelinetest"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/internal/checksum"
)

// allNear compares numbers of ours with the authors'.
func allNear[T, U float32 | float64](t *testing.T, what string, ours []T, theirs []U, within float64) {
	t.Helper()
	if len(ours) != len(theirs) {
		t.Fatalf("%s: %d numbers of ours, %d of theirs", what, len(ours), len(theirs))
	}
	worst := 0.0
	for i := range ours {
		worst = max(worst, math.Abs(float64(ours[i])-float64(theirs[i])))
	}
	t.Logf("%s: %d numbers, largest difference %.2g", what, len(ours), worst)
	if !(worst <= within) {
		t.Errorf("%s: largest difference %v, expected at most %v", what, worst, within)
	}
}

// onAuthors returns a workspace on files of the authors in a data folder.
func onAuthors(t *testing.T, data string) *pipeline.Workspace {
	t.Helper()
	p, err := profile.Load("mini", []string{
		"corpus.kind=authors", `corpus.files=["authors/books/", "authors/wikipedia/"]`,
		"glove.file=authors/books/vectors.txt", "hypernymy.vectors.file=authors/wikipedia/vectors.txt",
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &pipeline.Workspace{Profile: p, Store: s, Data: data, Engine: reference.New()}
}

// The authors' own programs make the same of the same counts, to the last digits of float32. They are Python, and need
// NumPy, SciPy, scikit-learn and POT: bench/peers.sh installs these.
func TestAuthorsPrograms(t *testing.T) {
	python, repository := os.Getenv("CONTEXTMOVER_PYTHON"), os.Getenv("CONTEXTMOVER_AUTHORS")
	if python == "" || repository == "" {
		t.Skip("SKIPPED: CONTEXTMOVER_PYTHON names no Python with POT and scikit-learn, or CONTEXTMOVER_AUTHORS no " +
			"checkout of sidak/context-mover-distance-and-barycenters")
	}
	const k = 20
	mini := pipelinetest.World(t)
	v, err := mini.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts, err := mini.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := mini.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	words := v.Words[3:8]
	for _, name := range []string{"book", "wiki"} {
		for _, folder := range []string{"corpus", "cooc/" + name, "vectors", "histograms/" + name} {
			if err := os.MkdirAll(filepath.Join(work, folder), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		err := errors.Join(v.Write(filepath.Join(work, "corpus", name+"_vocab.txt")),
			corpus.WriteCooccurrences(t.Context(), filepath.Join(work, "cooc", name, name+".bin"), counts),
			vectors.Write(t.Context(), filepath.Join(work, "vectors", name+".glove"), embedding.GloVe))
		if err != nil {
			t.Fatal(err)
		}
		run(t, python, append([]string{
			"testdata/oracle.py", repository, work, name, strconv.Itoa(k), strconv.Itoa(vectors.Dim),
		}, words...)...)
	}
	data := t.TempDir()
	run(t, python, "../../../bench/authors.py", work, data)
	w := onAuthors(t, data)

	given, err := w.Counts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(given.Start, counts.Start) || !slices.Equal(given.Index, counts.Index) {
		t.Error("other pairs are counted")
	}
	allNear(t, "counts", counts.Value, given.Value, 0)
	bins := pipeline.ClusterParams{K: k, Kind: profile.GloVe}
	clusters, err := w.Clusters(t.Context(), bins)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []sppmi.Params{{Smoothing: 0.75, Shift: 1}, {Smoothing: 0.55, Shift: 5}} {
		ours, err := mini.Associations(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := w.Associations(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		allNear(t, fmt.Sprintf("PPMI %v", p), dense(ours), dense(theirs), 1e-6)
		for _, h := range []pipeline.Histograms{
			{Normalisation: estimate.None}, {Normalisation: estimate.Total, Beta: 1},
			{Normalisation: estimate.Total, Beta: 0.5},
		} {
			// With our associations and their clusters.
			ours, err := estimate.Histograms(t.Context(), ours, clusters.Assignment, k, h)
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := w.Estimates(t.Context(), pipeline.EstimateParams{Params: p, Histograms: h, Clusters: bins})
			if err != nil {
				t.Fatal(err)
			}
			allNear(t, fmt.Sprintf("histograms %v %v", p, h), ours.Data, theirs.Data, 1e-6)
		}
	}
	for _, of := range []method.Marginal{method.OfPPMI, method.OfCounts} {
		ours, err := mini.Probability(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		theirs, err := w.Probability(t.Context(), of)
		if err != nil {
			t.Fatal(err)
		}
		for i := range ours {
			ours[i] /= theirs[i]
			theirs[i] /= theirs[i]
		}
		allNear(t, "row sums of "+string(of)+", by theirs", ours, theirs, 1e-6)
	}

	var oracle struct {
		Costs, Distances, Barycenters map[string][]float64
		Weights                       []float64
	}
	text, err := os.ReadFile(filepath.Join(work, "book.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &oracle); err != nil {
		t.Fatal(err)
	}
	estimates, err := w.Estimates(t.Context(), pipeline.EstimateParams{
		Params: sppmi.Params{Smoothing: 0.75, Shift: 1}, Histograms: pipeline.Histograms{Normalisation: estimate.None},
		Clusters: bins,
	})
	if err != nil {
		t.Fatal(err)
	}
	n := len(words)
	var pairs []ot.Pair
	var members []int32
	for _, x := range words {
		i, _ := v.ID(x)
		members = append(members, i)
		for _, y := range words {
			j, _ := v.ID(y)
			pairs = append(pairs, ot.Pair{Source: i, Target: j})
		}
	}
	for metric, p := range map[string]ground.Params{
		"euclidean":  {Metric: ground.Euclidean, Normalisation: ground.Median, Clip: 10, Reg: 0.1},
		"angular":    {Metric: ground.Angular, Normalisation: ground.Log2, Reg: 0.1},
		"entailment": {Metric: "entailment", Normalisation: ground.Log2, Reg: 0.1},
	} {
		var cost ot.Cost
		if metric == "entailment" {
			cost, err = w.EntailmentCost(t.Context(), pipeline.GroundParams{Params: p, Clusters: bins})
		} else {
			var g *ground.Ground
			if g, err = w.Ground(t.Context(), pipeline.GroundParams{Params: p, Clusters: bins}); err == nil {
				cost = g.Cost
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		allNear(t, metric+" cost", cost.Data, oracle.Costs[metric], 1e-6)
		settings := ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: 1e-9}
		found, err := ot.Distances(t.Context(), w.Engine,
			&ot.Problem{Settings: settings, Cost: cost, Rows: estimates.Histograms, Pairs: pairs})
		if err != nil {
			t.Fatal(err)
		}
		// POT's sinkhorn_stabilized at times ends far from the distance, as the same pair the other way round tells.
		var ours, theirs []float64
		for i, r := range found {
			there, back := oracle.Distances[metric][i], oracle.Distances[metric][i%n*n+i/n]
			if metric != "entailment" && math.Abs(there-back) > 1e-6 {
				t.Logf("%s distance %d: ours %v, theirs %v, and %v the other way round", metric, i, r.Cost, there, back)
				continue
			}
			ours, theirs = append(ours, r.Cost), append(theirs, there)
		}
		allNear(t, metric+" distances", ours, theirs, 1e-6)
		if metric != "euclidean" {
			continue
		}
		for kind, weights := range map[string][]float64{"uniform": {.2, .2, .2, .2, .2}, "weighted": oracle.Weights} {
			b := &ot.BarycenterProblem{
				Settings: ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: 1e-4}, Cost: cost, Rows: estimates.Histograms,
				Offsets: []int{0, len(members)}, Members: members, UnweightedStart: kind == "weighted",
			}
			for _, x := range weights {
				b.Weights = append(b.Weights, float32(x))
			}
			err := w.Engine.Barycenters(t.Context(), b, func(_ int, found []ot.Barycenter) error {
				// Where iterations stop, within 1e-4, may differ by ten of them.
				allNear(t, kind+" barycenter", found[0].Histogram, oracle.Barycenters[kind], 1e-4)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func dense(m *sparse.Matrix[float32]) []float32 {
	all := make([]float32, m.Rows*m.Cols)
	for i := range m.Rows {
		columns, values := m.Row(i)
		for e, j := range columns {
			all[i*m.Cols+int(j)] = values[e]
		}
	}
	return all
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
}

// Nodes read the authors' files, compute what these lack, and name what is missing, cut short or of another shape.
func TestAuthorsFiles(t *testing.T) {
	mini := pipelinetest.World(t)
	p := sppmi.Params{Smoothing: 0.5, Shift: 1}
	m, err := mini.Associations(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	v, err := mini.Vocabulary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	vectors, err := mini.Vectors(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const k = 3
	assignment := make([]int32, v.Len())
	for i := range assignment {
		assignment[i] = int32(i%(k+1)) - 1
	}
	// folder writes the files of one corpus, without those named.
	folder := func(t *testing.T, without ...string) (data string) {
		data = t.TempDir()
		dir := filepath.Join(data, "authors", "books")
		at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
		for _, sub := range []string{"associations_0.5_1", "clusters_3"} {
			if err := os.MkdirAll(at(sub), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		err := errors.Join(v.Write(at("vocab.txt")), vectors.Write(t.Context(), at("vectors.txt"), embedding.GloVe),
			npy.Write(at("associations_0.5_1/start.npy"), []int{len(m.Start)}, m.Start),
			npy.Write(at("associations_0.5_1/index.npy"), []int{len(m.Index)}, m.Index),
			npy.Write(at("associations_0.5_1/value.npy"), []int{len(m.Value)}, m.Value),
			npy.Write(at("clusters_3/assignment.npy"), []int{v.Len()}, assignment),
			npy.Write(at("clusters_3/centroids.npy"), []int{k, 2}, make([]float32, 2*k)))
		if err != nil {
			t.Fatal(err)
		}
		var list strings.Builder
		for _, name := range []string{
			"vocab.txt", "vectors.txt", "associations_0.5_1/start.npy", "associations_0.5_1/index.npy",
			"associations_0.5_1/value.npy", "clusters_3/assignment.npy", "clusters_3/centroids.npy",
		} {
			if slices.Contains(without, name) {
				continue
			}
			sum, err := checksum.File(t.Context(), at(name))
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(at(name))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&list, "%s\t%d\t%s\n", sum, info.Size(), name)
		}
		if err := os.WriteFile(at(dataset.AuthorsList), []byte(list.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return data
	}
	histograms := pipeline.EstimateParams{
		Params: p, Histograms: pipeline.Histograms{Normalisation: estimate.None},
		Clusters: pipeline.ClusterParams{K: k, Kind: profile.GloVe},
	}
	want, err := estimate.Histograms(t.Context(), m, assignment, k, histograms.Histograms)
	if err != nil {
		t.Fatal(err)
	}
	got, err := onAuthors(t, folder(t)).Estimates(t.Context(), histograms)
	if err != nil {
		t.Fatal(err)
	}
	for word, in := range assignment {
		if in >= 0 && !slices.Equal(got.Row(word), want.Row(word)) || in < 0 && got.Known[word] {
			t.Fatalf("word %d: %v, want %v", word, got.Row(word), want.Row(word))
		}
	}
	// Clusters that are not there are made of the vectors.
	made, err := onAuthors(t, folder(t, "clusters_3/assignment.npy")).Clusters(t.Context(), histograms.Clusters)
	if err != nil || slices.Equal(made.Assignment, assignment) {
		t.Errorf("clusters of the vectors: %v", err)
	}
	for name, c := range map[string]struct {
		without string
		spoil   func(path string) error
		want    string
	}{
		"missing":     {"associations_0.5_1/start.npy", nil, "associations_0.5_1/start.npy"},
		"cut short":   {"", func(path string) error { return os.Truncate(path, 200) }, "value.npy"},
		"not there":   {"", os.Remove, "value.npy"},
		"vocabulary":  {"vocab.txt", nil, "vocab.txt"},
		"where to go": {"vocab.txt", nil, "github.com/sidak/context-mover-distance-and-barycenters (commit 9c269816)"},
	} {
		t.Run(name, func(t *testing.T) {
			data := folder(t, c.without)
			if c.spoil != nil {
				path := filepath.Join(data, "authors", "books", "associations_0.5_1", "value.npy")
				if err := c.spoil(path); err != nil {
					t.Fatal(err)
				}
			}
			_, err := onAuthors(t, data).Associations(t.Context(), p)
			if !errors.Is(err, dataset.ErrData) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one about %s", err, c.want)
			}
		})
	}
}
