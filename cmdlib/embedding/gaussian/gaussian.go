package gaussian

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/internal/enum"
	"contextmover/cmdlib/internal/pages"
	"contextmover/cmdlib/internal/skipgram"
	"contextmover/cmdlib/sparse"
	"contextmover/internal/bounded"
	"contextmover/internal/elementary"
)

// Energy says how well a word and a context fit.
type Energy string

const (
	KL Energy = "KL" // the negative divergence of the context's distribution from the word's
	EL Energy = "EL" // the logarithm of the expected likelihood
)

// Params are the settings of a training. Those of word2gauss, by which others run it, are 100 dimensions, spherical, KL,
// Margin 0.1, Length 2, variances from 0.7 to 1.5 and Rate 0.1.
type Params struct {
	// Dim is the number of components of a mean, at least 1.
	Dim int `json:"dim"`
	// Passes is the number of passes over the counts, at least 1; Samples the number of co-occurrences that are drawn in
	// all of them together, about, at least 1.
	Passes  int   `json:"passes"`
	Samples int64 `json:"samples"`
	// Negatives is the number of contexts drawn against each co-occurrence, at least 1, with probabilities proportional to
	// their count to the power Noise ≥ 0.
	Negatives int     `json:"negatives"`
	Noise     float64 `json:"noise"`
	// Subsample is t > 0: of a word with the share f of all counts, the share min(1, √(t/f)) is used, on both sides. 0 uses all.
	Subsample float64 `json:"subsample"`
	Energy    Energy  `json:"energy"`
	// Spherical distributions have the same variance in all directions.
	Spherical bool `json:"spherical"`
	// Margin > 0 is by how much a co-occurrence's energy has to exceed that of another context.
	Margin float64 `json:"margin"`
	// Length > 0 bounds the length of a mean; 0 < Least ≤ Greatest bound variances, within 1e-4 to 1e4.
	Length   float64 `json:"length"`
	Least    float64 `json:"least"`
	Greatest float64 `json:"greatest"`
	// Rate is η > 0 at the start.
	Rate float64 `json:"rate"`
	Seed uint64  `json:"seed"`
}

// Result is what a training makes.
type Result struct {
	// Distributions holds the mean and then the variance of each word, n×2·Dim in row-major order.
	Distributions []float32
	// Loss is the mean loss of a co-occurrence with a context against it in each pass, each before its own update.
	Loss []float64
}

// Validate returns an error that names a setting out of its range.
func (p Params) Validate() error {
	positive := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	switch {
	case p.Dim < 1 || p.Dim > 1<<20:
		return fmt.Errorf("gaussian: dimension %d, expected 1 to %d", p.Dim, 1<<20)
	case p.Negatives < 1 || p.Negatives > 1<<20:
		return fmt.Errorf("gaussian: %d negatives, expected 1 to %d", p.Negatives, 1<<20)
	case !positive(p.Margin):
		return fmt.Errorf("gaussian: margin %v, expected a positive number", p.Margin)
	case !positive(p.Length):
		return fmt.Errorf("gaussian: length %v, expected a positive number", p.Length)
	case !(p.Least >= 1e-4 && p.Least <= p.Greatest && p.Greatest <= 1e4):
		return fmt.Errorf("gaussian: variances from %v to %v, expected such within 1e-4 to 1e4", p.Least, p.Greatest)
	case !positive(p.Rate):
		return fmt.Errorf("gaussian: rate %v, expected a positive number", p.Rate)
	}
	if err := enum.Validate("gaussian: unknown energy", p.Energy, []Energy{KL, EL}); err != nil {
		return err
	}
	if err := p.sampling().Validate(); err != nil {
		return fmt.Errorf("gaussian: %w", err)
	}
	return nil
}

func (p Params) sampling() skipgram.Params {
	return skipgram.Params{Passes: p.Passes, Samples: p.Samples, Noise: p.Noise, Subsample: p.Subsample, Seed: p.Seed}
}

// Memory predicts the bytes of memory that training takes for so many words, beside the counts.
func (p Params) Memory(words int) int64 {
	return 4*int64(words)*int64(6*p.Dim+4) + p.sampling().Memory(words)
}

