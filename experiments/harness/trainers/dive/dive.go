package dive

import (
	"context"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/skipgram"
	"contextmover/internal/elementary"
	"contextmover/internal/setting"
)

// Params are the settings of a training. Those of the paper are 100 dimensions, Filter and Inclusion 1.5
// (30 negatives a word in a window of 20) and 15 passes over 51.2 million tokens without stop words.
type Params struct {
	// Dim is the number of components of a vector, at least 1.
	Dim int `toml:"dim" json:"dim" range:"1..1048576"`
	// Passes is the number of passes over the counts, at least 1; Samples the number
	// of co-occurrences that are drawn in all of them together, about, at least 1.
	Passes  int   `toml:"passes" json:"passes" range:"1..1048576"`
	Samples int64 `toml:"samples" json:"samples" range:"1.."`
	// Negatives is the greatest number of contexts drawn against a co-occurrence, at least 1.
	Negatives int `toml:"negatives" json:"negatives" range:"1..1048576"`
	// Filter is k_f ≥ 0; 0 keeps all counts.
	Filter float64 `toml:"filter" json:"filter" range:"0.."`
	// Inclusion is k_I > 0, at most 1000: the greater, the fewer words a word is close to.
	Inclusion float64 `toml:"inclusion" json:"inclusion" range:"1e-6..1000" grid:"y"`
	// Rate is η > 0 at the start.
	Rate float64 `toml:"rate" json:"rate" range:">0"`
	Seed uint64  `toml:"-" json:"seed"`
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error { return setting.Check("dive", p) }

// sampling is how co-occurrences are drawn; negatives by their count.
func (p Params) sampling() skipgram.Params {
	return skipgram.Params{Passes: p.Passes, Samples: p.Samples, Noise: 1, Filter: p.Filter, Seed: p.Seed}
}

// Train fits vectors w ≥ 0, n×Dim, to the square matrix of co-occurrence counts, whose stored entries have to be
// positive finite numbers. That of a word none of whose counts passes the filter is 0. The loss is the mean of −ln σ of
// a co-occurrence with its weighted negatives.
//
// progress is told how many co-occurrences of all passes are done, from one goroutine, some
// times per pass; it may be nil. An error tells which setting or count is bad, that the filter
// leaves nothing, or in which pass the loss stopped being a number.
func Train(
	ctx context.Context, counts *sparse.Matrix[float64], p Params, progress func(done, total int64),
) (r *trainers.Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("dive", &err)
	s, err := skipgram.New(ctx, counts, p.sampling())
	if err != nil {
		return nil, err
	}
	m, err := newModel(ctx, s, p)
	if err != nil {
		return nil, err
	}
	return s.Train(ctx, m.train, trainers.Training{Progress: progress, Dim: p.Dim, Vector: m.vector})
}

// A model holds the parameters: stride floats for each word, and for each context, by position: for each lanes
// components these, then their sums of squared gradients.
type model struct {
	pages.Parameters
	sampler *skipgram.Sampler
	dim     int
	rate    float64
	// negatives is how many are drawn against a co-occurrence of each word, weight that of each.
	negatives []int32
	weight    []float64
}

const lanes = 8

// Where vectors and their sums of squares start.
const (
	start        = 0.1
	startSquares = 0.01
)

func stride(dim int) int { return (dim + lanes - 1) / lanes * lanes * 2 }

// component returns the place of component k in a word's parameters; its sum of squares is lanes further.
func component(k int) int { return k/lanes*2*lanes + k%lanes }

func newModel(ctx context.Context, s *skipgram.Sampler, p Params) (*model, error) {
	n := len(s.Words)
	m := &model{
		Parameters: pages.NewParameters(n, stride(p.Dim)), sampler: s, dim: p.Dim, rate: p.Rate,
		negatives: make([]int32, n), weight: make([]float64, n),
	}
	for word, kept := range s.Kept {
		if kept > 0 {
			all := p.Inclusion * s.Total / float64(n) / kept // the weight of negatives beside one co-occurrence
			k := max(1, math.Ceil(min(all, float64(p.Negatives))))
			at := s.Positions[word]
			m.negatives[at], m.weight[at] = int32(k), all/k
		}
	}
	return m, s.Start(ctx, func(side int, at int32, random *rand.Rand) error {
		x := m.At(side, at)
		for k := range m.Stride / 2 {
			x[component(k)+lanes] = startSquares
		}
		for k := range p.Dim {
			x[component(k)] = start * random.Float32()
		}
		return nil
	})
}

// vector writes that of a word.
func (m *model) vector(at int32, to []float32) {
	if m.negatives[at] == 0 {
		return
	}
	w := m.Word(at)
	for k := range to {
		to[k] = w[component(k)]
	}
}

// train updates the parameters with each co-occurrence of a block and its negatives in order and returns the sum of
// their losses.
func (m *model) train(b *skipgram.Block) float64 {
	rate := float32(m.rate * b.Left)
	var positive, negative logarithms
	loss, of := 0.0, int32(-1)
	for word, context := range b.Pairs {
		if word != of && of >= 0 { // the weight changes
			loss -= float64(m.weight[of] * negative.take())
		}
		of = word
		w := m.Word(word)
		positive.multiply(m.pair(w, context, 1, rate))
		for range m.negatives[word] {
			negative.multiply(m.pair(w, b.Negative(), -m.weight[word], rate))
		}
	}
	if of >= 0 {
		loss -= float64(m.weight[of] * negative.take())
	}
	return loss - positive.take()
}

// logarithms sums logarithms of factors up to 1, most of them unseen: it takes that of their product.
type logarithms struct{ sum, product float64 }

func (l *logarithms) multiply(x float64) {
	if l.product == 0 {
		l.product = 1
	}
	if l.product *= x; l.product < 1e-200 {
		l.sum += elementary.Log(l.product)
		l.product = 1
	}
}

// take returns the sum and starts again.
func (l *logarithms) take() float64 {
	sum := l.sum
	if l.product > 0 {
		sum += elementary.Log(l.product)
	}
	*l = logarithms{}
	return sum
}

// pair updates with a pair whose objective is weight·ln σ(w·c), or for a negative weight −weight·ln σ(−w·c), and
// returns that σ.
func (m *model) pair(w []float32, context int32, weight float64, rate float32) float64 {
	c := m.Context(context)
	e := elementary.Exp(-float64(dot(w, c))) // at most 1
	low, high := e/(1+e), 1/(1+e)            // σ(−w·c), σ(w·c)
	if weight > 0 {
		step(w, c, float32(weight*low), rate)
		return high
	}
	step(w, c, float32(weight*high), rate)
	return low
}

// The fastest kernels of the processor.
var dot, step = dotPortable, stepPortable

// dotPortable returns w·c.
func dotPortable(w, c []float32) float32 {
	var sums [lanes]float32
	for at := 0; at < len(w); at += 2 * lanes {
		x, y := (*[lanes]float32)(w[at:]), (*[lanes]float32)(c[at:])
		for k := range sums {
			sums[k] += float32(x[k] * y[k])
		}
	}
	var sum float32
	for _, s := range sums {
		sum += s
	}
	return sum
}

// stepPortable moves both vectors along the gradient g·c and g·w, by AdaGrad.
func stepPortable(w, c []float32, g, rate float32) {
	for at := 0; at < len(w); at += 2 * lanes {
		x, y := (*[2 * lanes]float32)(w[at:]), (*[2 * lanes]float32)(c[at:])
		for k := range lanes {
			a, b := g*y[k], g*x[k]
			x[lanes+k] += float32(a * a)
			y[lanes+k] += float32(b * b)
			x[k] = max(0, x[k]+rate*a/float32(math.Sqrt(float64(x[lanes+k]))))
			y[k] = max(0, y[k]+rate*b/float32(math.Sqrt(float64(y[lanes+k]))))
		}
	}
}
