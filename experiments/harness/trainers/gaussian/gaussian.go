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
	"contextmover/internal/bounded"
	"contextmover/internal/elementary"
	"contextmover/internal/setting"
)

// Energy says how well a word and a context fit.
type Energy string

const (
	KL Energy = "KL" // the negative divergence of the context's distribution from the word's
	EL Energy = "EL" // the logarithm of the expected likelihood
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
	Energy    Energy  `toml:"energy" json:"energy" oneof:"KL|EL"`
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

// Memory predicts the bytes of memory that training takes for so many words, in addition to the counts.
func (p Params) Memory(words int) int64 {
	return 4*int64(words)*int64(4*lanes*blocks(p.Dim)+2*p.Dim+4) + p.sampling().Memory(words)
}

// Train fits distributions to the square matrix of co-occurrence counts, whose stored entries have to be positive
// finite numbers. The vector of a word is its mean and then its variance, 2·Dim numbers; the loss is that of a
// co-occurrence with a context against it.
//
// progress is told how many co-occurrences of all passes are done, from one
// goroutine, some times per pass; it may be nil. An error tells which setting or count
// is bad, that memory is short, or in which pass the loss stopped being a number.
func Train(
	ctx context.Context, counts *sparse.Matrix[float64], p Params, progress func(done, total int64),
) (r *trainers.Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("gaussian", &err)
	if err := bounded.Allocate(p.Memory(counts.Rows)); err != nil {
		return nil, fmt.Errorf("%d words of %d components: %w", counts.Rows, p.Dim, err)
	}
	s, err := skipgram.New(ctx, counts, p.sampling())
	if err != nil {
		return nil, err
	}
	m, err := newModel(ctx, s, p)
	if err != nil {
		return nil, err
	}
	vector := func(at int32, to []float32) {
		x := m.words.vector(at)
		for k := range p.Dim {
			variance := lanes // that of spherical distributions
			if !p.Spherical {
				variance += component(k)
			}
			to[k], to[p.Dim+k] = x[component(k)], x[variance]
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

// A side has the parameters of all words, or of all contexts, by position, in blocks of means
// and variances, and of each the sums of squares of its mean's and its variance's gradients.
type side struct {
	stride  int
	at      []float32
	squares []float32
}

func newSide(n, dim int) side {
	stride := 2 * lanes * blocks(dim)
	return side{stride, pages.Large[float32](stride * n), make([]float32, 2*n)}
}

// vector returns the parameters of a word.
func (s *side) vector(position int32) []float32 {
	return s.at[int(position)*s.stride:][:s.stride:s.stride]
}

type model struct {
	kernels
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
	m := &model{
		kernels: newKernels(p.Energy), p: p,
		words: newSide(n, p.Dim), contexts: newSide(n, p.Dim),
		logNormal: float64(p.Dim) * elementary.Log(2*math.Pi),
	}
	return m, s.Start(ctx, func(q int, random *rand.Rand) error {
		for _, side := range []*side{&m.words, &m.contexts} {
			for at := s.First[q]; at < s.First[q+1]; at++ {
				x := side.vector(at)
				for k := range p.Dim {
					x[component(k)] = float32(startMean * random.NormFloat64())
				}
				v := random.NormFloat64()
				for k := range p.Dim {
					if k > 0 && !p.Spherical {
						v = random.NormFloat64()
					}
					middle := float64((p.Least + p.Greatest) / 2)
					x[component(k)+lanes] = m.bounded(middle + float64(startVariance*v*(p.Greatest-p.Least)))
				}
				for k := p.Dim; k < lanes*blocks(p.Dim); k++ {
					x[component(k)+lanes] = m.bounded(1)
				}
				side.squares[2*at], side.squares[2*at+1] = startSquares, startSquares
				var square float32
				for k := range p.Dim {
					v := x[component(k)]
					square += float32(v * v)
				}
				m.shorten(x, square)
			}
		}
		return nil
	})
}

// bounded returns a variance within its bounds.
func (m *model) bounded(v float64) float32 {
	return min(max(float32(v), float32(m.p.Least)), float32(m.p.Greatest))
}

// shorten brings a mean, whose squares sum to square, within the length.
func (m *model) shorten(x []float32, square float32) {
	if length := float32(m.p.Length); square > length*length {
		scale(x, length/float32(math.Sqrt(float64(square))))
	}
}

// train updates the parameters with each co-occurrence of a block and its negatives in order and returns the sum of
// their losses.
func (m *model) train(b *skipgram.Block) (loss float64) {
	rate := float32(m.p.Rate * b.Left)
	n := blocks(m.p.Dim) * lanes
	terms, gradients, squares := make([]float32, termRows*n), make([]float32, gradientRows*n), make([]float32, 3*n)
	products, lane := make([]float64, 2*blocks(m.p.Dim)), new(laneSums)
	for w, c := range b.Pairs {
		for range m.p.Negatives {
			n := b.Negative()
			if n == c { // nothing to tell apart
				loss += m.p.Margin
				continue
			}
			x, y, z := m.words.vector(w), m.contexts.vector(c), m.contexts.vector(n)
			sums := [3][]float32{m.words.sums(w), m.contexts.sums(c), m.contexts.sums(n)}
			if m.p.Spherical {
				loss += m.spherical([3][]float32{x, y, z}, sums, lane, rate)
				continue
			}
			m.terms(x, y, z, terms)
			of, against := m.energies(terms, products)
			l := m.p.Margin - of + against
			if !(l > 0) { // also where it is no number: that ends the training below
				loss += l - l
				continue
			}
			loss += l
			m.gradients(x, y, z, gradients)
			m.step([3][]float32{x, y, z}, sums, gradients, squares, rate)
		}
	}
	return loss
}

// sums returns a word's sums of squares, of mean and variance.
func (s *side) sums(position int32) []float32 { return s.squares[2*position:][:2:2] }

// energies returns E of a word and its two contexts, by the kernel's terms. Sums over components are in their order:
// several side by side keep the processor as busy as vectors would.
func (m *model) energies(terms []float32, products []float64) (of, against float64) {
	// A product takes one logarithm instead of many. Factors are within 1e±8.
	var a, b float32
	left := m.p.Dim
	for at := 0; at < len(products); at += 2 {
		t := (*[termRows * lanes]float32)(terms)
		p, q := 1.0, 1.0
		for i := range min(left, lanes) {
			i &= lanes - 1 // tells the compiler that it is within t
			a += t[i]
			p *= float64(t[lanes+i])
			b += t[2*lanes+i]
			q *= float64(t[3*lanes+i])
		}
		products[at], products[at+1] = p, q
		terms, left = terms[termRows*lanes:], left-lanes
	}
	return m.energy(a, sumLogs(products[0:])), m.energy(b, sumLogs(products[1:]))
}

// sumLogs returns the sum of the logarithms of every other number.
func sumLogs(x []float64) (sum float64) {
	for i := 0; i < len(x); i += 2 {
		sum += elementary.Log(x[i])
	}
	return sum
}

// energy returns E from the sum of terms and that of logarithms.
func (m *model) energy(sum float32, logs float64) float64 {
	if m.p.Energy == KL {
		return -0.5 * (float64(sum) - logs)
	}
	return -0.5 * (float64(sum) + logs + m.logNormal)
}

// step moves the parameters of a word and two contexts along the kernel's gradients, by AdaGrad with their sums of
// squares, and keeps them within their bounds.
func (m *model) step(x, sums [3][]float32, gradients, squares []float32, rate float32) {
	dim := float32(m.p.Dim)
	mean, variance := m.sumGradients(gradients)
	n := len(squares) / 3
	for s := range x {
		sums[s][0] += mean[s] / dim
		moveMean(x[s], gradients[2*s*lanes:], rate/float32(math.Sqrt(float64(sums[s][0]))), squares[s*n:][:n])
	}
	var a, b, c float32
	p, q, r := squares[:m.p.Dim], squares[n:][:m.p.Dim], squares[2*n:][:m.p.Dim]
	for k := range p {
		a += p[k]
		b += q[k]
		c += r[k]
	}
	for s, square := range [3]float32{a, b, c} {
		m.shorten(x[s], square)
		sums[s][1] += variance[s] / dim
		moveVariance(x[s], change{
			gradient: gradients[(2*s+1)*lanes:],
			scale:    rate / float32(math.Sqrt(float64(sums[s][1]))),
			least:    float32(m.p.Least), greatest: float32(m.p.Greatest),
		})
	}
}

// sumGradients returns the sums of squares of the gradients of word, context and negative in means and in variances.
func (m *model) sumGradients(gradients []float32) (mean, variance [3]float32) {
	var a, b, c, u, v, w float32
	for left := m.p.Dim; left > 0; left -= lanes {
		g := (*[gradientRows * lanes]float32)(gradients)
		squares := (*[gradientRows / 2 * lanes]float32)(g[gradientRows/2*lanes:])
		for i := range min(left, lanes) {
			i &= lanes - 1 // tells the compiler that it is within them
			a += squares[i]
			b += squares[2*lanes+i]
			c += squares[4*lanes+i]
			u += squares[lanes+i]
			v += squares[3*lanes+i]
			w += squares[5*lanes+i]
		}
		gradients = gradients[gradientRows*lanes:]
	}
	return [3]float32{a, b, c}, [3]float32{u, v, w}
}
