// Package cpu solves transport problems in batches, in float32 at nearly the
// machine's peak, and in float64 where λ is too small for that.
//
// All problems of a batch share the Gibbs kernel exp(−M/λ), which is packed once.
// A worker keeps a few dozen problems in cache through all their iterations: a half
// iteration is one matrix product whose last step divides the marginals by the
// product. Problems that finish make room for the next. What is computed for a
// problem never depends on its neighbours, so results have the same bits for any
// batch and any GOMAXPROCS (and for AVX2 and AVX-512).
//
// # Accuracy
//
// All terms of all sums are non-negative, so a product has a relative error of at most about (K+2)·2⁻²⁴, in practice
// √K·2⁻²⁴. Sinkhorn's iteration, a contraction, does not let it grow. At K = 100, for λ from 0.3 to 0.001 of the
// median cost, costs differ from those of the reference engine after the same 100 iterations by 1e-7 relative.
// Barycenters differ by 1.5e-6 in L1, the rounding of their logarithms. A MarginalError below about 1e-6 cannot be
// reached.
//
// Scaling works as long as no divisor gets so small that what underflows counts. Each problem records its least
// divisors. If they do not prove that the loss is below 2⁻²⁴ of every sum, the problem is solved again by the same
// scaling in float64. If they do not prove it there either, it is solved with float64 potentials and its own float32
// kernel into which they are absorbed. This works for every valid λ, as accurately, and slower.
package cpu

