//go:build cuda || cudaemulation

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// Distances implements ot.Engine.
func (e Engine) Distances(ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Result) error) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if err := refused(p); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil || len(p.Pairs) == 0 {
		return err
	}
	p = p.Normalised()
	return smaller(batchSize(len(p.Pairs), p.Cost.K, p.Settings), func(size int) error {
		return e.distances(ctx, p, size, nil, yield)
	})
}

// Plan implements ot.Engine.
func (e Engine) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	if err := p.CheckPair(pair); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if err := refused(p); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	one := *p.Normalised()
	one.Pairs = p.Pairs[pair : pair+1]
	if b := p.Border; b != nil {
		border := *b
		border.Between = b.Between[pair : pair+1]
		one.Border = &border
	}
	var result ot.Result
	var found scalings
	err := e.distances(ctx, &one, 1, &found, func(_ int, results []ot.Result) error {
		result = results[0]
		return nil
	})
	if err != nil {
		return nil, err
	}
	_, target, cost := one.Explicit(0)
	return one.Plan(0, result,
		func(i, j int) float64 {
			c := cost[i*len(target)+j]
			if found.logarithms {
				return math.Exp2(found.u[i] + found.v[j] - c/(p.Reg*math.Ln2))
			}
			return found.u[i] * float64(weight(float32(c), p.Reg)) * found.v[j]
		},
		func(j int) float64 {
			switch v := found.v[j]; {
			case target[j] < 0x1p-126 || !found.logarithms && v < 0x1p-126:
				return math.Inf(-1)
			case found.logarithms:
				return p.Reg * (v*math.Ln2 - math.Log(target[j]))
			default:
				return p.Reg * math.Log(v/target[j])
			}
		}), nil
}

