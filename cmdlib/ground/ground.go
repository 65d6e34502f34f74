// Package ground makes the ground cost between clusters of contexts: what it
// costs to move a unit of mass from one centroid to another.
//
// A cost is made in three steps [the paper's code, wasserstein.py:402]: the raw Metric, the
// Normalisation, and a clip from above.
package ground

import (
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/internal/elementary"
	"contextmover/internal/enum"
)

// Metric names the raw cost between two vectors x and y.
type Metric string

const (
	// Euclidean is ‖x−y‖ (p = 1 in the paper).
	Euclidean Metric = "euclidean"
	// SquaredEuclidean is ‖x−y‖² (p = 2).
	SquaredEuclidean Metric = "squared euclidean"
	// Angular is the angle between x and y in radians, arccos(⟨x,y⟩/(‖x‖‖y‖)).
	Angular Metric = "angular"
)

// Normalisation names what is done to the raw costs M. The constants are taken
// over all entries of the matrix between centroids, its diagonal included.
type Normalisation string

const (
	// None leaves M.
	None Normalisation = "none"
	// Max is M / max(M).
	Max Normalisation = "max"
	// Median is M / median(M); of an even number of entries, the mean of the two
	// in the middle.
	Median Normalisation = "median"
	// Mean is M / mean(M).
	Mean Normalisation = "mean"
	// Log2 is log₂(1+M), the log normalisation of the paper's code [wasserstein.py:396].
	Log2 Normalisation = "log2"
	// Ln is ln(1+M), that of POT.
	Ln Normalisation = "ln"
)

var (
	metrics        = []Metric{Euclidean, SquaredEuclidean, Angular}
	normalisations = []Normalisation{None, Max, Median, Mean, Log2, Ln}
)

// Params are the parameters of a ground cost.
type Params struct {
	Metric        Metric        `json:"metric"`
	Normalisation Normalisation `json:"normalisation"`
	// Clip bounds the normalised cost by Clip·Reg; 0 does not clip. The paper's grid
	// is 10, 12, 14.
	Clip float64 `json:"clip"`
	// Reg is λ of the transport problems the cost is for. Only Clip uses it.
	Reg float64 `json:"reg"`
}

// Validate returns an error for an unknown name, and for a clip that is negative or has no Reg > 0
// to be a multiple of.
func (p Params) Validate() error {
	if err := enum.Validate("ground: unknown metric", p.Metric, metrics); err != nil {
		return err
	}
	return p.validateScaling()
}

// validateScaling returns an error for an unknown normalisation or a clip out of range.
func (p Params) validateScaling() error {
	if err := enum.Validate("ground: unknown normalisation", p.Normalisation, normalisations); err != nil {
		return err
	}
	if !(p.Clip >= 0) || math.IsInf(p.Clip, 1) {
		return fmt.Errorf("ground: clip %v, expected a finite number ≥ 0", p.Clip)
	}
	if p.Clip > 0 && (!(p.Reg > 0) || math.IsInf(p.Reg, 1)) {
		return fmt.Errorf("ground: clip %v is in units of λ, but λ = %v, expected a finite number > 0", p.Clip, p.Reg)
	}
	return nil
}

// Ground is the cost between K centroids, and from any other point to them. It is
// symmetric, and zero between equal vectors.
type Ground struct {
	// Cost is the K×K matrix between the centroids: entry (i, j) is the cost from i to j.
	ot.Cost
	Params Params
	// Dim is the length of a point.
	Dim int
	// Scale is the constant that raw costs were divided by; 1 for none, log2 and ln.
	Scale float64

	// centroids, of norm 1 under the angular metric, their transpose packed, and their squared norms
	centroids []float64
	packed    *gemm.Packed[float64]
	norms     []float64
}