import (
	"context"
	"math"
	"slices"
	"sync"
	"unsafe"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// Engine is the vectorised implementation of ot.Engine.
type Engine struct {
	isa      gemm.ISA
	prepared *prepared // nil if it keeps nothing
}

// New returns the engine with the best instruction set of this machine.
func New() Engine { return Engine{isa: gemm.Supported()[0]} }

// kernels are those of a cost and a λ, each made when it is first needed.
type kernels struct {
	narrow func() *gibbs[float32]
	wide   func() *gibbs[float64]
	fault  func() error // of the cost at this λ
}

// kernelsKey is what they depend on besides the cost.
type kernelsKey struct {
	reg      float64
	fill     float32 // of columns beyond K
	withCost bool
}

// mostKept is how many kernels an engine keeps: those of a few λ.
const mostKept = 4

// prepared is the cost that an engine was prepared for, and its kernels, what was asked for last at the end.
type prepared struct {
	cost ot.Cost
	mu   sync.Mutex
	all  []keptKernels
}

type keptKernels struct {
	kernelsKey
	*kernels
}

// Prepare implements ot.Engine. An engine that was prepared for the cost is returned as it is.
func (e Engine) Prepare(cost ot.Cost) ot.Engine {
	if e.prepared.has(cost) {
		return e
	}
	return Engine{e.isa, &prepared{cost: cost}}
}

// has reports whether p is for this cost.
func (p *prepared) has(cost ot.Cost) bool {
	return p != nil && p.cost.K == cost.K && len(p.cost.Data) == len(cost.Data) &&
		unsafe.SliceData(p.cost.Data) == unsafe.SliceData(cost.Data)
}

// kernels returns those of the cost and a λ, kept ones if the engine was prepared for the cost.
func (e Engine) kernels(cost ot.Cost, key kernelsKey) *kernels {
	if !e.prepared.has(cost) {
		return e.newKernels(cost, key)
	}
	p := e.prepared
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.IndexFunc(p.all, func(k keptKernels) bool { return k.kernelsKey == key })
	switch {
	case at < 0:
		if len(p.all) == mostKept {
			p.all = slices.Delete(p.all, 0, 1)
		}
		p.all = append(p.all, keptKernels{key, e.newKernels(cost, key)})
	default:
		k := p.all[at]
		p.all = append(slices.Delete(p.all, at, at+1), k)
	}
	return p.all[len(p.all)-1].kernels
}

func (e Engine) newKernels(cost ot.Cost, key kernelsKey) *kernels {
	return &kernels{
		sync.OnceValue(func() *gibbs[float32] { return newGibbs[float32](e.isa, cost, key) }),
		sync.OnceValue(func() *gibbs[float64] { return newGibbs[float64](e.isa, cost, key) }),
		sync.OnceValue(func() error { return cost.Validate(key.reg) }),
	}
}

// validated returns the kernels of p, or the error of p.Validate. Entries of a cost that was prepared are looked at
// once.
func (e Engine) validated(p *ot.Problem) (*kernels, error) {
	k := e.kernels(p.Cost, kernelsKey{p.Reg, 0, true})
	if k.fault() != nil {
		return nil, p.Validate()
	}
	return k, p.ValidatePairs()
}

// Name returns "cpu".
func (Engine) Name() string { return "cpu" }

// blockRows is how many problems, or members of groups, a worker keeps in cache. A
// multiple of the largest tile's height; more would leave the cache, fewer would
// read the kernel too often.
const blockRows = 84

// vectors returns the loops of an instruction set.
func vectors[T gemm.Float](isa gemm.ISA) *vector[T] {
	if v, ok := any(narrowVectors(isa)).(*vector[T]); ok {
		return v
	}
	return any(wideVectors(isa)).(*vector[T])
}

// gibbs is the shared kernel exp(−M/λ), packed for products with rows of scalings.
type gibbs[T gemm.Float] struct {
	*vector[T]
	isa               gemm.ISA
	k, padded, stride int
	reg               float64
	toTarget          *gemm.Packed[T] // u ↦ Kᵀu
	toSource          *gemm.Packed[T] // v ↦ Kv
	cost              *gemm.Packed[T] // v ↦ (K∘M)v/unit
	unit              float64         // a power of two above all costs, so that no product overflows
}

// newGibbs packs the kernel.
func newGibbs[T gemm.Float](isa gemm.ISA, c ot.Cost, key kernelsKey) *gibbs[T] {
	k, fill, withCost := c.K, T(key.fill), key.withCost
	g := &gibbs[T]{vector: vectors[T](isa), isa: isa, k: k, padded: (k + granule - 1) / granule * granule, reg: key.reg}
	// An odd number of cache lines between rows spreads them over all cache sets.
	g.stride = g.padded
	if g.stride/granule%2 == 0 {
		g.stride += granule
	}
	size := (k*k + granule - 1) / granule * granule
	data, weighted := make([]T, size), []T(nil)
	convert(data, c.Data)
	if withCost {
		weighted = make([]T, k*k)
	}
	var largest float32
	for _, x := range c.Data {
		if x > largest {
			largest = x
		}
	}
	if g.unit = float64(largest); g.unit == 0 {
		g.unit = 1
	}
	// A power of two: dividing by it is exact.
	_, exponent := math.Frexp(g.unit)
	g.unit = math.Ldexp(1, exponent)
	inverse := 1 / g.unit
	_ = parallel.Blocks(context.Background(), size, 256*granule, func(lo, hi int) error {
		g.weigh(data[lo:hi], data[lo:hi])
		if withCost {
			for i := lo; i < min(hi, k*k); i++ {
				weighted[i] = data[i] * T(float64(c.Data[i])*inverse)
			}
		}
		return nil
	})
	pack := func(data []T, transposed bool, fill T) *gemm.Packed[T] {
		return gemm.PackFor(isa, gemm.Matrix[T]{Rows: k, Cols: k, Stride: k, Data: data, Transposed: transposed}, fill)
	}
	g.toTarget = pack(data, false, fill)
	g.toSource = g.toTarget
	if !symmetric(c) {
		g.toSource = pack(data, true, fill)
	}
	if withCost {
		g.cost = pack(weighted, true, 0)
	}
	return g
}

// row is row r of x, padded.
func (g *gibbs[T]) row(x []T, r int) []T { return x[r*g.stride:][:g.padded:g.padded] }

// symmetric tells whether c is, bit for bit. It goes through the cost in tiles, so that
// columns are read by cache lines.
func symmetric(c ot.Cost) bool {
	const side = 16
	for top := 0; top < c.K; top += side {
		for left := 0; left <= top; left += side {
			for i := top; i < min(top+side, c.K); i++ {
				for j := left; j < min(left+side, i); j++ {
					if c.Data[i*c.K+j] != c.Data[j*c.K+i] {
						return false
					}
				}
			}
		}
	}
	return true
}

// weight is exp(−cost/λ), zero where it would not be a normal number: that the loss
// does not matter is what trusted proves.
func (g *gibbs[T]) weight(cost float32) T { return flushed[T](elementary.Exp(-float64(cost) / g.reg)) }

// weigh stores the weights of costs; the lengths are multiples of 16.
func (g *gibbs[T]) weigh(dst, costs []T) {
	rate := -1 / (g.reg * math.Ln2)
	if rate > -1e30 && rate < -1e-30 {
		g.gibbs(dst, costs, rate)
		return
	}
	for i, c := range costs {
		dst[i] = g.weight(float32(c))
	}
}

// trusted tells whether scaling was accurate, from the least divisors that bins with
// mass had in either direction. An entry of the kernel is off by less than the smallest
// normal number ε, 2⁻¹²⁶ or 2⁻¹⁰²², and the scalings it meets sum to at most 1/y, relaxed ones
// to 4/y, those of unbalanced transport to 1/y or 1, whichever is more, so a divisor of at least x is off
// by less than 4ε/(x·y) of itself; products that underflow add K·2⁻²⁴ε/x or less.
func trusted[T gemm.Float](x, y T) bool {
	enough := float64(enough[T]())
	return float64(x) >= enough && float64(y) >= enough && float64(x)*float64(y) >= enough
}

// enough is 2²⁶ times the smallest normal number.
func enough[T gemm.Float]() T { return 0x1p26 * gemm.Tiny[T]() }

// least returns the smallest of x.
func least[T gemm.Float](x []T) T {
	low := x[0]
	for _, y := range x {
		low = min(low, y)
	}
	return low
}

func infinity[T gemm.Float]() T { return T(math.Inf(1)) }

func fill[T gemm.Float](x []T, value T) {
	for i := range x {
		x[i] = value
	}
}

// convert stores the elements of x in the first elements of dst.
func convert[T gemm.Float](dst []T, x []float32) {
	for i, y := range x {
		dst[i] = T(y)
	}
}
