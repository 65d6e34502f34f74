package gaussian

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/skipgram"
	"contextmover/internal/elementary"
	"contextmover/internal/setting"
)

// Params are the settings of a training. Those of word2gauss, by which others run it, are 100
// dimensions, spherical, KL, Margin 0.1, Length 2, variances from 0.7 to 1.5 and Rate 0.1.
type Params struct {
	// Dim is the number of components of a mean, at least 1.
	Dim int `toml:"dim" json:"dim" range:"1..1048576"`
	// Passes is the number of passes over the counts, at least 1; Samples the number
	// of co-occurrences that are drawn in all of them together, about, at least 1.
	Passes  int   `toml:"passes" json:"passes" range:"1..1048576"`
	Samples int64 `toml:"samples" json:"samples" range:"1.."`
	// Negatives is the number of contexts drawn against each co-occurrence, at least
	// 1, with probabilities proportional to their count to the power Noise ≥ 0.
	Negatives int     `toml:"negatives" json:"negatives" range:"1..1048576"`
	Noise     float64 `toml:"noise" json:"noise" range:"0.."`
	// Subsample is t > 0: of a word with the share f of all counts,
	// the share min(1, √(t/f)) is used, on both sides. 0 uses all.
	Subsample float64 `toml:"subsample" json:"subsample" range:"0.."`
	// Energy says how well a word and a context fit: KL, the negative divergence of the context's distribution from the
	// word's, is the only one.
	Energy string `toml:"energy" json:"energy" oneof:"KL"`
	// Spherical distributions have the same variance in all directions.
	Spherical bool `toml:"spherical" json:"spherical" grid:"y"`
	// Margin > 0 is by how much a co-occurrence's energy has to exceed that of another context.
	Margin float64 `toml:"margin" json:"margin" range:">0" grid:"y"`
	// Length > 0 bounds the length of a mean; 0 < Least ≤ Greatest bound variances, within 1e-4 to 1e4.
	Length   float64 `toml:"length" json:"length" range:">0"`
	Least    float64 `toml:"least" json:"least" range:"1e-4..1e4"`
	Greatest float64 `toml:"greatest" json:"greatest" range:"1e-4..1e4"`
	// Rate is η > 0 at the start.
	Rate float64 `toml:"rate" json:"rate" range:">0"`
	Seed uint64  `toml:"-" json:"seed"`
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error {
	if p.Greatest < p.Least {
		problem := fmt.Sprintf("%v, expected at least the least variance, %v", p.Greatest, p.Least)
		return &setting.Error{Owner: "gaussian", Name: "greatest", Problem: problem}
	}
	return setting.Check("gaussian", p)
}

func (p Params) sampling() skipgram.Params {
	return skipgram.Params{Passes: p.Passes, Samples: p.Samples, Noise: p.Noise, Subsample: p.Subsample, Seed: p.Seed}
}

// Train fits distributions to the square matrix of co-occurrence counts, whose stored entries have to be positive
// finite numbers. The vector of a word is its mean and then its variance, 2·Dim numbers; the loss is that of a
// co-occurrence with a context against it.
//
// progress is told how many co-occurrences of all passes are done, from one
// goroutine, some times per pass; it may be nil. An error tells which setting or count
// is bad, or in which pass the loss stopped being a number.
func Train(
	ctx context.Context, counts *sparse.Matrix[float64], p Params, progress func(done, total int64),
) (r *trainers.Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("gaussian", &err)
	s, err := skipgram.New(ctx, counts, p.sampling())
	if err != nil {
		return nil, err
	}
	m, err := newModel(ctx, s, p)
	if err != nil {
		return nil, err
	}
	vector := func(at int32, to []float32) {
		d := m.distribution(0, at)
		copy(to, d.mean)
		for k := range p.Dim {
			to[p.Dim+k] = d.variance[k%len(d.variance)]
		}
	}
	r, err = s.Train(ctx, m.train, trainers.Training{Progress: progress, Dim: 2 * p.Dim, Vector: vector})
	if err != nil {
		return nil, err
	}
	for k := range r.Loss {
		r.Loss[k] /= float64(p.Negatives)
	}
	return r, nil
}

// A distribution is one of a word or a context, or a gradient in one, which has no squares. The variance of a
// spherical one is a single number.
type distribution struct {
	mean, variance []float32
	squares        []float32 // sums of squares of the gradients in mean and variance
}

// rate adds the square of a gradient in means (0) or variances (1), and returns the rate of AdaGrad.
func (d distribution) rate(which int, square, rate float32) float32 {
	d.squares[which] += square
	return rate / float32(math.Sqrt(float64(d.squares[which])))
}

type model struct {
	pages.Parameters // of a word the mean, the variance and their two sums of squares
	p                Params
}

func (m *model) distribution(side int, position int32) distribution {
	x, dim, squares := m.At(side, position), m.p.Dim, m.Stride-2
	return distribution{x[:dim], x[dim:squares], x[squares:]}
}

// Where means and variances start, normally distributed, and the sums of squares.
const (
	startMean     = 0.1 // its standard deviation
	startVariance = 0.1 // that of a variance around the middle of its bounds, in units of their distance
	startSquares  = 0.01
)

func newModel(ctx context.Context, s *skipgram.Sampler, p Params) (*model, error) {
	variances := p.Dim
	if p.Spherical {
		variances = 1
	}
	m := &model{pages.NewParameters(len(s.Words), p.Dim+variances+2), p}
	return m, s.Start(ctx, func(side int, at int32, random *rand.Rand) error {
		d := m.distribution(side, at)
		var square float32
		for k := range d.mean {
			d.mean[k] = float32(startMean * random.NormFloat64())
			square += float32(d.mean[k] * d.mean[k])
		}
		for k := range d.variance {
			middle := float64((p.Least + p.Greatest) / 2)
			d.variance[k] = m.bounded(
				float32(middle + float64(startVariance*random.NormFloat64()*(p.Greatest-p.Least))))
		}
		d.squares[0], d.squares[1] = startSquares, startSquares
		m.shorten(d.mean, square)
		return nil
	})
}

// bounded returns a variance within its bounds.
func (m *model) bounded(v float32) float32 {
	return min(max(v, float32(m.p.Least)), float32(m.p.Greatest))
}

// shorten brings a mean, whose squares sum to square, within the length.
func (m *model) shorten(mean []float32, square float32) {
	if length := float32(m.p.Length); square > length*length {
		by := length / float32(math.Sqrt(float64(square)))
		for k := range mean {
			mean[k] *= by
		}
	}
}

// train updates the parameters with each co-occurrence of a block and its negatives in order and returns the sum of
// their losses.
func (m *model) train(b *skipgram.Block) (loss float64) {
	rate := float32(m.p.Rate * b.Left)
	var room [3]distribution
	for s := range room {
		room[s] = distribution{mean: make([]float32, m.p.Dim), variance: make([]float32, m.p.Dim)}
	}
	for w, c := range b.Pairs {
		for range m.p.Negatives {
			n := b.Negative()
			if n == c { // nothing to tell apart
				loss += m.p.Margin
				continue
			}
			x := [3]distribution{m.distribution(0, w), m.distribution(1, c), m.distribution(1, n)}
			if m.p.Spherical {
				loss += m.spherical(x, rate)
			} else {
				loss += m.diagonal(x, room, rate)
			}
		}
	}
	return loss
}

// lanes is how many components have one logarithm: factors are within 1e±8, so that their product is a number. It is
// also the number of sums over the components of spherical distributions.
const lanes = 16

// energy returns E of a word and a context.
func energy(w, c distribution) float64 {
	var sum float32
	logs, product := 0.0, 1.0
	for k, v := range w.variance {
		inverse, d := 1/v, w.mean[k]-c.mean[k]
		r := float32(c.variance[k] * inverse)
		sum += r - 1 + float32(d*d*inverse)
		if product *= float64(r); k%lanes == lanes-1 {
			logs += elementary.Log(product)
			product = 1
		}
	}
	return -0.5 * (float64(sum) - (logs + elementary.Log(product)))
}

// slope returns the gradient of E of a word and a context in component k: in the context's mean (that in the word's is
// its negative), and in the variances of both.
func slope(w, c distribution, k int) (mean, word, context float32) {
	inverse := 1 / w.variance[k]
	mean = float32((w.mean[k] - c.mean[k]) * inverse)
	word = float32(0.5 * (float32(c.variance[k]*inverse*inverse) + float32(mean*mean) - inverse))
	return mean, word, float32(0.5 * (1/c.variance[k] - inverse))
}

// diagonal returns the loss of a word, a context and a negative, and updates their parameters, with room for gradients.
func (m *model) diagonal(x, gradients [3]distribution, rate float32) float64 {
	loss := m.p.Margin - energy(x[0], x[1]) + energy(x[0], x[2])
	if !(loss > 0) { // also where it is no number: that ends the training
		return loss - loss
	}
	var squares [3][2]float32
	for k := range m.p.Dim {
		dy, vy, context := slope(x[0], x[1], k)
		dz, vz, negative := slope(x[0], x[2], k)
		for s, g := range [...][2]float32{{dz - dy, vy - vz}, {dy, context}, {-dz, -negative}} {
			gradients[s].mean[k], gradients[s].variance[k] = g[0], g[1]
			squares[s][0] += float32(g[0] * g[0])
			squares[s][1] += float32(g[1] * g[1])
		}
	}
	m.step(x, gradients, squares, rate)
	return loss
}

// step moves the parameters of a word and two contexts along gradients, whose squares sum to these in means and in
// variances, by AdaGrad, and keeps them within their bounds.
func (m *model) step(x, gradients [3]distribution, squares [3][2]float32, rate float32) {
	dim := float32(m.p.Dim)
	for s, d := range x {
		var square float32
		by := d.rate(0, squares[s][0]/dim, rate)
		for k, g := range gradients[s].mean {
			d.mean[k] += float32(by * g)
			square += float32(d.mean[k] * d.mean[k])
		}
		m.shorten(d.mean, square)
		by = d.rate(1, squares[s][1]/dim, rate)
		for k, g := range gradients[s].variance {
			d.variance[k] = m.bounded(d.variance[k] + float32(by*g))
		}
	}
}
