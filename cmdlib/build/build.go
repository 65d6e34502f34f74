// Package build makes a cmdlib.Space of a text, or of vectors and counts, and predicts what that
// will take.
//
//	text ── vocabulary, counts ── SVD of the associations ──▶ vectors ── k-means ──▶ contexts
//	                  └────────── associations ── histograms over the contexts ──▶ Space
package build

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
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
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/sentence"
	"contextmover/cmdlib/sppmi"
	"contextmover/internal/system"
)

// Builder says what a Space is made of and how. Counts come from Text, or from
// the files that Vocabulary and Cooccurrences name; vectors from the file Vectors, or from a singular
// value decomposition of the associations. A Builder is used by one goroutine at a time.
//
// The settings that are no field are those that scored best on the validation set of sentence similarity (STS16)
// where the corpus was novels and Wikipedia. They are angular costs over spherical clusters, in units of the median,
// λ = 0.1 and 100 iterations. The words of a sentence are weighted a/(a+p) with a = 1e-4.
type Builder struct {
	// Text is read twice. Only words that occur MinCount ≥ 1 times make the vocabulary; pairs
	// are counted within a window of 1 to corpus.MaxWindow words.
	Text     corpus.Text
	MinCount int64
	Window   int

	// Vocabulary and Cooccurrences are GloVe's vocab.txt and cooccurrence.bin. If they are named, Text and MinCount
	// are not used, and Window is that of the counts, by which the Space estimates further words; 0 for one that does
	// not.
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
	// that is told how much of it is done, or nil.
	Progress func(step string) func(done, total int64)

	given *embedding.Vectors // read from Vectors
}

// New returns the default settings: a minimum count and a window of 10, 300 dimensions, α = 0.55 and
// a shift of 5, sentences as averages, seed 1.
func New() *Builder {
	return &Builder{
		MinCount: 10, Window: 10, Dim: 300, SPPMI: sppmi.Params{Smoothing: 0.55, Shift: 5}, Sentences: cmdlib.Average,
		Seed: 1,
	}
}

// vectorAssociations are the parameters of the matrix that is decomposed, as in the profile "open".
var vectorAssociations = sppmi.Params{Smoothing: 1, Shift: 1}

func (b *Builder) svdParams(words int) svd.Params {
	return svd.Params{
		Dim: min(b.Dim, words), Oversampling: 20, PowerIterations: 3, Exponent: 0, Seed: seed(b.Seed, "svd"),
	}
}

// clusters is K for a number of words that have a vector.
func (b *Builder) clusters(words int) int {
	if b.Clusters > 0 {
		return b.Clusters
	}
	return max(min(3, words), min(300, words/10))
}

// settings are what a Space is made with and asked with.
func (b *Builder) settings() cmdlib.Settings {
	transport := ot.Settings{Reg: 0.1, MaxIter: 100}
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
		Encoding: cmdlib.DefaultEncoding, Defaults: cmdlib.Measured,
	}
}

// Summary tells what a Space was made of.
type Summary struct {
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
	Invalid int64 `json:"invalid_lines,omitempty"`
	// FirstInvalid is the place of the first of them, as file:line, or empty.
	FirstInvalid string        `json:"-"`
	Duration     time.Duration `json:"-"`
}

// step starts a long step.
func (b *Builder) step(name string) func(done, total int64) {
	if b.Progress == nil {
		return nil
	}
	return b.Progress(name)
}

// ErrData is what an error about the text or the files is: they are missing, damaged,
// malformed, or there is too little in them.
var ErrData = errors.New("data missing, damaged or malformed")

// Run makes the Space and writes it to the file out, which appears whole or not at all.
//
// Errors of the text or the files are an ErrData, and name file and line. It is an ErrData if no word has
// a vector or an estimate, and a cmdlib.ErrSettings if there are fewer words than clusters. When ctx
// ends its error is returned.
func (b *Builder) Run(ctx context.Context, out string) (*Summary, error) {
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
	contents, built, err := b.FromCounts(ctx, v, counts, b.given)
	if err != nil {
		return nil, err
	}
	built.Sentences, built.Tokens, built.Known, built.Invalid = stats.Lines, stats.Tokens, stats.Known, stats.Invalid
	built.FirstInvalid = stats.FirstInvalid
	contents.Provenance = b.provenance(built)
	b.step("write the space")
	if err := cmdlib.Write(ctx, out, *contents); err != nil {
		return nil, err
	}
	built.Duration = time.Since(start)
	return built, nil
}