// New returns the ground cost between the k rows of centroids (k×dim).
//
// It returns an error where p.Validate does, for a coordinate that is not finite, and for a centroid of length zero
// under the angular metric. It also does where the constant to divide by is zero, because all or (median) most pairs
// of centroids are equal. It panics if len(centroids) is not k·dim.
func New(centroids []float32, k, dim int, p Params) (*Ground, error) {
	if len(centroids) != k*dim {
		panic(fmt.Sprintf("ground: %d coordinates for %d centroids of dimension %d", len(centroids), k, dim))
	}
	if k < 1 || dim < 1 {
		return nil, fmt.Errorf("ground: %d centroids of dimension %d, expected at least 1 of each", k, dim)
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	g := &Ground{Params: p, Dim: dim, centroids: make([]float64, k*dim)}
	g.K = k
	for i, x := range centroids {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, fmt.Errorf("ground: coordinate %d of centroid %d is %v, expected a finite number",
				i%dim, i/dim, x)
		}
	}
	for i := range k {
		if !g.prepare(g.centroid(i), centroids[i*dim:(i+1)*dim]) && p.Metric == Angular {
			return nil, fmt.Errorf("ground: centroid %d has length zero, which makes no angle with others: drop its "+
				"cluster, or choose another metric", i)
		}
	}

	g.packed = gemm.Pack(gemm.Matrix[float64]{
		Rows: dim, Cols: k, Stride: dim, Data: g.centroids, Transposed: true,
	}, 0)
	g.norms = make([]float64, k)
	for i := range k {
		g.norms[i] = norm(g.centroid(i))
	}

	raw := make([]float64, k*k)
	b := g.newBlock()
	for i := 0; i < k; i += blockPoints {
		n := min(blockPoints, k-i)
		for r := range n {
			copy(b.point(r), g.centroid(i+r))
		}
		b.raw(raw[i*k:(i+n)*k], n)
	}
	var err error
	g.Cost, g.Scale, err = p.scaled(raw, k)
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Scaled returns the cost between k bins whose raw costs (k×k, row i from bin i) are given, normalised and clipped
// by p. The metric of p may be any that the raw costs are of, and they need not be symmetric.
//
// It returns an error for an unknown normalisation or a clip out of range, for a raw cost that is negative or not
// finite, and where the constant to divide by is zero. It panics if len(raw) is not k·k.
func Scaled(raw []float64, k int, p Params) (ot.Cost, error) {
	if len(raw) != k*k {
		panic(fmt.Sprintf("ground: %d raw costs between %d bins", len(raw), k))
	}
	if k < 1 {
		return ot.Cost{}, fmt.Errorf("ground: costs between %d bins, expected at least 1", k)
	}
	if err := p.validateScaling(); err != nil {
		return ot.Cost{}, err
	}
	for i, c := range raw {
		if !(c >= 0) || math.IsInf(c, 1) {
			return ot.Cost{}, fmt.Errorf("ground: the raw cost from bin %d to bin %d is %v, expected a finite "+
				"number ≥ 0", i/k, i%k, c)
		}
	}
	cost, _, err := p.scaled(raw, k)
	return cost, err
}

// scaled returns the normalised and clipped costs, and what the raw ones were divided by.
func (p Params) scaled(raw []float64, k int) (ot.Cost, float64, error) {
	scale, err := constant(raw, p.Normalisation)
	if err != nil {
		return ot.Cost{}, 0, err
	}
	cost := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i, d := range raw {
		cost.Data[i] = p.finish(d, scale)
	}
	return cost, scale, nil
}

func (g *Ground) centroid(i int) []float64 { return g.centroids[i*g.Dim : (i+1)*g.Dim] }

// prepare writes point to dst, divided by its norm under the angular metric. It
// tells whether the norm is positive.
func (g *Ground) prepare(dst []float64, point []float32) bool {
	sum := 0.0
	for i, x := range point {
		dst[i] = float64(x)
		sum += float64(float64(x) * float64(x))
	}
	if g.Params.Metric == Angular && sum > 0 {
		norm := math.Sqrt(sum)
		for i := range dst {
			dst[i] /= norm
		}
	}
	return sum > 0
}

// norm is ‖x‖².
func norm(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v * v)
	}
	return sum
}

// blockPoints is how many points are multiplied with the centroids at a time.
const blockPoints = 28

// block holds some prepared points and their products with the centroids, a row every
// stride numbers.
type block struct {
	*Ground
	stride           int
	points, products []float64
}

func (g *Ground) newBlock() *block {
	b := &block{Ground: g, stride: max(g.Dim, g.packed.Padded)}
	b.products = make([]float64, blockPoints*b.stride)
	b.points = make([]float64, blockPoints*b.stride)
	return b
}

func (b *block) point(r int) []float64 { return b.points[r*b.stride:][:b.Dim] }

