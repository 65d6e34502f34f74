//go:build cuda || cudaemulation

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// logScratch is how many float64 numbers the kernel in logarithms may have at a time,
// unless one group needs more: 256 MB.
const logScratch = 1 << 25

// Barycenters implements ot.Engine.
func (e Engine) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(first int, results []ot.Barycenter) error,
) error {
	if err := p.Validate(); err != nil {
		return err
	}
	if p.UntilConverged {
		return fmt.Errorf("cuda: barycenters until they have converged: %w; the engine cpu has them",
			errors.ErrUnsupported)
	}
	groups := len(p.Offsets) - 1
	if err := ctx.Err(); err != nil || groups == 0 {
		return err
	}
	return smaller(batchSize(len(p.Members), p.Cost.K, p.Settings), func(size int) error {
		return e.barycenters(ctx, p, size, yield)
	})
}

// groupBatch is a batch of groups on its way.
type groupBatch struct {
	queue
	first, n, tiles, members   int
	rows                       table
	tile, offset, member, lost array[int32]
	weight                     array[float32]
	work                       [4]pointer // carry, log, previous, deviation
	histogram                  array[float32]
	outcomes                   array[barycenterOutcome]
	args                       array[barycenterArgs]
	logArgs                    array[logBarycenterArgs]
	place                      array[int64]
	used                       *renumber
}

// grouper is one call of barycenters.
type grouper struct {
	*session
	ctx     context.Context
	p       *ot.BarycenterProblem
	m       *matrices
	shape   layout
	fits    bool
	longest int     // members of a group
	scratch pointer // of the kernel in logarithms
	room    int     // numbers in it
	results []ot.Barycenter
}

// batches cuts the groups into batches with at most size members, or one group, and
// returns where they begin, the end last.
func batches(offsets []int, size int) (starts []int, members int) {
	starts = []int{0}
	for g := 1; g < len(offsets); g++ {
		if first := starts[len(starts)-1]; offsets[g]-offsets[first] > size && g-1 > first {
			starts = append(starts, g-1)
		}
		members = max(members, offsets[g]-offsets[starts[len(starts)-1]])
	}
	return append(starts, len(offsets)-1), members
}

func (e Engine) barycenters(
	ctx context.Context, p *ot.BarycenterProblem, size int, yield func(int, []ot.Barycenter) error,
) error {
	if err := e.tooLarge(p.Cost.K); err != nil {
		return err
	}
	s, err := e.open()
	if err != nil {
		return err
	}
	defer s.close()
	v := &grouper{session: s, ctx: ctx, p: p}
	starts, members := batches(p.Offsets, size)
	groups := 0
	for i := range len(starts) - 1 {
		groups = max(groups, starts[i+1]-starts[i])
	}
	for g := range len(p.Offsets) - 1 {
		v.longest = max(v.longest, p.Offsets[g+1]-p.Offsets[g])
	}
	k, kp := p.Cost.K, padded(p.Cost.K)
	slots := make([]*groupBatch, min(2, len(starts)-1))
	for i := range slots {
		slots[i] = v.newBatch(groups, members)
	}
	v.room = max((3*v.longest+3)*kp, min(logScratch, (3*members+3*groups)*kp))
	v.scratch = newArray[float64](s, v.room).at
	v.m = load(ctx, s, slots[0].queue, p.Cost, p.Reg)
	slots[0].wait()
	_, shared := e.limits()
	v.shape, v.fits = barycenterLayout(k, v.m.two, shared)
	v.results = make([]ot.Barycenter, groups)
	histograms := make([]float32, groups*k)
	for i := range v.results {
		v.results[i].Histogram = histograms[i*k:][:k:k]
	}

	var running *groupBatch
	for i := 0; i < len(starts); i++ {
		if v.try(ctx.Err); v.err != nil {
			return v.err
		}
		var started *groupBatch
		if i+1 < len(starts) {
			started = slots[i%len(slots)]
			v.start(started, starts[i], starts[i+1]-starts[i])
		}
		if running != nil {
			v.finish(running)
			v.try(func() error { return yield(running.first, v.results[:running.n]) })
		}
		running = started
	}
	return v.err
}

// newBatch makes room for the given numbers of groups and members.
func (v *grouper) newBatch(groups, members int) *groupBatch {
	s, kp := v.session, padded(v.p.Cost.K)
	b := &groupBatch{
		queue: s.queue(), used: newRenumber(v.p.Rows.Len()),
		rows: newTable(s, v.p.Rows.Data, v.p.Cost.K, min(members, v.p.Rows.Len())),
		tile: newStaged[int32](s, 2*groups), offset: newStaged[int32](s, groups+1),
		member: newStaged[int32](s, members), lost: newStaged[int32](s, groups), weight: newStaged[float32](s, members),
		histogram: newStaged[float32](s, groups*kp), outcomes: newStaged[barycenterOutcome](s, groups),
		args: newStaged[barycenterArgs](s, 1), logArgs: newStaged[logBarycenterArgs](s, 1),
		place: newStaged[int64](s, groups),
	}
	for i := range b.work {
		b.work[i] = newArray[float32](s, groups*kp).at
	}
	return b
}

