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
	stream
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
		if slots[i], err = v.newBatch(groups, members); err != nil {
			return err
		}
	}
	v.room = max((3*v.longest+3)*kp, min(logScratch, (3*members+3*groups)*kp))
	scratch, err := newArray[float64](s, v.room)
	if err != nil {
		return err
	}
	v.scratch = scratch.at
	if v.m, err = load(ctx, s, slots[0].stream, p.Cost, p.Reg); err != nil {
		return err
	}
	if err := slots[0].wait(); err != nil {
		return err
	}
	_, shared := e.limits()
	v.shape, v.fits = barycenterLayout(k, v.m.two, shared)
	v.results = make([]ot.Barycenter, groups)
	histograms := make([]float32, groups*k)
	for i := range v.results {
		v.results[i].Histogram = histograms[i*k:][:k:k]
	}

	var running *groupBatch
	for i := 0; i < len(starts); i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		var started *groupBatch
		if i+1 < len(starts) {
			started = slots[i%len(slots)]
			if err := v.start(started, starts[i], starts[i+1]-starts[i]); err != nil {
				return err
			}
		}
		if running != nil {
			if err := v.finish(running); err != nil {
				return err
			}
			if err := yield(running.first, v.results[:running.n]); err != nil {
				return err
			}
		}
		running = started
	}
	return nil
}

// newBatch makes room for the given numbers of groups and members.
func (v *grouper) newBatch(groups, members int) (*groupBatch, error) {
	s, kp := v.session, padded(v.p.Cost.K)
	b := &groupBatch{used: newRenumber(v.p.Rows.Len())}
	var err error
	try := func(f func() error) {
		if err == nil {
			err = f()
		}
	}
	try(func() error { b.stream, err = s.stream(); return err })
	try(func() error {
		b.rows, err = newTable(s, v.p.Rows.Data, v.p.Cost.K, min(members, v.p.Rows.Len()))
		return err
	})
	for _, x := range []struct {
		at *array[int32]
		n  int
	}{{&b.tile, 2 * groups}, {&b.offset, groups + 1}, {&b.member, members}, {&b.lost, groups}} {
		try(func() error { *x.at, err = newStaged[int32](s, x.n); return err })
	}
	try(func() error { b.weight, err = newStaged[float32](s, members); return err })
	for i := range b.work {
		try(func() error {
			a, err := newArray[float32](s, groups*kp)
			b.work[i] = a.at
			return err
		})
	}
	try(func() error { b.histogram, err = newStaged[float32](s, groups*kp); return err })
	try(func() error { b.outcomes, err = newStaged[barycenterOutcome](s, groups); return err })
	try(func() error { b.args, err = newStaged[barycenterArgs](s, 1); return err })
	try(func() error { b.logArgs, err = newStaged[logBarycenterArgs](s, 1); return err })
	try(func() error { b.place, err = newStaged[int64](s, groups); return err })
	return b, err
}

// start sends n groups to the device.
func (v *grouper) start(b *groupBatch, first, n int) error {
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
	if err := b.rows.send(b.stream, b.used.used); err != nil {
		return err
	}
	for _, f := range []func() error{
		func() error { return b.tile.upload(b.stream, 2*max(b.tiles, 1)) },
		func() error { return b.offset.upload(b.stream, n+1) },
		func() error { return b.member.upload(b.stream, b.members) },
		func() error { return b.weight.upload(b.stream, b.members) },
		func() error { return b.outcomes.upload(b.stream, n) },
	} {
		if err := f(); err != nil {
			return err
		}
	}
	if b.tiles == 0 {
		return nil
	}
	if err := v.launch(b); err != nil {
		return err
	}
	return v.download(b)
}

// launch starts the kernel on a batch that was sent.
func (v *grouper) launch(b *groupBatch) error {
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
	return launchWith(b.stream, "barycenter", b.tiles, v.shape.threads, v.shape.shared, b.args, args)
}

func (v *grouper) download(b *groupBatch) error {
	if err := b.outcomes.download(b.stream, b.n); err != nil {
		return err
	}
	return b.histogram.download(b.stream, b.n*v.m.kp)
}

// finish waits for a batch, solves in logarithms what scaling could not, and stores the results.
func (v *grouper) finish(b *groupBatch) error {
	if err := b.wait(); err != nil {
		return err
	}
	var again []int32
	for g, o := range b.outcomes.host[:b.n] {
		if o.state == lost {
			again = append(again, int32(g))
		}
	}
	if len(again) > 0 {
		if err := v.logarithms(b, again); err != nil {
			return err
		}
	}
	for g, o := range b.outcomes.host[:b.n] {
		r := &v.results[g]
		r.Iterations, r.Spread, r.Error, r.Converged = int(o.iterations), o.spread, -1, o.state == converged
		copy(r.Histogram, b.histogram.host[g*v.m.kp:][:v.m.k])
	}
	return nil
}

// logarithms solves the given groups, as many at a time as the scratch memory allows.
func (v *grouper) logarithms(b *groupBatch, groups []int32) error {
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
		if err := b.lost.upload(b.stream, n); err != nil {
			return err
		}
		if err := b.place.upload(b.stream, n); err != nil {
			return err
		}
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
		if err := launchWith(b.stream, "barycenter_log", n, logThreads(v.m.k), shared, b.logArgs, args); err != nil {
			return err
		}
		// The scratch memory and the lists are the next round's.
		if err := b.wait(); err != nil {
			return err
		}
		if err := v.ctx.Err(); err != nil {
			return err
		}
	}
	if err := v.download(b); err != nil {
		return err
	}
	return b.wait()
}