// raw writes the metric from the first n points to all centroids.
func (b *block) raw(dst []float64, n int) {
	b.packed.Multiply(b.products, b.points, n, b.stride)
	for r := range n {
		x := b.point(r)
		length := norm(x)
		for j, product := range b.products[r*b.stride:][:b.K] {
			// ‖x−y‖² = ‖x‖² + ‖y‖² − 2⟨x,y⟩ is off by some 2⁻⁵² of the norms: for near vectors,
			// the difference itself.
			norms := length + b.norms[j]
			squared := norms - float64(2*product)
			if squared <= norms*0x1p-20 {
				squared = squaredDistance(x, b.centroid(j))
			}
			dst[r*b.K+j] = b.metric(squared)
		}
	}
}

// squaredDistance is ‖x−y‖².
func squaredDistance(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += float64((v - y[i]) * (v - y[i]))
	}
	return sum
}

// metric is the metric of two prepared points at the given squared distance.
func (g *Ground) metric(squared float64) float64 {
	switch g.Params.Metric {
	case SquaredEuclidean:
		return squared
	case Angular:
		// The chord between unit vectors at angle θ is 2 sin(θ/2). Unlike the
		// arccosine this is exact for small angles, and zero between equal vectors.
		return 2 * elementary.Asin(min(math.Sqrt(squared)/2, 1))
	default:
		return math.Sqrt(squared)
	}
}

// constant returns what the raw costs are divided by.
func constant(raw []float64, n Normalisation) (float64, error) {
	var c float64
	switch n {
	case Max:
		c = slices.Max(raw)
	case Mean:
		for _, d := range raw {
			c += d
		}
		c /= float64(len(raw))
	case Median:
		sorted := slices.Sorted(slices.Values(raw))
		c = (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
	default:
		return 1, nil
	}
	if c == 0 {
		return 0, fmt.Errorf("ground: the %s of the costs between centroids is 0, so they cannot be divided by it: "+
			"too many centroids are equal", n)
	}
	return c, nil
}

// finish normalises and clips a raw cost.
func (p Params) finish(raw, scale float64) float32 {
	c := raw / scale
	switch p.Normalisation {
	case Log2:
		c = elementary.Log1p(raw) / math.Ln2
	case Ln:
		c = elementary.Log1p(raw)
	}
	if p.Clip > 0 {
		c = min(c, p.Clip*p.Reg)
	}
	return float32(min(c, math.MaxFloat32))
}

// angleToZero stands for the angle of the zero vector with any other: its cosine
// is taken as 0.
const angleToZero = math.Pi / 2

// ToBins writes to dst the costs from points, one or more of Dim coordinates each, to all centroids, K for each
// point. They are normalised by the constant of the matrix between centroids, and clipped as it is. For a centroid
// they are its row of Cost, bit by bit.
//
// Under the angular metric the zero vector is at π/2 from all centroids. ToBins
// panics if dst and points are not that long.
func (g *Ground) ToBins(dst []float32, points []float32) {
	n := len(points) / g.Dim
	if len(points) != n*g.Dim || len(dst) != n*g.K {
		panic(fmt.Sprintf("ground: %d bins and %d coordinates, expected %d and %d for each point",
			len(dst), len(points), g.K, g.Dim))
	}
	b := g.newBlock()
	raw := make([]float64, min(n, blockPoints)*g.K)
	for ; n > 0; n = len(points) / g.Dim {
		n = min(n, blockPoints)
		var zero [blockPoints]bool
		for r := range n {
			zero[r] = !g.prepare(b.point(r), points[r*g.Dim:][:g.Dim]) && g.Params.Metric == Angular
		}
		b.raw(raw[:n*g.K], n)
		for i, cost := range raw[:n*g.K] {
			if zero[i/g.K] {
				cost = angleToZero
			}
			dst[i] = g.Params.finish(cost, g.Scale)
		}
		dst, points = dst[n*g.K:], points[n*g.Dim:]
	}
}

// Between returns the cost from x to y, normalised and clipped as ToBins
// does. Under the angular metric the zero vector is at π/2 from any vector, itself
// included. Between panics if a point is not Dim long.
func (g *Ground) Between(x, y []float32) float32 {
	if len(x) != g.Dim || len(y) != g.Dim {
		panic(fmt.Sprintf("ground: %d and %d coordinates, expected %d", len(x), len(y), g.Dim))
	}
	u, v := make([]float64, g.Dim), make([]float64, g.Dim)
	fine := g.prepare(u, x)
	fine = g.prepare(v, y) && fine
	cost := g.metric(squaredDistance(u, v))
	if !fine && g.Params.Metric == Angular {
		cost = angleToZero
	}
	return g.Params.finish(cost, g.Scale)
}
