package cpu

import (
	"context"
	"math"
	"slices"
	"sync"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/limit"
	"contextmover/cmdlib/ot/internal/overrelax"
	"contextmover/cmdlib/ot/internal/scaling"
)

// barycenterWindow is how many histograms may be waiting for an earlier one.
const barycenterWindow = 1 << 12

// Barycenters implements ot.Engine.
func (e Engine) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(first int, results []ot.Barycenter) error,
) error {
	if err := p.Validate(); err != nil {
		return err
	}
	groups := len(p.Offsets) - 1
	if err := ctx.Err(); err != nil || groups == 0 {
		return err
	}
	// With K ≤ 1, a fill of 1 keeps the padded products from being the least.
	kernels := e.kernels(p.Cost, kernelsKey{p.Reg, 1, false})
	narrow, wide := kernels.narrow(), kernels.wide
	rates := sync.OnceValue(func() limit.Rates { return limit.NewRates(p) })
	logarithms := &scaling.Barycenters{
		BarycenterProblem: p, Softmin: softmins(e.isa), Precision: limit.Single, Rates: rates,
	}
	s := newStream(groups, barycenterWindow, yield)
	histograms := make([]float32, len(s.ring)*narrow.k)
	for i := range s.ring {
		s.ring[i].Histogram = histograms[i*narrow.k:][:narrow.k:narrow.k]
	}
	size := blockSize(len(p.Members), blockRows)
	members := func(group int) int { return p.Offsets[group+1] - p.Offsets[group] }
	return s.run(ctx, func() error {
		return cascade(ctx, size, members, s.take,
			func(lost func(int) error) block {
				b := newGroupBlock(narrow, p, rates, size, s)
				b.lost = lost
				return b
			},
			func() block {
				b := newGroupBlock(wide(), p, rates, size, s)
				b.lost = func(group int) error {
					to := s.slot(group)
					r, err := logarithms.Solve(ctx, group, to.Histogram)
					if err != nil {
						return err
					}
					*to = r
					return s.finish(group)
				}
				return b
			})
	})
}

// normalise stores the first elements of x divided by their sum.
func normalise[D, T gemm.Float](dst []D, x []T) {
	var sum float64
	for _, y := range x[:len(dst)] {
		sum += float64(y)
	}
	for i := range dst {
		dst[i] = D(float64(x[i]) / sum)
	}
}

// groupBlock is a worker's set of barycenters in progress. The members of a group
// are neighbouring rows of the buffers.
type groupBlock[T gemm.Float] struct {
	*gibbs[T]
	p            *ot.BarycenterProblem
	rates        func() limit.Rates
	size, n      int // rows meant to be in use, and in use
	groups       []*groupState[T]
	free         []*groupState[T]
	a, u, t, s   []T // A, U, T = A/(KU), S = KᵀT, one row for each member
	leastT       []T // least entries of KU where A has mass, 16 lanes a row
	d, kd        []T // debiased: d and K·d, one row for each group
	mean, square []T
	weights      []T // scratch: equal ones
	relaxing     bool
	precision    limit.Precision
	results      *stream[ot.Barycenter]
	lost         func(group int) error // is told what scaling could not solve
}

// groupState is what a group has besides its members' rows.
type groupState[T gemm.Float] struct {
	group, n   int
	iterations int
	started    bool
	pace       overrelax.Pace
	weights    []T
	// carry is log2 of what b has besides Π S^w: of d or, with an unweighted start, of c. log and
	// b are log2 b and b of the last iteration.
	carry, log, b []T
	// trace follows seen, which is b of the last look, normalised.
	trace limit.Trace
	seen  []T
	// least entries of S and, debiased, of K·d
	leastS, leastD lanes[T]
}

func newGroupBlock[T gemm.Float](
	g *gibbs[T], p *ot.BarycenterProblem, rates func() limit.Rates, size int, results *stream[ot.Barycenter],
) *groupBlock[T] {
	b := &groupBlock[T]{
		gibbs: g, p: p, rates: rates, size: size, precision: limit.Single, results: results,
		relaxing: p.Accelerate && p.Tol > 0 && !p.UnweightedStart && !p.Debiased,
	}
	if _, wide := any(b.weights).([]float64); wide {
		b.precision = limit.Double
	}
	b.mean, b.square = make([]T, g.padded), make([]T, g.padded)
	b.grow(size)
	return b
}

// grow makes room for the given number of rows.
func (b *groupBlock[T]) grow(rows int) {
	for _, x := range []*[]T{&b.a, &b.u, &b.t, &b.s} {
		*x = append(make([]T, 0, rows*b.stride), *x...)[:rows*b.stride]
	}
	b.leastT = append(make([]T, 0, rows*granule), b.leastT...)[:rows*granule]
}