// Train fits distributions to the square matrix of co-occurrence counts, whose stored entries have to be positive finite
// numbers.
//
// progress is told how many co-occurrences of all passes are done, from one goroutine, some times a pass; it may be nil.
// An error tells which setting or count is bad, that memory is short, or in which pass the loss stopped being a number.
func Train(ctx context.Context, counts *sparse.Matrix[float64], p Params, progress func(done, total int64)) (*Result, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := bounded.Allocate(p.Memory(counts.Rows)); err != nil {
		return nil, fmt.Errorf("gaussian: %d words of %d components: %w", counts.Rows, p.Dim, err)
	}
	s, err := skipgram.New(ctx, counts, p.sampling())
	if err != nil {
		return nil, fmt.Errorf("gaussian: %w", err)
	}
	m, err := newModel(ctx, s, p)
	if err != nil {
		return nil, err
	}
	loss, err := s.Train(ctx, m.train, func(context.Context) error { return nil }, progress)
	if err != nil {
		return nil, fmt.Errorf("gaussian: %w", err)
	}
	r := &Result{Loss: loss}
	for k := range r.Loss {
		r.Loss[k] /= float64(p.Negatives)
	}
	r.Distributions = s.InOrder(2*p.Dim, func(at int32, to []float32) { copy(to, m.words.of(at)) })
	for _, x := range r.Distributions {
		if x-x != 0 {
			return nil, fmt.Errorf("gaussian: %w", s.Diverged(p.Passes-1))
		}
	}
	return r, nil
}

// A side has the parameters of all words, or of all contexts, by position: mean and variance, and their sums of squares.
type side struct {
	dim     int
	at      []float32
	squares []float32
}

// of returns the mean and the variance of a word.
func (s *side) of(position int32) []float32 { return s.at[int(position)*2*s.dim:][: 2*s.dim : 2*s.dim] }

type model struct {
	p               Params
	words, contexts side
	logNormal       float64 // EL's constant
}

// Where means and variances start, normally distributed, and the sums of squares.
const (
	startMean     = 0.1 // its standard deviation
	startVariance = 0.1 // that of a variance around the middle of its bounds, in units of their distance
	startSquares  = 0.01
)

func newModel(ctx context.Context, s *skipgram.Sampler, p Params) (*model, error) {
	n := len(s.Words)
	m := &model{p: p, logNormal: float64(p.Dim) * elementary.Log(2*math.Pi)}
	for _, side := range []*side{&m.words, &m.contexts} {
		side.dim, side.at, side.squares = p.Dim, pages.Large[float32](2*p.Dim*n), make([]float32, 2*n)
	}
	return m, s.Start(ctx, func(q int, random *rand.Rand) error {
		for _, side := range []*side{&m.words, &m.contexts} {
			for at := s.First[q]; at < s.First[q+1]; at++ {
				x := side.of(at)
				for k := range p.Dim {
					x[k] = float32(startMean * random.NormFloat64())
				}
				v := random.NormFloat64()
				for k := range p.Dim {
					if k > 0 && !p.Spherical {
						v = random.NormFloat64()
					}
					x[p.Dim+k] = float32(float64((p.Least+p.Greatest)/2) + float64(startVariance*v*(p.Greatest-p.Least)))
				}
				side.squares[2*at], side.squares[2*at+1] = startSquares, startSquares
				m.bound(x)
			}
		}
		return nil
	})
}

// bound brings a mean and a variance within their bounds.
func (m *model) bound(x []float32) {
	var square float32
	mean, variance := x[:m.p.Dim], x[m.p.Dim:]
	for _, v := range mean {
		square += float32(v * v)
	}
	if length := float32(m.p.Length); square > length*length {
		scale := length / float32(math.Sqrt(float64(square)))
		for k := range mean {
			mean[k] *= scale
		}
	}
	least, greatest := float32(m.p.Least), float32(m.p.Greatest)
	for k, v := range variance {
		variance[k] = min(max(v, least), greatest)
	}
}

