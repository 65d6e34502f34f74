package build

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"contextmover/cmdlib"
	"contextmover/cmdlib/corpus"
	"contextmover/cmdlib/embedding/svd"
	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
	"contextmover/internal/elementary"
)

// Prediction is what a Builder's Run will probably take.
type Prediction struct {
	// Exact tells that the sizes are counted, not extrapolated; times and memory
	// are estimates in any case.
	Exact bool `json:"exact"`
	// TextBytes is the size of the text, decompressed.
	TextBytes int64 `json:"text_bytes,omitempty"`
	Tokens    int64 `json:"tokens,omitempty"`
	Words     int64 `json:"words"`
	Pairs     int64 `json:"pairs"`
	Clusters  int   `json:"clusters"`
	Dim       int   `json:"dim"`
	// Memory is what the process will take at its peak, Disk the size of the Space.
	Memory int64 `json:"memory_bytes"`
	Disk   int64 `json:"disk_bytes"`
	// Seconds, in all and of each step.
	Seconds float64    `json:"seconds"`
	Steps   []StepTime `json:"steps"`
}

// StepTime is the time of a step.
type StepTime struct {
	Name    string  `json:"name"`
	Seconds float64 `json:"seconds"`
}

// excerptSize is how much of a text Predict looks at; a variable for tests.
var excerptSize = int64(8 << 20)

// The rates of steps, in seconds for what is named, measured on the machine of the README: two
// cores of 4.3 GHz with AVX-512. Predict scales them by the speed at which this machine counts.
const (
	rateCount  = 4.5e-7  // a token of the text, read twice and counted
	rateSVD    = 1.1e-10 // a stored association and column of a product
	rateQR     = 3.0e-11 // a word and pair of columns
	rateFactor = 2.0e-10 // a triple of columns, in factors of their Gram matrix
	rateEigen  = 3.0e-9  // a triple of columns, in its eigenvectors, which only one processor looks for
	rateKMeans = 8.0e-10 // a word, cluster and dimension, all iterations
	rateSPPMI  = 1.5e-8  // a pair of words
	rateRead   = 2.0e-8  // a pair of words in a file
	rateWrite  = 2.5e-9  // a byte of the Space
)

// Predict looks at an excerpt of the text, or at the size of the counts, and estimates what Run
// will take. Extrapolated sizes are those of an excerpt of half the size and of the whole
// one, continued as a power of the size [Heaps' law]. More clusters than counts have words are a cmdlib.ErrSettings.
func (b *Builder) Predict(ctx context.Context) (*Prediction, error) {
	p := &Prediction{Exact: true, Dim: b.Dim}
	slow := 1.0
	if b.Vocabulary != "" {
		v, err := corpus.ReadVocabulary(b.Vocabulary)
		if err != nil {
			return nil, dataError(err)
		}
		info, err := os.Stat(b.Cooccurrences)
		if err != nil {
			return nil, dataError(err)
		}
		p.Words, p.Pairs = int64(v.Len()), info.Size()/16
		if k := b.clusters(v.Len()); k > v.Len() { // before anybody reckons what so many would take
			return nil, fmt.Errorf("%w: %d clusters for %d words, expected at most as many",
				cmdlib.ErrSettings, k, v.Len())
		}
		p.Steps = append(p.Steps, StepTime{"read counts", rateRead * float64(p.Pairs)})
	} else {
		var err error
		if slow, err = b.predictText(ctx, p); err != nil {
			return nil, err
		}
	}
	add := func(name string, seconds float64) { p.Steps = append(p.Steps, StepTime{name, slow * seconds}) }
	words, pairs := float64(p.Words), float64(p.Pairs)
	vectorBytes, dense := 0.0, 0.0
	if b.Vectors != "" {
		if err := b.readVectors(ctx); err != nil {
			return nil, err
		}
		p.Dim = b.given.Dim
		vectorBytes = 4 * float64(len(b.given.Data))
	} else {
		p.Dim = int(min(int64(b.Dim), p.Words))
		columns := float64(min(int64(p.Dim)+20, p.Words))
		dense = float64(svd.Memory(p.Words, p.Words, b.svdParams(int(p.Words))))
		// Of nearly as many dimensions as there are words, the last two are nearly all.
		add("singular vectors", float64(8*rateSVD*PositiveShare*pairs*columns)+float64(4*rateQR*words*columns*columns)+
			float64((8*rateFactor+rateEigen)*columns*columns*columns))
	}
	p.Clusters = b.clusters(int(p.Words))
	add("clusters", rateKMeans*words*float64(p.Clusters*p.Dim))
	add("associations and estimates", 2*rateSPPMI*pairs)
	p.Disk = p.Words*int64(4*(p.Clusters+p.Dim)+spaceExtra) + int64(4*p.Clusters*(p.Clusters+p.Dim))
	add("write the space", rateWrite*float64(p.Disk))
	for _, s := range p.Steps {
		p.Seconds += s.Seconds
	}
	// While counting: the text as ids, and pairs in both directions. Afterwards: the counts, the
	// associations and their transpose, and the dense matrices of the decomposition; or the associations and the Space.
	counting := float64(8*float64(p.Tokens)) + float64(18*pairs)
	decomposing := float64((12+16*PositiveShare)*pairs) + dense
	writing := float64((12+8*PositiveShare)*pairs) + float64(1.5*float64(p.Disk))
	reading := float64(2.5 * vectorBytes) // of text, beside the vectors themselves; none without a file of them
	p.Memory = int64(3e7 + vectorBytes + float64(1.2*max(reading, counting, decomposing, writing)))
	return p, nil
}

