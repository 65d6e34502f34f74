package experiments

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/cluster"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/cmdlib/estimate"
	"contextmover/cmdlib/ground"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/experiments/pipeline"
)

// Build makes a Space of anybody's text or embedding. Counts come from Text, or from
// the files that Vocabulary and Cooccurrences name; vectors from the file Vectors, or from a singular
// value decomposition of the associations.
//
// The settings that are no field are those of the profile "open" that scored best on
// the validation group: angular costs over spherical clusters, in units of the median;
// λ = 0.1; the words of a sentence are weighted a/(a+p).
type Build struct {
	Text     corpus.Text
	MinCount int64
	Window   int

	// Vocabulary and Cooccurrences are GloVe's vocab.txt and cooccurrence.bin. If they are
	// named, Text, MinCount and Window are not used.
	Vocabulary, Cooccurrences string

	// Vectors is a file of word vectors, or empty. Words without a vector take no part, neither
	// as words nor as contexts: they have no estimate.
	Vectors string
	// Dim is the dimension of singular vectors; it is lowered to the number of words.
	Dim int
	// Clusters is K; 0 for 300, or a tenth of the words that have a vector if that is less.
	Clusters int
	// SPPMI are the parameters of the estimates' associations.
	SPPMI sppmi.Params
	// Sentences is how words combine to sentences.
	Sentences cmdlib.Combination
	Seed      uint64

	// Progress, if not nil, is called when a long step starts and returns the function
	// that is told how much of it is done.
	Progress func(step string) func(done, total int64)

	given     *embedding.Vectors // read from Vectors
	givenSize int64              // the bytes of that file
	running   string             // step
	since     time.Time
}

// NewBuild returns the default settings.
func NewBuild() *Build {
	return &Build{MinCount: 10, Window: 10, Dim: 300, SPPMI: sppmi.Params{Smoothing: 0.55, Shift: 5}, Sentences: cmdlib.Average, Seed: 1}
}

// vectorAssociations are the parameters of the matrix that is decomposed, as in the profile "open".
var vectorAssociations = sppmi.Params{Smoothing: 1, Shift: 1}

func (b *Build) svdParams(words int) svd.Params {
	return svd.Params{Dim: min(b.Dim, words), Oversampling: 20, PowerIterations: 3, Exponent: 0, Seed: pipeline.Seed(b.Seed, "svd")}
}

// clusters is K for a number of words that have a vector.
func (b *Build) clusters(words int) int {
	if b.Clusters > 0 {
		return b.Clusters
	}
	return max(min(3, words), min(300, words/10))
}

// settings are what a Space is made with and asked with.
func (b *Build) settings() cmdlib.Settings {
	transport := cmdlib.Transport{Reg: 0.1, MaxIter: 100}
	combine := transport
	if b.Sentences != cmdlib.Average {
		combine.Tol = 1e-4 // the paper's
	}
	return cmdlib.Settings{
		SPPMI:    b.SPPMI,
		Estimate: estimate.Params{Normalisation: estimate.Total, Beta: 1},
		Ground:   ground.Params{Metric: ground.Angular, Normalisation: ground.Median, Reg: transport.Reg},

		Transport: transport,
		Sentence: cmdlib.SentenceSettings{
			Combination: b.Sentences,
			Weighting:   sentence.Weighting{Scheme: sentence.InverseMarginal, A: 1e-4},
			Transport:   combine,
		},
	}
}

// Built tells what a Space was made of.
type Built struct {
	Words        int   `json:"words"`
	WithVector   int   `json:"with_vector"`
	WithEstimate int   `json:"with_estimate"`
	Pairs        int64 `json:"pairs"` // of words that occur together
	Clusters     int   `json:"clusters"`
	Dim          int   `json:"dim"`
	// Sentences and Tokens of the text, and how many of these are words of the vocabulary; 0 if
	// the counts were given.
	Sentences int64 `json:"sentences,omitempty"`
	Tokens    int64 `json:"tokens,omitempty"`
	Known     int64 `json:"known_tokens,omitempty"`
	// Invalid is the number of lines with bytes that are not UTF-8, which were read as U+FFFD.
	Invalid  int64         `json:"invalid_lines,omitempty"`
	Duration time.Duration `json:"-"`
}