// train updates the parameters with each co-occurrence of a block and its negatives in order and returns the sum of
// their losses.
func (m *model) train(b *skipgram.Block) (loss float64) {
	rate := float32(m.p.Rate * b.Left)
	word, context, negative := make([]float32, 2*m.p.Dim), make([]float32, 2*m.p.Dim), make([]float32, 2*m.p.Dim)
	for w, c := range b.Pairs {
		for range m.p.Negatives {
			n := b.Negative()
			if n == c { // nothing to tell apart
				loss += m.p.Margin
				continue
			}
			x, y, z := m.words.of(w), m.contexts.of(c), m.contexts.of(n)
			l := m.p.Margin - m.energy(x, y) + m.energy(x, z)
			if !(l > 0) { // also where it is no number: that ends the training below
				loss += l - l
				continue
			}
			loss += l
			clear(word)
			m.gradient(x, y, 1, word, context)
			m.gradient(x, z, -1, word, negative)
			m.step(&m.words, w, word, rate)
			m.step(&m.contexts, c, context, rate)
			m.step(&m.contexts, n, negative, rate)
		}
	}
	return loss
}

// energy returns E of the parameters of a word and a context.
func (m *model) energy(w, c []float32) float64 {
	dim := m.p.Dim
	mean, variance := w[:dim], w[dim:][:dim]
	ofMean, ofVariance := c[:dim], c[dim:][:dim]
	// A product takes one logarithm instead of many. Factors are within 1e±8.
	var sum float32
	logs, product := 0.0, 1.0
	for k, x := range mean {
		d := x - ofMean[k]
		if m.p.Energy == KL {
			inverse := 1 / variance[k]
			r := float32(ofVariance[k] * inverse)
			sum += r - 1 + float32(d*d*inverse)
			product *= float64(r)
		} else {
			s := variance[k] + ofVariance[k]
			sum += d * d / s
			product *= float64(s)
		}
		if k%16 == 15 {
			logs += elementary.Log(product)
			product = 1
		}
	}
	logs += elementary.Log(product)
	if m.p.Energy == KL {
		return -0.5 * (float64(sum) - logs)
	}
	return -0.5 * (float64(sum) + logs + m.logNormal)
}

// gradient adds sign times the gradient of E for the word to ofWord, and sets ofContext to that for the context.
func (m *model) gradient(w, c []float32, sign float32, ofWord, ofContext []float32) {
	dim := m.p.Dim
	mean, variance := w[:dim], w[dim:][:dim]
	meanC, varianceC := c[:dim], c[dim:][:dim]
	gMean, gVariance := ofWord[:dim], ofWord[dim:][:dim]
	gMeanC, gVarianceC := ofContext[:dim], ofContext[dim:][:dim]
	for k, x := range mean {
		var d, v, vc float32
		if m.p.Energy == KL {
			inverse := 1 / variance[k]
			d = (x - meanC[k]) * inverse
			v = 0.5 * (float32(varianceC[k]*inverse*inverse) + float32(d*d) - inverse)
			vc = 0.5 * (1/varianceC[k] - inverse)
		} else {
			inverse := 1 / (variance[k] + varianceC[k])
			d = (x - meanC[k]) * inverse
			v = 0.5 * (float32(d*d) - inverse)
			vc = v
		}
		gMean[k] -= float32(sign * d)
		gMeanC[k] = sign * d
		gVariance[k] += float32(sign * v)
		gVarianceC[k] = sign * vc
	}
}

// step moves the parameters at a position along a gradient, by AdaGrad, and keeps them within their bounds.
func (m *model) step(s *side, position int32, gradient []float32, rate float32) {
	dim := m.p.Dim
	if m.p.Spherical {
		var sum float32
		for _, g := range gradient[dim:] {
			sum += g
		}
		for k := range dim {
			gradient[dim+k] = sum
		}
	}
	x := s.of(position)
	for part := range 2 { // mean, variance
		g, to := gradient[part*dim:][:dim], x[part*dim:][:dim]
		var square float32
		for _, v := range g {
			square += float32(v * v)
		}
		squares := &s.squares[2*int(position)+part]
		*squares += square / float32(dim)
		scale := rate / float32(math.Sqrt(float64(*squares)))
		for k, v := range g {
			to[k] += float32(scale * v)
		}
	}
	m.bound(x)
}