// spaceExtra is about what a Space has for each word besides histogram and vector: the word, its
// cluster and its strongest contexts.
const spaceExtra = 400

// PositiveShare is about the share of pairs of words whose association is positive.
const PositiveShare = 0.6

// predictText fills in the sizes of the text, and returns how many times slower than the reference
// this machine counts.
func (b *Builder) predictText(ctx context.Context, p *Prediction) (slow float64, err error) {
	b.step("look at the text")
	whole, err := b.excerpt(excerptSize)
	if err != nil {
		return 0, err
	}
	defer whole.remove()
	start := time.Now()
	size, err := b.look(ctx, whole, b.MinCount)
	if err != nil {
		return 0, err
	}
	seconds := time.Since(start).Seconds()
	p.TextBytes = whole.total
	p.Exact = whole.bytes >= whole.total
	p.Tokens, p.Words, p.Pairs = size.tokens, int64(size.words), int64(size.pairs)
	if !p.Exact {
		n := float64(whole.total) / float64(whole.bytes)
		p.Tokens = int64(float64(size.tokens) * n)
		if p.Words, p.Pairs, err = b.extrapolate(ctx, whole, size, n); err != nil {
			return 0, err
		}
	}
	perToken := seconds / float64(max(size.tokens, 1))
	p.Steps = append(p.Steps, StepTime{"vocabulary and counts", perToken * float64(p.Tokens)})
	if seconds < 0.05 { // too little to say something about the machine
		return 1, nil
	}
	return perToken / rateCount, nil
}

// extrapolate estimates the words and pairs of a text that is n times as large as an
// excerpt. Both grow as a power of the size [Heaps' law], which is taken from an excerpt of half the size. To
// see the power of large texts in a small one, it is that of words that occur
// m' times in the excerpt, m' < MinCount: about as many occur MinCount times in a text MinCount/m' times as large.
func (b *Builder) extrapolate(
	ctx context.Context, whole *excerpt, size *look, n float64,
) (words, pairs int64, err error) {
	half, err := b.excerpt(excerptSize / 2)
	if err != nil {
		return 0, 0, err
	}
	defer half.remove()
	minCount := min(b.MinCount, max(2, int64(math.Round(float64(b.MinCount)/n))))
	small, err := b.look(ctx, half, minCount)
	if err != nil {
		return 0, 0, err
	}
	large, err := b.look(ctx, whole, minCount)
	if err != nil {
		return 0, 0, err
	}
	power := func(small, large float64) float64 {
		step := elementary.Log(float64(whole.bytes) / float64(half.bytes))
		if !(small > 0 && large > small && step > 0) {
			return 0
		}
		return min(1, elementary.Log(large/small)/step)
	}
	reached := float64(b.MinCount) / float64(minCount)
	words = int64(large.words * elementary.Pow(n/reached, power(small.words, large.words)))
	pairs = int64(size.pairs * elementary.Pow(n, power(small.pairs, large.pairs)))
	return words, pairs, nil
}

// excerpt is a part of the text in a temporary file.
type excerpt struct {
	file         string
	bytes, total int64
	remove       func()
}

func (b *Builder) excerpt(size int64) (*excerpt, error) {
	// What a killed process leaves goes with the next one's.
	dir, release, err := atomicfile.Temporary("contextmover-build", 0)
	if err != nil {
		return nil, err
	}
	f, err := disk.Create(filepath.Join(dir, "excerpt.txt"))
	if err != nil {
		release()
		return nil, err
	}
	x := &excerpt{file: f.Name(), remove: release}
	w := bufio.NewWriterSize(f, 1<<18) // lines come one at a time
	x.bytes, x.total, err = corpus.WriteExcerpt(w, b.Text, size)
	if err = errors.Join(err, w.Flush(), f.Close()); err != nil {
		release()
		return nil, dataError(err)
	}
	return x, nil
}

// look is what an excerpt shows.
type look struct {
	tokens       int64
	words, pairs float64
}

func (b *Builder) look(ctx context.Context, x *excerpt, minCount int64) (*look, error) {
	text := b.Text
	text.Files = []string{x.file}
	v, stats, err := corpus.BuildVocabulary(ctx, text, minCount, nil)
	if err != nil && ctx.Err() == nil {
		// The message names a file that is not the user's: let the text itself say it, unless
		// only the excerpt is too small.
		if _, _, err := corpus.BuildVocabulary(ctx, b.Text, b.MinCount, nil); err != nil {
			return nil, dataError(err)
		}
		return &look{}, nil
	}
	if err != nil {
		return nil, err
	}
	counts, _, err := corpus.Count(ctx, text, v, b.Window, nil)
	if err != nil {
		return nil, dataError(err)
	}
	return &look{stats.Tokens, float64(v.Len()), float64(counts.NonZeros())}, nil
}