// FromCounts returns the contents of a Space over the words v with the co-occurrence counts (words×words, row = word,
// column = context). It takes the vectors given, or singular vectors if given is nil. It uses Dim, Clusters, SPPMI,
// Sentences and Seed, and no file; cmdlib.Write writes what it returns. For the errors see Run. The memory of counts
// can be freed half-way if the caller does not hold on to them.
func (b *Builder) FromCounts(
	ctx context.Context, v *corpus.Vocabulary, counts *corpus.Counts, given *embedding.Vectors,
) (*cmdlib.Contents, *Summary, error) {
	if v.Len() == 0 || counts.Rows != v.Len() || counts.Cols != v.Len() {
		return nil, nil, dataError(fmt.Errorf("counts of %d words with %d contexts for a vocabulary of %d words, "+
			"expected as many of each, and one at least", counts.Rows, counts.Cols, v.Len()))
	}
	built := &Summary{Words: v.Len(), Pairs: int64(counts.NonZeros())}

	b.step("associations")
	summed, err := sppmi.New(ctx, counts)
	if err != nil {
		return nil, nil, err
	}
	counts = nil
	var dim int
	var vectors []float32 // of each word
	has := make([]bool, v.Len())
	if g := given; g != nil {
		dim, vectors = g.Dim, make([]float32, v.Len()*g.Dim)
		for i, word := range v.Words {
			if id, ok := g.ID(word); ok {
				copy(vectors[i*dim:], g.Row(int(id)))
				has[i] = true
			}
		}
	} else {
		associations, err := summed.Associations(ctx, vectorAssociations)
		if err != nil {
			return nil, nil, err
		}
		p := b.svdParams(v.Len())
		r, err := svd.Compute(ctx, associations, p, b.step(fmt.Sprintf("singular vectors, %d dimensions", p.Dim)))
		if err != nil {
			return nil, nil, err
		}
		unit, err := embedding.New(v.Words, p.Dim, r.Vectors)
		if err != nil {
			return nil, nil, err
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
		if given == nil {
			return nil, nil, dataError(
				errors.New("no word is associated with another: give more text, with one sentence per line"),
			)
		}
		return nil, nil, dataError(fmt.Errorf("%s: none of its words is one of the %d words of the text (%q, …): are "+
			"they of the same language and case?", cmp.Or(b.Vectors, "vectors"), v.Len(), v.Words[0]))
	}
	k := b.clusters(len(ids))
	built.Clusters = k
	if k > len(ids) {
		return nil, nil, fmt.Errorf("%w: %d clusters for %d words that have a vector, expected at most as many",
			cmdlib.ErrSettings, k, len(ids))
	}
	groups, err := cluster.KMeans(ctx, points, dim, cluster.Params{
		K: k, Spherical: true, MaxIter: 300, Tol: 1e-4, Seed: seed(b.Seed, "clusters"),
	}, b.step(fmt.Sprintf("%d clusters", k)))
	if ended := ctx.Err(); ended != nil {
		return nil, nil, ended
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", cmdlib.ErrSettings, err)
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
	associations, err := summed.Associations(ctx, settings.SPPMI)
	if err != nil {
		return nil, nil, err
	}
	marginals, err := summed.Marginals(settings.SPPMI.Smoothing)
	if err != nil {
		return nil, nil, err
	}
	summed = nil
	estimates, err := estimate.Histograms(ctx, associations, assignment, k, settings.Estimate)
	if err != nil {
		return nil, nil, err
	}
	for i, known := range estimates.Known {
		if !has[i] {
			clear(estimates.Row(i))
		} else if known {
			built.WithEstimate++
		}
	}
	if built.WithEstimate == 0 {
		return nil, nil, dataError(fmt.Errorf("no word is associated with a context that has a vector (%d of %d "+
			"words have one): give more text, more vectors or a smaller shift than "+
			"%g", len(ids), v.Len(), b.SPPMI.Shift))
	}
	cost, err := ground.New(groups.Centroids, k, dim, settings.Ground)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", cmdlib.ErrSettings, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	var reference *cmdlib.Reference
	if b.Window > 0 {
		reference = &cmdlib.Reference{
			Window: b.Window, Marginals: marginals.Contexts, Total: marginals.Total, Divisors: estimates.Divisors,
		}
	}
	return &cmdlib.Contents{
		Vocabulary: v, Histograms: estimates.Histograms,
		Dim: dim, Vectors: vectors, Centroids: groups.Centroids, Cost: cost.Cost,
		Settings: settings, Assignment: assignment, Associations: associations,
		Reference: reference,
	}, built, nil
}

// readVectors reads the file of vectors once.
func (b *Builder) readVectors(ctx context.Context) error {
	if b.Vectors == "" || b.given != nil {
		return nil
	}
	b.step("read vectors")
	var err error
	if b.given, err = embedding.Read(ctx, b.Vectors); err != nil {
		return dataError(err)
	}
	return nil
}

// dataError makes err an ErrData, unless it is that the work was cancelled or the system is at fault.
func dataError(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || system.AtFault(err) {
		return err
	}
	return ofData{err}
}

// ofData is an ErrData with the message of another error.
type ofData struct{ error }

func (e ofData) Unwrap() error { return e.error }

func (e ofData) Is(target error) bool { return target == ErrData }

// seed derives the seed of a random stream from that of the Space and the step's name.
func seed(of uint64, step string) uint64 {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", of, step))
	return binary.LittleEndian.Uint64(sum[:])
}

// count returns vocabulary and counts; stats are zero if they are read from files.
func (b *Builder) count(ctx context.Context) (*corpus.Vocabulary, *corpus.Counts, corpus.Stats, error) {
	var none corpus.Stats
	if b.Vocabulary != "" {
		b.step("read counts")
		v, err := corpus.ReadVocabulary(b.Vocabulary)
		if err != nil {
			return nil, nil, none, dataError(err)
		}
		counts, err := corpus.ReadCooccurrences(ctx, b.Cooccurrences, v.Len(), nil)
		if err != nil {
			return nil, nil, none, dataError(err)
		}
		return v, counts, none, ctx.Err()
	}
	v, _, err := corpus.BuildVocabulary(ctx, b.Text, b.MinCount, b.step("vocabulary"))
	if err != nil {
		return nil, nil, none, dataError(err)
	}
	counts, stats, err := corpus.Count(ctx, b.Text, v, b.Window, b.step("count co-occurrences"))
	if err != nil {
		return nil, nil, none, dataError(err)
	}
	// Counting leaves as much garbage as there are counts, on top of which comes the next step.
	debug.FreeOSMemory()
	return v, counts, stats, nil
}

// provenance says where a Space comes from. It has no dates: the same input makes
// the same files.
func (b *Builder) provenance(built *Summary) map[string]any {
	p := map[string]any{"made_by": "cmdlib/build", "seed": b.Seed, "built": built, "clusters": built.Clusters}
	if b.Vocabulary != "" {
		p["vocabulary"], p["cooccurrences"] = filepath.Base(b.Vocabulary), filepath.Base(b.Cooccurrences)
	} else {
		var files []string
		for _, f := range b.Text.Files {
			files = append(files, filepath.Base(f))
		}
		p["text"], p["layout"], p["tokenised"] = files, cmp.Or(b.Text.Layout, corpus.Sentences), b.Text.Tokenised
		p["min_count"], p["window"] = b.MinCount, b.Window
	}
	if b.Vectors != "" {
		p["vectors"] = filepath.Base(b.Vectors)
	} else {
		p["vectors"] = "singular vectors"
	}
	return p
}