func (b *groupBlock[T]) empty() bool { return b.n == 0 }

// An empty block takes any group.
func (b *groupBlock[T]) fits(rows int) bool { return b.n == 0 || b.n+rows <= b.size }

func (b *groupBlock[T]) load(group int) {
	lo, hi := b.p.Offsets[group], b.p.Offsets[group+1]
	var g *groupState[T]
	if last := len(b.free) - 1; last >= 0 {
		g, b.free = b.free[last], b.free[:last]
	} else {
		g = &groupState[T]{}
		for _, x := range []*[]T{&g.carry, &g.log, &g.b, &g.seen} {
			*x = make([]T, b.padded)
		}
	}
	g.group, g.n, g.iterations, g.pace = group, hi-lo, 0, overrelax.Pace{}
	g.weights = append(g.weights[:0], make([]T, g.n)...)
	convert(g.weights, b.p.Weights[lo:hi])
	g.started = b.p.Debiased // the paper's method has one step before its iterations
	clear(g.carry)
	clear(g.b)
	fill(g.leastS[:], infinity[T]())
	fill(g.leastD[:], infinity[T]())
	if need := b.n + g.n; need*b.stride > len(b.a) {
		b.grow(need)
	}
	for s, member := range b.p.Members[lo:hi] {
		r := b.n + s
		convert(b.row(b.a, r), b.p.Rows.Row(int(member)))
		fill(b.row(b.u, r), 1)
	}
	fill(b.leastT[b.n*granule:(b.n+g.n)*granule], infinity[T]())
	if b.p.Debiased {
		at := len(b.groups)
		if need := (at + 1) * b.stride; need > len(b.d) {
			b.d, b.kd = append(b.d, make([]T, need)...), append(b.kd, make([]T, need)...)
		}
		fill(b.row(b.d, at), 1)
	}
	b.groups = append(b.groups, g)
	b.n += g.n
}

// divided are the operands of a / Ku, which is stored in t.
func (b *groupBlock[T]) divided(t []T) gemm.Operands[T] {
	return gemm.Operands[T]{C: t, A: b.u, Num: b.a, Rows: b.n, Stride: b.stride, Least: b.leastT}
}

// step does one iteration of all groups.
func (b *groupBlock[T]) step(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if b.relaxing {
		b.relaxT()
	} else {
		b.toSource.Quotient(b.divided(b.t))
	}
	b.toTarget.Multiply(b.s, b.t, b.n, b.stride)
	kept := b.groups[:0]
	read, write := 0, 0 // rows
	for i, g := range b.groups {
		result, done, sound := b.update(g, read)
		if !done {
			b.move(write, read, g.n)
			write += g.n
			if at := len(kept); b.p.Debiased && at < i {
				copy(b.row(b.d, at), b.row(b.d, i))
			}
			kept = append(kept, g)
		} else {
			if err := b.finish(g, sound, result); err != nil {
				return err
			}
			b.free = append(b.free, g)
		}
		read += g.n
	}
	b.groups, b.n = kept, write
	if b.p.Debiased {
		b.unblur()
	}
	return nil
}

// finish hands in the result of a group, or gives up one for which scaling was not accurate enough.
func (b *groupBlock[T]) finish(g *groupState[T], sound bool, r ot.Barycenter) error {
	if !sound {
		return b.lost(g.group)
	}
	to := b.results.slot(g.group)
	r.Histogram = to.Histogram
	*to = r
	normalise(to.Histogram, g.b)
	return b.results.finish(g.group)
}

// unblur updates all d: log2 d = (log2 d + log2 b − log2 Kd)/2.
func (b *groupBlock[T]) unblur() {
	b.toSource.Multiply(b.kd, b.d, len(b.groups), b.stride)
	half := []T{-0.5}
	for i, g := range b.groups {
		b.combine(g.carry, g.carry, 0.5, g.log, 0.5)
		b.addLog2(g.carry, b.row(b.kd, i), 0, half, g.leastD[:])
		b.exp2(b.row(b.d, i), g.carry)
	}
}

// looked tells whether a group is looked at in an iteration.
func (b *groupBlock[T]) looked(iteration int) bool {
	return iteration == b.p.MaxIter || iteration%10 == 1
}

// move moves n rows from row src to row dst ≤ src. S need not move, nor need T but for relaxing.
func (b *groupBlock[T]) move(dst, src, n int) {
	if dst == src {
		return
	}
	for _, x := range [][]T{b.a, b.u, b.t} {
		copy(x[dst*b.stride:], x[src*b.stride:(src+n)*b.stride])
	}
	copy(b.leastT[dst*granule:], b.leastT[src*granule:(src+n)*granule])
}

