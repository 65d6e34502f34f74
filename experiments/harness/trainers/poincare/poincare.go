package poincare

import (
	"context"
	"math"
	"math/rand/v2"

	"contextmover/cmdlib/sparse"
	"contextmover/experiments/harness/trainers"
	"contextmover/experiments/harness/trainers/internal/pages"
	"contextmover/experiments/harness/trainers/internal/records"
	"contextmover/internal/elementary"
	"contextmover/internal/setting"
)

// Params are the settings of a training. Those of the paper are 50 disks, 50 epochs, rate 0.05, XMax 100 and
// Exponent 0.75.
type Params struct {
	// Disks is the number of Poincaré disks, at least 1.
	Disks int `toml:"disks" json:"disks" range:"1..1048576"`
	// Epochs is the number of passes over all records, at least 1.
	Epochs int `toml:"epochs" json:"epochs" range:"1..1048576"`
	// Rate is η > 0.
	Rate float64 `toml:"rate" json:"rate" range:">0" grid:"y"`
	// XMax > 0 is the count from which on all records weigh the same.
	XMax float64 `toml:"x_max" json:"x_max" range:">0"`
	// Exponent ≥ 0 is that of the weight (X/XMax)^Exponent of rarer records.
	Exponent float64 `toml:"exponent" json:"exponent" range:"0.."`
	// Least ≥ 0: lower counts are left out.
	Least float64 `toml:"least" json:"least" range:"0.."`
	Seed  uint64  `toml:"-" json:"seed"`
}

// Validate returns a *setting.Error for a setting out of its range.
func (p Params) Validate() error { return setting.Check("poincare", p) }

// Train fits points to the square matrix of co-occurrence counts: each stored entry
// of at least p.Least is a record, and all have to be positive finite numbers. The vector of a word
// is its point, its two coordinates in each disk one after the other, 2·Disks numbers.
//
// progress is told how many records of all epochs are done, some times an epoch, from one goroutine, and
// may be nil. A word without records keeps its random start. An error tells which setting or
// count is bad, or in which epoch the loss stopped being a number.
func Train(
	ctx context.Context, counts *sparse.Matrix[float64], p Params, progress func(done, total int64),
) (r *trainers.Result, err error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	defer trainers.Named("poincare", &err)
	l, err := records.Arrange(ctx, counts, records.Params{
		XMax: p.XMax, Exponent: p.Exponent, Least: p.Least, Seed: p.Seed,
	})
	if err != nil {
		return nil, err
	}
	defer l.Free()
	m, err := newModel(ctx, l, p)
	if err != nil {
		return nil, err
	}
	return l.Fit(ctx, m.train, trainers.Training{
		Passes: p.Epochs, Progress: progress, Dim: 2 * p.Disks, Vector: m.point,
	})
}

// A model holds the parameters, stride floats each for words and contexts by
// position: the first coordinates in all disks, the second ones, the disks' sums of
// squares, all padded to a multiple of lanes, then the bias and its sum of squares.
type model struct {
	pages.Parameters
	layout        *records.Layout
	disks, padded int
	rate          float32
}

const (
	lanes = 8
	// startWidth bounds where coordinates and biases start.
	startWidth = 0.001
	// clip bounds a component of a gradient.
	clip = 10
	// border is how near a point may come to the border of a disk.
	border = 1e-4
)

func padded(disks int) int { return (disks + lanes - 1) / lanes * lanes }

func stride(disks int) int { return 3*padded(disks) + lanes }

func newModel(ctx context.Context, l *records.Layout, p Params) (*model, error) {
	m := &model{
		Parameters: pages.NewParameters(len(l.Positions), stride(p.Disks)), layout: l, disks: p.Disks,
		padded: padded(p.Disks), rate: float32(p.Rate),
	}
	return m, l.Start(ctx, func(side int, at int32, random *rand.Rand) error {
		uniform := func() float32 { return startWidth * (float32(2*float32(random.Float32())) - 1) }
		x := m.At(side, at)
		for k := range m.disks {
			x[k], x[m.padded+k] = uniform(), uniform()
		}
		for k := range m.padded {
			x[2*m.padded+k] = 1
		}
		x[3*m.padded], x[3*m.padded+1] = uniform(), 1
		return nil
	})
}

// point writes that of a word.
func (m *model) point(at int32, to []float32) {
	x := m.Word(at)
	for k := range m.disks {
		to[2*k], to[2*k+1] = x[k], x[m.padded+k]
	}
}

// train updates the parameters with each record of a block in order and returns the sum of their losses.
func (m *model) train(b records.Block) (loss float64) {
	all := m.layout.Records[b.First:]
	for _, run := range b.Runs {
		word := m.Word(run.Row)
		for _, r := range all[:run.Records] {
			loss += m.record(word, m.Context(r.Column), r)
		}
		all = all[run.Records:]
	}
	return loss
}