// Rectangle implements ot.Engine.
func (e Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (ot.Result, error) {
	return r.Solve(ctx, e, b)
}

// refused returns an error for what this engine cannot be asked for.
func refused(p *ot.Problem) error {
	if p.Penalty != 0 {
		return fmt.Errorf("cuda: unbalanced transport: %w; the engine cpu has it", errors.ErrUnsupported)
	}
	if p.Values {
		return fmt.Errorf("cuda: values of transport problems, and so the Sinkhorn divergence: %w; the engine cpu "+
			"has them", errors.ErrUnsupported)
	}
	return nil
}

// scalings are those of a pair's plan, or their binary logarithms; the border's point first.
type scalings struct {
	logarithms bool
	u, v       []float64
}

// pairBatch is a batch of pairs on its way: one is filled while the other is solved.
type pairBatch struct {
	queue
	first, n             int
	source, target       array[int32]
	rows, from, to       table
	fromWeight, toWeight pointer
	between              array[float32]
	betweenWeight        pointer
	outcomes             array[outcome]
	lost                 array[int32]
	args                 array[distanceArgs]
	tensorArgs           array[tensorArgs]
	kept                 pointer
	gibbs                [3]array[gibbsArgs]
	logArgs              array[logDistanceArgs]
	used                 *renumber
}

// solver is one call of distances.
type solver struct {
	*session
	p         *ot.Problem
	m         *matrices
	shape     layout
	fits      bool          // float32 scaling has room
	tensor    *tensorLayout // or tensor cores do it
	arranged  [3]pointer    // to target, to source, weighted
	shared    int
	sms       int
	share     float64
	want      *scalings
	scaling   array[float32]
	potential array[float64]
	results   []ot.Result
}

func (e Engine) distances(
	ctx context.Context, p *ot.Problem, size int, want *scalings, yield func(int, []ot.Result) error,
) error {
	if err := e.tooLarge(p.Cost.K + 1); err != nil {
		return err
	}
	s, err := e.open()
	if err != nil {
		return err
	}
	defer s.close()
	v, batches := newSolver(ctx, s, p, size, want)
	var running *pairBatch
	for first, turn := 0, 0; first < len(p.Pairs) || running != nil; turn++ {
		if v.try(ctx.Err); v.err != nil {
			return v.err
		}
		var started *pairBatch
		if first < len(p.Pairs) {
			started = batches[turn%len(batches)]
			if running == started {
				panic("cuda: a batch was started twice")
			}
			started.first, started.n = first, min(size, len(p.Pairs)-first)
			v.start(started)
			first += started.n
		}
		if running != nil {
			v.finish(running)
			v.try(func() error { return yield(running.first, v.results[:running.n]) })
		}
		running = started
	}
	return v.err
}

// newSolver takes memory for batches of size pairs and sends the matrices.
func newSolver(ctx context.Context, s *session, p *ot.Problem, size int, want *scalings) (*solver, []*pairBatch) {
	v := &solver{session: s, p: p, want: want, share: 1, results: make([]ot.Result, size)}
	v.sms, v.shared = s.limits()
	if p.Border != nil {
		v.share = 1 - p.Border.Mass
	}
	batches := make([]*pairBatch, 1, 2)
	if size < len(p.Pairs) {
		batches = batches[:2]
	}
	for i := range batches {
		batches[i] = v.newBatch(size)
	}
	v.m = load(ctx, s, batches[0].queue, p.Cost, p.Reg)
	if l, ok := arrangeTensor(p.Cost.K, v.m.two, size, v.sms, v.shared); ok && s.hopper() && p.Border == nil {
		v.tensor, v.fits = &l, true
		v.arrange(batches)
	} else {
		v.shape, v.fits = distanceLayout(p.Cost.K, v.m.two, v.shared, p.Border != nil)
	}
	batches[0].wait() // the other stream's work must find the matrices
	if want != nil {
		v.scaling = newStaged[float32](s, 2*(v.m.kp+tile))
		v.potential = newStaged[float64](s, 2*(p.Cost.K+1))
	}
	return v, batches
}

// arrange sends the matrices as the kernels of tensor.cu read them, and makes room for the scalings that they keep.
func (v *solver) arrange(batches []*pairBatch) {
	n := v.tensor.bins
	for i := range v.arranged {
		if i == 1 && v.m.two == 1 {
			v.arranged[1] = v.arranged[0]
			continue
		}
		a := newStaged[uint32](v.session, 2*n*n)
		if v.err != nil {
			return
		}
		arranged(a.host, v.m.host[i*v.m.k*v.m.kp:][:v.m.k*v.m.kp], v.m.k, v.m.kp, n)
		a.upload(batches[0].queue, 2*n*n)
		v.arranged[i] = a.at
	}
	_, blocks := v.tensorBlocks(len(v.results))
	for _, b := range batches {
		b.kept = newArray[float32](v.session, blocks*v.tensor.kept()).at
	}
}

// newBatch makes room for a batch of the given number of pairs.
func (v *solver) newBatch(size int) *pairBatch {
	s, p := v.session, v.p
	k, rows := p.Cost.K, min(2*size, p.Rows.Len())
	b := &pairBatch{
		queue: s.queue(), used: newRenumber(p.Rows.Len()),
		source: newStaged[int32](s, size), target: newStaged[int32](s, size), lost: newStaged[int32](s, size),
		outcomes: newStaged[outcome](s, size), args: newStaged[distanceArgs](s, 1),
		tensorArgs: newStaged[tensorArgs](s, 1), logArgs: newStaged[logDistanceArgs](s, 1),
		rows: newTable(s, p.Rows.Data, k, rows),
	}
	if border := p.Border; border != nil {
		b.from, b.to = newTable(s, border.FromPoint, k, rows), newTable(s, border.ToPoint, k, rows)
		b.fromWeight = newArray[float32](s, rows*padded(k)).at
		b.toWeight = newArray[float32](s, rows*padded(k)).at
		b.between = newStaged[float32](s, size)
		b.betweenWeight = newArray[float32](s, size).at
		for i := range b.gibbs {
			b.gibbs[i] = newStaged[gibbsArgs](s, 1)
		}
	}
	return b
}

// start sends a batch to the device.
func (v *solver) start(b *pairBatch) {
	p, kp := v.p, v.m.kp
	b.used.reset()
	for i, pair := range p.Pairs[b.first : b.first+b.n] {
		b.source.host[i], b.target.host[i] = b.used.add(pair.Source), b.used.add(pair.Target)
	}
	b.rows.send(b.queue, b.used.used)
	b.source.upload(b.queue, b.n)
	b.target.upload(b.queue, b.n)
	if border := p.Border; border != nil {
		b.from.send(b.queue, b.used.used)
		b.to.send(b.queue, b.used.used)
		copy(b.between.host, border.Between[b.first:b.first+b.n])
		b.between.upload(b.queue, b.n)
		rows := len(b.used.used) * kp
		for i, g := range []gibbsArgs{
			{int64(rows), p.Reg, b.from.at, b.fromWeight},
			{int64(rows), p.Reg, b.to.at, b.toWeight},
			{int64(b.n), p.Reg, b.between.at, b.betweenWeight},
		} {
			launchWith(b.queue, "gibbs", min(8*v.sms, int(g.n+255)/256), 256, 0, b.gibbs[i], g)
		}
	}
	if v.fits {
		v.launch(b)
		b.outcomes.download(b.queue, b.n)
	}
}

// launch starts the kernel on a batch that was sent.
func (v *solver) launch(b *pairBatch) {
	p, kp := v.p, v.m.kp
	if t := v.tensor; t != nil {
		perBlock, blocks := v.tensorBlocks(b.n)
		launchWith(b.queue, t.kernel, blocks, t.threads, t.shared, b.tensorArgs, tensorArgs{
			kp: int64(kp), pairs: int64(b.n), perBlock: int64(perBlock), maxIter: int64(min(p.MaxIter, math.MaxInt32)),
			tol: p.Tol, unit: v.m.unit, resident: int64(t.resident),
			rows: b.rows.at, source: b.source.at, target: b.target.at,
			toTarget: v.arranged[0], toSource: v.arranged[1], weighted: v.arranged[2], kept: b.kept,
			outcomes: b.outcomes.at, scalings: v.scaling.at,
		})
		return
	}
	args := distanceArgs{
		k: int64(v.m.k), kp: int64(kp), columns: int64(v.shape.columns), pairs: int64(b.n),
		perBlock: int64(v.perBlock(b.n)), maxIter: int64(min(p.MaxIter, math.MaxInt32)),
		tol: p.Tol, unit: v.m.unit, share: v.share,
		rows: b.rows.at, source: b.source.at, target: b.target.at,
		toTarget: v.m.toTarget, toSource: v.m.toSource, weighted: v.m.weighted,
		outcomes: b.outcomes.at, scalings: v.scaling.at,
	}
	if v.shape.resident {
		args.resident = 1
	}
	if v.m.two == 2 {
		args.twoMatrices = 1
	}
	kernel := "distance"
	if p.Border != nil {
		kernel = "distance_border"
		args.mass = p.Border.Mass
		args.fromCost, args.toCost, args.fromWeight, args.toWeight = b.from.at, b.to.at, b.fromWeight, b.toWeight
		args.between, args.betweenWeight = b.between.at, b.betweenWeight
	}
	grid := (b.n + int(args.perBlock) - 1) / int(args.perBlock)
	launchWith(b.queue, kernel, grid, v.shape.threads, v.shape.shared, b.args, args)
}

// perBlock is how many of n pairs a block solves: whole tiles, an equal share for all
// blocks that run at a time.
func (v *solver) perBlock(n int) int {
	const reserved = 1024 // bytes that each block costs besides
	atATime := v.sms * max(1, (v.shared+reserved)/(v.shape.shared+reserved))
	tiles := (n + v.shape.columns - 1) / v.shape.columns
	if v.p.Tol == 0 {
		// All tiles take equally long; the device hands blocks out as others end.
		return v.shape.columns
	}
	return max(1, (tiles+atATime-1)/atATime) * v.shape.columns
}

// tensorBlocks is how many of n pairs a block on tensor cores solves, whole tiles, and the number of blocks: at most
// one a multiprocessor.
func (v *solver) tensorBlocks(n int) (perBlock, blocks int) {
	tiles := (n + v.tensor.problems - 1) / v.tensor.problems
	perBlock = (tiles + v.sms - 1) / v.sms * v.tensor.problems
	return perBlock, (n + perBlock - 1) / perBlock
}

// finish waits for a batch, solves in logarithms what scaling could not, and stores the results.
func (v *solver) finish(b *pairBatch) {
	b.wait()
	n := 0
	for i, o := range b.outcomes.host[:b.n] {
		if !v.fits || o.lost != 0 {
			b.lost.host[n] = int32(i)
			n++
		}
	}
	if n > 0 {
		v.logarithms(b, n)
	}
	for i, o := range b.outcomes.host[:b.n] {
		v.results[i] = ot.Result{
			Cost: o.cost, Iterations: int(o.iterations), MarginalError: o.err,
			Converged: v.p.Tol > 0 && o.err <= v.p.Tol,
		}
	}
	if v.want != nil {
		v.keep(b, n > 0)
	}
}

// logarithms solves the first n of b.lost.
func (v *solver) logarithms(b *pairBatch, n int) {
	p := v.p
	b.lost.upload(b.queue, n)
	args := logDistanceArgs{
		k: int64(v.m.k), kp: int64(v.m.kp), maxIter: int64(min(p.MaxIter, math.MaxInt32)),
		tol: p.Tol, unit: 1 / (p.Reg * math.Ln2), share: v.share,
		rows: b.rows.at, source: b.source.at, target: b.target.at, pairs: b.lost.at,
		cost: v.m.cost, transposed: v.m.transposed, outcomes: b.outcomes.at, potentials: v.potential.at,
	}
	bins := v.m.k
	if p.Border != nil {
		bins++
		args.border, args.mass = 1, p.Border.Mass
		args.fromCost, args.toCost, args.between = b.from.at, b.to.at, b.between.at
	}
	shared := 5*((8*bins+15)/16*16) + 16
	launchWith(b.queue, "distance_log", n, logThreads(bins), shared, b.logArgs, args)
	b.outcomes.download(b.queue, b.n)
	b.wait()
}

// keep fetches the scalings of the only pair.
func (v *solver) keep(b *pairBatch, logarithms bool) {
	k, kp := v.m.k, v.m.kp
	n, point := k, 0
	if v.p.Border != nil {
		n, point = k+1, 1
	}
	w := v.want
	w.logarithms = logarithms
	w.u, w.v = make([]float64, n), make([]float64, n)
	if logarithms {
		v.potential.download(b.queue, 2*n)
		b.wait()
		copy(w.u, v.potential.host[:n])
		copy(w.v, v.potential.host[n:])
		return
	}
	v.scaling.download(b.queue, 2*(kp+tile))
	b.wait()
	for i, x := range [][]float64{w.u, w.v} {
		from := v.scaling.host[i*(kp+tile):]
		if point == 1 {
			x[0] = float64(from[kp])
		}
		for j := range k {
			x[point+j] = float64(from[j])
		}
	}
}