// update makes b and the new U of the group whose rows start at row first.
func (b *groupBlock[T]) update(g *groupState[T], first int) (result ot.Barycenter, done, sound bool) {
	copy(g.log, g.carry)
	b.addLog2(g.log, b.s[first*b.stride:], b.stride, g.weights, g.leastS[:])
	if !g.started {
		if b.p.UnweightedStart {
			b.startUnweighted(g, first)
		}
		b.exp2(g.b, g.log)
		b.follow(g, 0)
		b.scale(g, first)
		g.started = true
		return result, false, true
	}
	g.iterations++
	last := g.iterations == b.p.MaxIter
	check := b.looked(g.iterations)
	if last || check && b.p.Tol > 0 {
		result.Spread = b.spread(g, first)
		switch {
		case b.p.Debiased && g.iterations == 1:
			result.Spread++
		case b.p.Debiased:
			before, now := b.mean[:b.k], b.square[:b.k]
			normalise(before, g.b[:b.k])
			b.exp2(g.b, g.log)
			normalise(now, g.b[:b.k])
			result.Spread += change(before, now)
		}
		g.pace.Look(g.iterations, result.Spread)
	}
	b.exp2(g.b, g.log)
	if last || check {
		b.follow(g, result.Spread)
		enough := false
		if last || b.p.Tol > 0 {
			enough = g.trace.Judge(&result, b.p, b.rates())
		}
		sound = b.sound(g, first)
		if last || enough || !sound {
			result.Iterations = g.iterations
			return result, true, sound
		}
	}
	if b.relaxing && !check {
		b.relaxU(g, first)
	} else {
		b.scale(g, first)
	}
	return result, false, true
}

// follow looks at b, with the spread if that is known.
func (b *groupBlock[T]) follow(g *groupState[T], spread float64) {
	now, seen := b.square[:b.k], g.seen[:b.k]
	if !b.p.Debiased || g.iterations == 1 || spread == 0 { // else update has just done it
		normalise(now, g.b)
	}
	if g.iterations == 0 || b.p.Debiased && g.iterations == 1 { // nothing was seen before
		g.trace.Begin(b.precision, g.iterations, spread)
	} else {
		g.trace.Look(g.iterations, change(now, seen), spread)
	}
	copy(seen, now)
}

// change is the L1 distance of two histograms.
func change[T gemm.Float](x, y []T) float64 {
	var sum float64
	for i := range x {
		sum += math.Abs(float64(x[i]) - float64(y[i]))
	}
	return sum
}

// startUnweighted puts the unweighted mean of log2 S in the place of the weighted one, and
// their difference in the carry. For equal weights there is none, not even rounding errors.
func (b *groupBlock[T]) startUnweighted(g *groupState[T], first int) {
	b.weights = b.weights[:0]
	equal := true
	for _, w := range g.weights {
		b.weights = append(b.weights, 1/T(g.n))
		equal = equal && w == g.weights[0]
	}
	if equal {
		return
	}
	b.combine(g.carry, g.log, -1, g.log, 0)
	clear(g.log)
	b.addLog2(g.log, b.s[first*b.stride:], b.stride, b.weights, g.leastS[:])
	b.combine(g.carry, g.carry, 1, g.log, 1)
}

// scale stores U = b/S.
func (b *groupBlock[T]) scale(g *groupState[T], first int) {
	b.divideRows(b.u[first*b.stride:], g.b, b.s[first*b.stride:], b.stride, g.n)
}

// spread is the sum over bins of the standard deviation of the members' estimates
// R = U·S. It destroys U.
func (b *groupBlock[T]) spread(g *groupState[T], first int) float64 {
	clear(b.mean)
	for r := first; r < first+g.n; r++ {
		estimate(b.row(b.u, r), b.row(b.s, r), b.mean)
	}
	b.combine(b.mean, b.mean, 1/T(g.n), b.mean, 0)
	clear(b.square)
	for r := first; r < first+g.n; r++ {
		deviate(b.square, b.row(b.u, r), b.mean)
	}
	var sum float64
	for _, x := range b.square[:b.k] {
		sum += math.Sqrt(float64(x) / float64(g.n))
	}
	return sum
}

// sound tells whether scaling was accurate for all members so far.
//
// It also keeps U = b/S finite: S ≥ enough, and Σb ≤ 1 because b is a geometric mean of
// histograms; the debiased b has another factor, the last change of d, which is at
// most 1/√(Kd), that is 2^25.
func (b *groupBlock[T]) sound(g *groupState[T], first int) bool {
	if b.p.Debiased && least(g.leastD[:]) < 0x1p-50 {
		return false
	}
	if slices.Max(g.b[:b.k]) < enough[T]() {
		return false
	}
	return trusted(least(b.leastT[first*granule:(first+g.n)*granule]), least(g.leastS[:]))
}