// step starts a long step and ends the one before; an empty name starts none.
func (b *Build) step(name string) func(done, total int64) {
	now := time.Now()
	if b.running != "" {
		slog.Info("done", "step", b.running, "seconds", fmt.Sprintf("%.1f", now.Sub(b.since).Seconds()))
	}
	b.running, b.since = name, now
	if b.Progress == nil || name == "" {
		return nil
	}
	return b.Progress(name)
}

// Run makes the Space and writes it to the folder out, which appears whole or not at all.
//
// Errors of the text or the files name file and line. It is an error if no word has
// a vector, and an ErrSettings if there are fewer words than clusters.
func (b *Build) Run(ctx context.Context, out string) (*Built, error) {
	start := time.Now()
	if err := cmdlib.Replaceable(out); err != nil {
		return nil, err
	}
	// The vectors first: a bad file should show before the counting.
	if err := b.readVectors(ctx); err != nil {
		return nil, err
	}
	v, counts, stats, err := b.count(ctx)
	if err != nil {
		return nil, err
	}
	built := &Built{Words: v.Len(), Pairs: int64(counts.NonZeros()), Sentences: stats.Lines, Tokens: stats.Tokens, Known: stats.Known, Invalid: stats.Invalid}

	b.step("associations")
	var dim int
	var vectors []float32 // of each word
	has := make([]bool, v.Len())
	if g := b.given; g != nil {
		dim, vectors = g.Dim, make([]float32, v.Len()*g.Dim)
		for i, word := range v.Words {
			if id, ok := g.ID(word); ok {
				copy(vectors[i*dim:], g.Row(int(id)))
				has[i] = true
			}
		}
	} else {
		associations, err := sppmi.Compute(ctx, counts, vectorAssociations)
		if err != nil {
			return nil, err
		}
		p := b.svdParams(v.Len())
		r, err := svd.Compute(ctx, associations, p, b.step(fmt.Sprintf("singular vectors, %d dimensions", p.Dim)))
		if err != nil {
			return nil, err
		}
		unit, err := embedding.New(v.Words, p.Dim, r.Vectors)
		if err != nil {
			return nil, err
		}
		dim, vectors = p.Dim, unit.Normalised().Data
		for i := range has {
			has[i] = true
		}
	}
	built.Dim = dim

	// A vector of length 0 has no direction, which clusters need.
	points := make([]float32, 0, len(vectors))
	ids := make([]int32, 0, len(has))
	for i := range has {
		row := vectors[i*dim : (i+1)*dim]
		if has[i] && slices.ContainsFunc(row, func(x float32) bool { return x != 0 }) {
			points, ids = append(points, row...), append(ids, int32(i))
		} else {
			has[i] = false
		}
	}
	built.WithVector = len(ids)
	if len(ids) == 0 {
		if b.Vectors == "" {
			return nil, pipeline.DataError(errors.New("no word is associated with another: give more text, with a sentence a line"))
		}
		return nil, pipeline.DataError(fmt.Errorf("%s: none of its words is one of the %d words of the text (%q, …): are they of the same language and case?", b.Vectors, v.Len(), v.Words[0]))
	}
	k := b.clusters(len(ids))
	built.Clusters = k
	if k > len(ids) {
		return nil, fmt.Errorf("%w: %d clusters for %d words that have a vector, expected at most as many", pipeline.ErrSettings, k, len(ids))
	}
	groups, err := cluster.KMeans(ctx, points, dim, cluster.Params{
		K: k, Spherical: true, MaxIter: 300, Tol: 1e-4, Seed: pipeline.Seed(b.Seed, "clusters"),
	}, b.step(fmt.Sprintf("%d clusters", k)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", pipeline.ErrSettings, err)
	}
	points = nil
	assignment := make([]int32, v.Len())
	for i := range assignment {
		assignment[i] = -1
	}
	for i, id := range ids {
		assignment[id] = groups.Assignment[i]
	}

	debug.FreeOSMemory() // of the decomposition
	b.step("estimates")
	settings := b.settings()
	associations, err := sppmi.Compute(ctx, counts, settings.SPPMI)
	if err != nil {
		return nil, err
	}
	counts = nil
	estimates, err := estimate.Histograms(ctx, associations, assignment, k, settings.Estimate)
	if err != nil {
		return nil, err
	}
	for i, known := range estimates.Known {
		if !has[i] {
			clear(estimates.Row(i))
		} else if known {
			built.WithEstimate++
		}
	}
	if built.WithEstimate == 0 {
		return nil, pipeline.DataError(fmt.Errorf("no word is associated with a context that has a vector (%d of %d words have one): give more text, more vectors or a smaller shift than %g", len(ids), v.Len(), b.SPPMI.Shift))
	}
	cost, err := ground.New(groups.Centroids, k, dim, settings.Ground)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", pipeline.ErrSettings, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	b.step("write the space")
	err = cmdlib.Write(ctx, out, cmdlib.Contents{
		Vocabulary: v, Histograms: estimates.Histograms,
		Dim: dim, Vectors: vectors, Centroids: groups.Centroids, Cost: cost.Cost,
		Settings: settings, Assignment: assignment, Associations: associations,
		Provenance: b.provenance(built),
	})
	if err != nil {
		return nil, err
	}
	b.step("")
	built.Duration = time.Since(start)
	return built, nil
}

// readVectors reads the file of vectors once.
func (b *Build) readVectors(ctx context.Context) error {
	if b.Vectors == "" || b.given != nil {
		return nil
	}
	b.step("read vectors")
	info, err := os.Stat(b.Vectors)
	if err != nil {
		return pipeline.DataError(err)
	}
	if b.given, err = embedding.Read(ctx, b.Vectors); err != nil {
		return pipeline.DataError(err)
	}
	b.givenSize = info.Size()
	return nil
}

// count returns vocabulary and counts; stats are zero if they are read from files.
func (b *Build) count(ctx context.Context) (*corpus.Vocabulary, *corpus.Counts, corpus.Stats, error) {
	var none corpus.Stats
	if b.Vocabulary != "" {
		b.step("read counts")
		v, err := corpus.ReadVocabulary(b.Vocabulary)
		if err != nil {
			return nil, nil, none, pipeline.DataError(err)
		}
		counts, err := corpus.ReadCooccurrences(ctx, b.Cooccurrences, v.Len())
		if err != nil {
			return nil, nil, none, pipeline.DataError(err)
		}
		return v, counts, none, ctx.Err()
	}
	v, stats, err := corpus.BuildVocabulary(ctx, b.Text, b.MinCount, b.step("vocabulary"))
	if err != nil {
		return nil, nil, none, pipeline.DataError(err)
	}
	if stats.Invalid > 0 {
		slog.Warn("bytes that are not UTF-8 were read as U+FFFD; convert the text (iconv -t UTF-8) to keep them", "lines", stats.Invalid)
	}
	counts, stats, err := corpus.Count(ctx, b.Text, v, b.Window, b.step("count co-occurrences"))
	if err != nil {
		return nil, nil, none, pipeline.DataError(err)
	}
	// Counting leaves as much garbage as there are counts, on top of which comes the next step.
	debug.FreeOSMemory()
	return v, counts, stats, nil
}

// provenance says where a Space comes from. It has no dates: the same input makes
// the same files.
func (b *Build) provenance(built *Built) map[string]any {
	p := map[string]any{"made_by": "repro build", "seed": b.Seed, "built": built, "clusters": built.Clusters}
	if b.Vocabulary != "" {
		p["vocabulary"], p["cooccurrences"] = filepath.Base(b.Vocabulary), filepath.Base(b.Cooccurrences)
	} else {
		var files []string
		for _, f := range b.Text.Files {
			files = append(files, filepath.Base(f))
		}
		p["text"], p["layout"], p["tokenised"] = files, b.Text.Layout.String(), b.Text.Tokenised
		p["min_count"], p["window"] = b.MinCount, b.Window
	}
	if b.Vectors != "" {
		p["vectors"] = filepath.Base(b.Vectors)
	} else {
		p["vectors"] = "singular vectors"
	}
	return p
}