// record updates the parameters of a word and a context with their record, and returns its loss.
func (m *model) record(x, y []float32, r records.Record) float64 {
	square, most := float32(0), float32(nearby)
	if squareNear != nil {
		square, most = squareNear(&x[0], &y[0], m.padded)
	}
	if most >= nearby {
		square = m.square(x, y)
	}
	h, slope := similarity(float64(square))
	bias := 3 * m.padded
	diff := -h + float64(x[bias]) + float64(y[bias]) - float64(r.Log)
	g := float64(r.Weight) * diff
	if most < nearby {
		stepNear(&x[0], &y[0], m.padded, float32(-g*slope), -m.rate)
	} else {
		m.step(x, y, float32(-g*slope), m.rate)
	}
	for _, side := range [][]float32{x[bias:][:2], y[bias:][:2]} {
		move := min(max(float32(g), -clip), clip) * m.rate
		side[0] -= move / sqrt(side[1])
		side[1] += float32(move * move)
	}
	return 0.5 * g * diff
}

// The kernels do what square and step do for points of n disks, a positive multiple of lanes, whose u are below nearby;
// most is the greatest of them. They are nil on processors without.
var (
	squareNear func(x, y *float32, n int) (sum, most float32)
	stepNear   func(x, y *float32, n int, slope, minusrate float32)
)

// similarity returns h = cosh² √t and its derivative for t, sinh(2√t)/(2√t).
func similarity(t float64) (h, slope float64) {
	d := 2 * math.Sqrt(max(t, 0))
	if d < 1e-4 {
		return 1 + t, 1
	}
	d = min(d, 80) // far beyond what any count asks for, and finite
	e := elementary.Exp(d)
	return float64((e+1/e)/4) + 0.5, (e - 1/e) / 2 / d
}

// square returns the square of the distance of two points, Σ_k 4 arsinh² √u_k.
func (m *model) square(x, y []float32) (sum float32) {
	n := m.padded
	x1, x2, y1, y2 := x[:n], x[n:][:n], y[:n], y[n:][:n]
	for k, a := range x1 {
		b, c, d := x2[k], y1[k], y2[k]
		p, q := a-c, b-d
		u := (float32(p*p) + float32(q*q)) / ((1 - float32(a*a) - float32(b*b)) * (1 - float32(c*c) - float32(d*d)))
		if u < nearby {
			sum += float32(4 * u * (1 - float32(u*(1./3-float32(u*(8./45-float32(u*(4./35))))))))
		} else {
			s := elementary.Asinh(math.Sqrt(float64(u)))
			sum += float32(4 * s * s)
		}
	}
	return sum
}

// nearby is the u up to which series stand for arsinh: their next terms are below 1e-4 of the sum.
const nearby = 0.1

// ratio returns arsinh √u / √(u (1 + u)), a fourth of the derivative of d² for u.
func ratio(u float32) float32 {
	if u < nearby {
		return 1 - float32(u*(2./3-float32(u*(8./15-float32(u*(16./35-float32(u*(128./315))))))))
	}
	v := float64(u)
	return float32(elementary.Asinh(math.Sqrt(v)) / math.Sqrt(v*(1+v)))
}

// step moves two points against the Riemannian gradient of a
// loss whose derivative for the square of their distance is g.
func (m *model) step(x, y []float32, g, rate float32) {
	n := m.padded
	x1, x2, xs, y1, y2, ys := x[:n], x[n:][:n], x[2*n:][:n], y[:n], y[n:][:n], y[2*n:][:n]
	for k := range m.disks {
		a, b, c, d := x1[k], x2[k], y1[k], y2[k]
		p, q := a-c, b-d
		square := float32(p*p) + float32(q*q)
		alpha, beta := 1-float32(a*a)-float32(b*b), 1-float32(c*c)-float32(d*d)
		f := 2 * g * ratio(square/(alpha*beta))
		fx, fy := f*alpha/beta, f*beta/alpha
		sx, sy := 1+square/alpha, 1+square/beta
		x1[k], x2[k], xs[k] = move(a, b, xs[k], alpha, fx*(float32(sx*a)-c), fx*(float32(sx*b)-d), rate)
		y1[k], y2[k], ys[k] = move(c, d, ys[k], beta, fy*(float32(sy*c)-a), fy*(float32(sy*d)-b), rate)
	}
}

// move moves the point (a, b), for which alpha = 1 − a² − b², against the Riemannian gradient
// (p, q) along a geodesic, by AdaGrad with the sum of squares; it returns the new point and sum.
func move(a, b, squares, alpha, p, q, rate float32) (float32, float32, float32) {
	p, q = min(max(p, -clip), clip), min(max(q, -clip), clip)
	length := -rate / (sqrt(squares) * alpha)
	squares += float32((float32(p*p) + float32(q*q)) / 2)
	p, q = length*p, length*q
	z := float32(p*p) + float32(q*q)
	shrink := (15 + z) / (15 + float32(6*z))
	if z > 5.3 {
		shrink = 1 / sqrt(z)
	}
	p, q = shrink*p, shrink*q
	// Möbius addition.
	z = float32(z * (shrink * shrink))
	dot := float32(a*p) + float32(b*q)
	own := 1 + float32(2*dot) + z
	below := 1 / (own - float32(alpha*z)) // 1 + 2 x·v + |x|²|v|²
	a, b = (float32(own*a)+float32(alpha*p))*below, (float32(own*b)+float32(alpha*q))*below
	if norm := float32(a*a) + float32(b*b); norm > (1-border)*(1-border) {
		scale := (1 - border) / sqrt(norm)
		a, b = scale*a, scale*b
	}
	return a, b, squares
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