// start sends n groups to the device.
func (v *grouper) start(b *groupBatch, first, n int) {
	p := v.p
	lo, hi := p.Offsets[first], p.Offsets[first+n]
	b.first, b.n, b.members, b.tiles = first, n, hi-lo, 0
	b.used.reset()
	for i, row := range p.Members[lo:hi] {
		b.member.host[i] = b.used.add(row)
	}
	copy(b.weight.host, p.Weights[lo:hi])
	for g := range n + 1 {
		b.offset.host[g] = int32(p.Offsets[first+g] - lo)
	}
	// Tiles of consecutive groups; a group that does not fit into one is solved in
	// logarithms.
	for g := range n {
		b.outcomes.host[g] = barycenterOutcome{state: lost}
		size := int(b.offset.host[g+1] - b.offset.host[g])
		if !v.fits || size > v.shape.columns {
			continue
		}
		if t := b.tile.host[:2*b.tiles]; b.tiles > 0 && int(t[2*b.tiles-1]) == g &&
			int(b.offset.host[g+1]-b.offset.host[t[2*b.tiles-2]]) <= v.shape.columns {
			t[2*b.tiles-1]++
			continue
		}
		b.tile.host[2*b.tiles], b.tile.host[2*b.tiles+1] = int32(g), int32(g+1)
		b.tiles++
	}
	b.rows.send(b.queue, b.used.used)
	b.tile.upload(b.queue, 2*max(b.tiles, 1))
	b.offset.upload(b.queue, n+1)
	b.member.upload(b.queue, b.members)
	b.weight.upload(b.queue, b.members)
	b.outcomes.upload(b.queue, n)
	if b.tiles > 0 {
		v.launch(b)
		v.download(b)
	}
}

// launch starts the kernel on a batch that was sent.
func (v *grouper) launch(b *groupBatch) {
	p := v.p
	args := barycenterArgs{
		k: int64(v.m.k), kp: int64(v.m.kp), columns: int64(v.shape.columns),
		maxIter: int64(min(p.MaxIter, math.MaxInt32)), tol: p.Tol,
		rows: b.rows.at, tile: b.tile.at, offset: b.offset.at, member: b.member.at, weight: b.weight.at,
		toTarget: v.m.toTarget, toSource: v.m.toSource,
		carry: b.work[0], log: b.work[1], previous: b.work[2], deviation: b.work[3], histogram: b.histogram.at,
		outcomes: b.outcomes.at,
	}
	if p.Debiased {
		args.debiased = 1
	}
	if p.UnweightedStart {
		args.unweightedStart = 1
	}
	if v.shape.resident {
		args.resident = 1
	}
	if v.m.two == 2 {
		args.twoMatrices = 1
	}
	launchWith(b.queue, "barycenter", b.tiles, v.shape.threads, v.shape.shared, b.args, args)
}

func (v *grouper) download(b *groupBatch) {
	b.outcomes.download(b.queue, b.n)
	b.histogram.download(b.queue, b.n*v.m.kp)
}

// finish waits for a batch, solves in logarithms what scaling could not, and stores the results.
func (v *grouper) finish(b *groupBatch) {
	b.wait()
	var again []int32
	for g, o := range b.outcomes.host[:b.n] {
		if o.state == lost {
			again = append(again, int32(g))
		}
	}
	if len(again) > 0 {
		v.logarithms(b, again)
	}
	for g, o := range b.outcomes.host[:b.n] {
		r := &v.results[g]
		r.Iterations, r.Spread, r.Error, r.Converged = int(o.iterations), o.spread, -1, o.state == converged
		copy(r.Histogram, b.histogram.host[g*v.m.kp:][:v.m.k])
	}
}

// logarithms solves the given groups, as many at a time as the scratch memory allows.
func (v *grouper) logarithms(b *groupBatch, groups []int32) {
	p, kp := v.p, v.m.kp
	const shared = 64
	for len(groups) > 0 {
		n, room := 0, 0
		for n < len(groups) {
			g := groups[n]
			need := (3*int(b.offset.host[g+1]-b.offset.host[g]) + 3) * kp
			if room+need > v.room {
				break
			}
			b.lost.host[n], b.place.host[n] = g, int64(room)
			room += need
			n++
		}
		groups = groups[n:]
		b.lost.upload(b.queue, n)
		b.place.upload(b.queue, n)
		args := logBarycenterArgs{
			k: int64(v.m.k), kp: int64(kp), maxIter: int64(min(p.MaxIter, math.MaxInt32)),
			tol: p.Tol, unit: 1 / (p.Reg * math.Ln2),
			rows: b.rows.at, offset: b.offset.at, member: b.member.at, weight: b.weight.at,
			groups: b.lost.at, place: b.place.at,
			cost: v.m.cost, transposed: v.m.transposed, scratch: v.scratch,
			histogram: b.histogram.at, outcomes: b.outcomes.at,
		}
		if p.Debiased {
			args.debiased = 1
		}
		if p.UnweightedStart {
			args.unweightedStart = 1
		}
		launchWith(b.queue, "barycenter_log", n, logThreads(v.m.k), shared, b.logArgs, args)
		// The scratch memory and the lists are the next round's.
		b.wait()
		v.try(v.ctx.Err)
	}
	v.download(b)
	b.wait()
}
