package cpu

import (
	"context"
	"math"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/internal/overrelax"
	"contextmover/cmdlib/ot/internal/scaling"
	"contextmover/internal/elementary"
)

// distanceWindow is how many results may be waiting for an earlier one.
const distanceWindow = 1 << 15

// Distances implements ot.Engine.
func (e Engine) Distances(ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Result) error) error {
	q, err := e.pairs(ctx, p)
	if err != nil || len(p.Pairs) == 0 {
		return err
	}
	s := newStream(len(p.Pairs), distanceWindow, yield)
	size := blockSize(len(p.Pairs), blockRows)
	return s.run(ctx, func() error {
		return q.solve(size, s.take, func(pair int, found *scaling.Solution) error {
			*s.slot(pair) = found.Result
			return s.finish(pair)
		})
	})
}

// Rectangle implements ot.Engine.
func (e Engine) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (result ot.Result, err error) {
	q, err := e.pairs(ctx, r.Problem(b))
	if err != nil {
		return result, err
	}
	err = q.one(0, func(_ int, found *scaling.Solution) error {
		result = found.Result
		return nil
	})
	return result, err
}

// Plan implements ot.Engine.
func (e Engine) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	if err := p.CheckPair(pair); err != nil {
		return nil, err
	}
	q, err := e.pairs(ctx, p)
	if err != nil {
		return nil, err
	}
	var plan *ot.Plan
	err = q.one(pair, func(_ int, found *scaling.Solution) error {
		plan = q.p.Plan(pair, found.Result, found.Mass, found.Potential)
		return nil
	})
	return plan, err
}

// pairs is what workers share: a problem and its kernel, in float64 once that is needed.
type pairs struct {
	*kernels
	ctx context.Context
	p   *ot.Problem
}

// pairs returns what workers share of p, or the error of p.Validate or of ctx.
func (e Engine) pairs(ctx context.Context, p *ot.Problem) (*pairs, error) {
	kernels, err := e.validated(p)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return &pairs{kernels, ctx, p.Normalised()}, nil
}

// finishPair is handed a solution, which is there until it returns.
type finishPair func(pair int, found *scaling.Solution) error

// solve solves the pairs that take supplies, size at a time.
func (q *pairs) solve(size int, take take, finish finishPair) error {
	return cascade(q.ctx, size, func(int) int { return 1 }, take,
		func(lost func(int) error) block { return newPairBlock(q.narrow(), q.p, size, finish, lost) },
		func() block {
			b := newPairBlock(q.wide(), q.p, size, finish, nil)
			b.lost = func(pair int) error {
				s, err := scaling.Pair(q.ctx, q.p, pair, softmins(b.isa))
				if err != nil {
					return err
				}
				return finish(pair, s)
			}
			return b
		})
}

// one solves one pair.
func (q *pairs) one(pair int, finish finishPair) error {
	taken := false
	return q.solve(1, func(bool, func(int) bool) (int, bool, error) {
		first := !taken
		taken = true
		return pair, first, nil
	}, finish)
}

// pairBlock is a worker's set of problems in progress: row r of every buffer belongs
// to problem r.
type pairBlock[T gemm.Float] struct {
	*gibbs[T]
	p                  *ot.Problem
	size, n            int // capacity and number of rows in use
	ready              int // rows 0 … ready−1 of d hold Kᵀu
	rows               []pairRow[T]
	a, b, u, v, d      []T
	leastU, leastV     []T       // least divisors that u and v met, 16 lanes a row
	fromPoint, toPoint []T       // border: exp(−cost/λ) from the source's point and to the target's
	mass               T         // border: m
	slack              T         // ψ of unbalanced transport, 0 of balanced
	lowering           [1]T      // −ψ
	power, sums        []T       // unbalanced: rows of divisors^−ψ, and of sums that v should have
	unused             []T       // minima that nobody asks for
	masses, logs       []float64 // unbalanced: what UnbalancedValue sums over
	relaxing           bool
	signs              [2]T // 1 and −1
	scratch            lanes[T]
	results            []ot.Result // of the rows that finish in a check, last row first
	finishing          int         // row whose plan is handed out
	found              scaling.Solution
	finish             finishPair
	lost               func(pair int) error // is told what scaling could not solve
}

// pairRow is what a problem has besides its rows. The scalars belong to the border.
type pairRow[T gemm.Float] struct {
	pair, iterations int
	sound            bool // of finished rows: scaling was accurate
	pace             overrelax.Pace
	u0, v0, d0       T // scalings of the points, and (Kᵀu)_0 or, within iterateDamped, (Kv)_0
	nextU, nextV     T // new scalings of the points
	between          T // exp(−cost/λ) between the points
}

func newPairBlock[T gemm.Float](
	g *gibbs[T], p *ot.Problem, size int, finish finishPair, lost func(pair int) error,
) *pairBlock[T] {
	b := &pairBlock[T]{
		gibbs: g, p: p, size: size, rows: make([]pairRow[T], size), finish: finish, lost: lost,
		relaxing: p.Accelerate && p.Tol > 0 && p.Penalty == 0, signs: [2]T{1, -1},
	}
	// Made once: a closure for each pair would be all that pairs allocate.
	b.found.Mass = func(i, j int) float64 { return b.planOf(b.finishing, i, j) }
	b.found.Potential = func(j int) float64 { return b.potentialOf(b.finishing, j) }
	for _, x := range b.buffers() {
		*x = make([]T, size*g.stride)
	}
	b.leastU, b.leastV = make([]T, size*granule), make([]T, size*granule)
	if b.slack = T(p.Slack()); b.slack > 0 {
		b.lowering[0] = -b.slack
		b.power, b.sums, b.unused = make([]T, b.padded), make([]T, b.padded), make([]T, granule)
	}
	if p.Border != nil {
		b.mass = T(p.Border.Mass)
	}
	return b
}

// buffers lists the buffers with one row of length stride for each problem.
func (b *pairBlock[T]) buffers() []*[]T {
	list := []*[]T{&b.a, &b.b, &b.u, &b.v, &b.d}
	if b.p.Border != nil {
		list = append(list, &b.fromPoint, &b.toPoint)
	}
	return list
}

func (b *pairBlock[T]) minima(x []T, r int) []T { return x[r*granule:][:granule:granule] }

func (b *pairBlock[T]) empty() bool { return b.n == 0 }

func (b *pairBlock[T]) fits(rows int) bool { return b.n+rows <= b.size }

func (b *pairBlock[T]) step(ctx context.Context) error {
	for range b.untilCheck() {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.iterate()
	}
	return b.check()
}

func (b *pairBlock[T]) load(pair int) {
	r := b.n
	b.n++
	source, target := int(b.p.Pairs[pair].Source), int(b.p.Pairs[pair].Target)
	b.rows[r] = pairRow[T]{pair: pair}
	share := T(1)
	if border := b.p.Border; border != nil {
		share = T(1 - border.Mass)
		state := &b.rows[r]
		state.between = b.weight(border.Between[pair])
		if b.mass > 0 {
			state.u0 = 1
		}
		from, to := b.row(b.fromPoint, r), b.row(b.toPoint, r)
		convert(from, border.FromPoint[source*b.k:][:b.k])
		convert(to, border.ToPoint[target*b.k:][:b.k])
		b.weigh(from, from)
		b.weigh(to, to)
		clear(from[b.k:])
		clear(to[b.k:])
	}
	// Bins without mass keep scaling 0, so that they are not there at all.
	a, u := b.row(b.a, r), b.row(b.u, r)
	for i, x := range b.p.Rows.Row(source) {
		a[i], u[i] = share*T(x), 0
		if a[i] > 0 {
			u[i] = 1
		}
	}
	t := b.row(b.b, r)
	for j, x := range b.p.Rows.Row(target) {
		t[j] = share * T(x)
	}
	fill(b.minima(b.leastU, r), infinity[T]())
	fill(b.minima(b.leastV, r), infinity[T]())
}

// due tells whether a row must be looked at: for convergence, at the end, and once
// early on, to give up what scaling in float32 cannot solve.
func (b *pairBlock[T]) due(iterations int) bool {
	return iterations == b.p.MaxIter || iterations == 10 || b.p.Tol > 0 && iterations%10 == 0
}

// untilCheck is the number of iterations until some row is due.
func (b *pairBlock[T]) untilCheck() int {
	least := math.MaxInt
	for _, row := range b.rows[:b.n] {
		next := b.p.MaxIter
		if row.iterations < 10 {
			next = min(next, 10)
		}
		if b.p.Tol > 0 {
			next = min(next, row.iterations/10*10+10)
		}
		least = min(least, next-row.iterations)
	}
	return least
}

// iterate does one iteration of all rows: v = b/(Kᵀu), then u = a/(Kv). If they are to
// be relaxed, the new scalings are made in d.
func (b *pairBlock[T]) iterate() {
	if b.slack > 0 {
		b.iterateDamped()
		return
	}
	border, v, u := b.p.Border != nil, b.v, b.u
	if b.relaxing {
		v, u = b.d, b.d
	}
	for r := range b.ready {
		b.divide(b.row(v, r), b.row(b.b, r), b.row(b.d, r), b.minima(b.leastV, r))
		if border {
			row := &b.rows[r]
			row.nextV = b.quotient(row.d0, b.minima(b.leastV, r))
		}
	}
	lo := b.ready
	b.ready = 0
	if border {
		for r := lo; r < b.n; r++ {
			b.rows[r].nextV = b.quotient(b.column(v, r), b.minima(b.leastV, r))
		}
	}
	at := lo * b.stride
	b.toTarget.Quotient(gemm.Operands[T]{
		C: v[at:], A: b.u[at:], Num: b.b[at:], Rows: b.n - lo, Stride: b.stride,
		Least: b.leastV[lo*granule:], Add: border,
	})
	for r := range b.n {
		row := &b.rows[r]
		b.adopt(b.v, &row.v0, row.nextV, r, row.iterations == 0)
	}
	if border {
		for r := range b.n {
			row := &b.rows[r]
			sum := b.point(b.row(u, r), b.row(b.toPoint, r), row.v0, b.row(b.fromPoint, r), b.row(b.v, r), &b.scratch)
			row.nextU = b.quotient(T(row.between*row.v0)+sum, b.minima(b.leastU, r))
		}
	}
	b.toSource.Quotient(gemm.Operands[T]{
		C: u, A: b.v, Num: b.a, Rows: b.n, Stride: b.stride, Least: b.leastU, Add: border,
	})
	for r := range b.n {
		row := &b.rows[r]
		row.iterations++
		// What is looked at must have the row sums a.
		b.adopt(b.u, &row.u0, row.nextU, r, b.due(row.iterations))
	}
}

// iterateDamped is iterate for unbalanced transport: v = b/(Kᵀu)^(1−ψ), then u = a/(Kv)^(1−ψ).
func (b *pairBlock[T]) iterateDamped() {
	b.columns()
	b.ready = 0
	for r := range b.n {
		row := &b.rows[r]
		row.v0 = b.dampedPoint(row.d0, b.minima(b.leastV, r))
		b.damp(b.row(b.v, r), b.row(b.b, r), b.row(b.d, r), b.minima(b.leastV, r))
	}
	b.divisors(0, b.n)
	for r := range b.n {
		row := &b.rows[r]
		row.u0 = b.dampedPoint(row.d0, b.minima(b.leastU, r))
		b.damp(b.row(b.u, r), b.row(b.a, r), b.row(b.d, r), b.minima(b.leastU, r))
		row.iterations++
	}
}

// columns stores Kᵀu of the rows from ready on in d and d0.
func (b *pairBlock[T]) columns() {
	lo := b.ready * b.stride
	if b.p.Border == nil {
		b.toTarget.Multiply(b.d[lo:], b.u[lo:], b.n-b.ready, b.stride)
		return
	}
	for r := b.ready; r < b.n; r++ {
		b.rows[r].d0 = b.column(b.d, r)
	}
	b.toTarget.MultiplyAdd(b.d[lo:], b.u[lo:], b.n-b.ready, b.stride)
}

// divisors stores Kv of rows lo … hi−1 in d and d0.
func (b *pairBlock[T]) divisors(lo, hi int) {
	d, v := b.d[lo*b.stride:], b.v[lo*b.stride:]
	if b.p.Border == nil {
		b.toSource.Multiply(d, v, hi-lo, b.stride)
		return
	}
	for r := lo; r < hi; r++ {
		row := &b.rows[r]
		row.d0 = T(row.between*row.v0) +
			b.point(b.row(b.d, r), b.row(b.toPoint, r), row.v0, b.row(b.fromPoint, r), b.row(b.v, r), &b.scratch)
	}
	b.toSource.MultiplyAdd(d, v, hi-lo, b.stride)
}

// damp stores num·den^ψ/den in dst. That the power is by itself keeps what
// it rounds as small as ψ, the smaller of which the more iterations add up.
func (b *pairBlock[T]) damp(dst, num, den, least []T) {
	b.divide(dst, num, den, least)
	b.raise(dst, dst, den)
}

// raise stores num·den^ψ in dst.
func (b *pairBlock[T]) raise(dst, num, den []T) {
	clear(b.power)
	b.addLog2(b.power, den, b.stride, b.lowering[:], b.unused)
	b.exp2(b.power, b.power)
	b.divideRows(dst, num, b.power, b.stride, 1)
}

// dampedPoint is m·divisor^ψ/divisor.
func (b *pairBlock[T]) dampedPoint(divisor T, minima []T) T {
	if b.mass == 0 {
		return 0
	}
	return b.quotient(divisor, minima) * b.raised(divisor)
}

// raised is d^ψ.
func (b *pairBlock[T]) raised(d T) T {
	return T(elementary.Pow(float64(max(d, gemm.Tiny[T]())), float64(b.slack)))
}

// adopt makes the new scalings of row r, those of the bins in d if they are to be
// relaxed (see package overrelax), its scalings x and point. A whole step is not relaxed.
func (b *pairBlock[T]) adopt(x []T, point *T, next T, r int, whole bool) {
	switch {
	case !b.relaxing:
		*point = next
	case whole:
		*point = next
		copy(b.row(x, r), b.row(b.d, r))
	default:
		more := T(b.rows[r].pace.Omega() - 1)
		*point = relaxed(*point, next, more)
		b.relax(b.row(x, r), b.row(b.d, r), more)
	}
}

// column returns (Kᵀu)_0 of row r, what arrives at the target's point, and stores
// in dst what the source's point sends to the shared bins.
func (b *pairBlock[T]) column(dst []T, r int) T {
	row := &b.rows[r]
	sum := b.point(b.row(dst, r), b.row(b.fromPoint, r), row.u0, b.row(b.toPoint, r), b.row(b.u, r), &b.scratch)
	return T(row.between*row.u0) + sum
}

// quotient is m/divisor; it keeps the divisor in the minima.
func (b *pairBlock[T]) quotient(divisor T, minima []T) T {
	if b.mass == 0 {
		return 0
	}
	minima[0] = min(minima[0], divisor)
	return b.mass / max(divisor, gemm.Tiny[T]())
}

// check looks at the rows whose time has come, hands in the finished ones and closes
// the gaps. Afterwards d holds Kᵀu of all rows left.
func (b *pairBlock[T]) check() error {
	b.ready = 0
	b.columns()

	// Finished rows are swapped behind the others.
	b.results = b.results[:0]
	left := b.n
	for r := 0; r < left; {
		row := &b.rows[r]
		if !b.due(row.iterations) {
			r++
			continue
		}
		last := row.iterations == b.p.MaxIter
		sound := trusted(least(b.minima(b.leastU, r)), least(b.minima(b.leastV, r)))
		result := ot.Result{Iterations: row.iterations}
		if b.p.Penalty > 0 {
			result.Moved = b.movedBy(r)
		}
		result.MarginalError = b.p.MarginalError(b.residualOf(r), result.Moved)
		result.Converged = b.p.Tol > 0 && result.MarginalError <= b.p.Tol
		row.pace.Look(row.iterations, result.MarginalError)
		if sound && !last && !result.Converged {
			r++
			continue
		}
		b.rows[r].sound = sound
		if b.p.Values && b.slack > 0 {
			masses, logs := b.logarithms(b.b, r)
			result.Value = b.p.UnbalancedValue(nil, nil, masses, logs)
		}
		b.results = append(b.results, result)
		left--
		b.swap(r, left)
	}
	finished := b.n - left
	b.n, b.ready = left, left
	if finished == 0 {
		return nil
	}
	if b.p.Values && b.slack > 0 {
		b.divisors(left, left+finished)
		for i := range b.results {
			masses, logs := b.logarithms(b.a, left+finished-1-i)
			b.results[i].Value += b.p.UnbalancedValue(masses, logs, nil, nil)
		}
	}
	lo := left * b.stride
	b.cost.Multiply(b.d[lo:], b.v[lo:], finished, b.stride)
	for i, result := range b.results {
		r := left + finished - 1 - i
		pair := b.rows[r].pair
		var err error
		if !b.rows[r].sound {
			err = b.lost(pair)
		} else {
			result.Cost, b.finishing = b.costOf(r), r
			if b.p.Values && b.slack == 0 {
				result.Value = b.valueOf(r)
			}
			b.found.Result = result
			err = b.finish(pair, &b.found)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// residualOf is the L1 error of row r's column sums v·d.
func (b *pairBlock[T]) residualOf(r int) float64 {
	b.scratch = lanes[T]{}
	row, sums, mass := &b.rows[r], b.row(b.b, r), b.mass
	if b.slack > 0 {
		b.raise(b.sums, sums, b.row(b.d, r))
		sums, mass = b.sums, mass*b.raised(row.d0)
	}
	residual(b.row(b.v, r), b.row(b.d, r), sums, &b.scratch)
	sum := b.scratch.sum()
	if b.p.Border != nil {
		sum += math.Abs(float64(float64(row.v0)*float64(row.d0)) - float64(mass))
	}
	return sum
}

// movedBy is the sum of row r's plan, by its column sums v·d.
func (b *pairBlock[T]) movedBy(r int) float64 {
	b.scratch = lanes[T]{}
	b.dot(b.row(b.v, r), b.row(b.d, r), &b.scratch)
	return b.scratch.sum() + float64(float64(b.rows[r].v0)*float64(b.rows[r].d0))
}

// logarithms returns the masses > 0 of row r on a side, and the logarithms of their divisors d.
func (b *pairBlock[T]) logarithms(side []T, r int) (masses, logs []float64) {
	masses, logs = b.masses[:0], b.logs[:0]
	add := func(mass, d T) {
		if mass > 0 {
			masses, logs = append(masses, float64(mass)), append(logs, elementary.Log(float64(max(d, gemm.Tiny[T]()))))
		}
	}
	d := b.row(b.d, r)
	for i, mass := range b.row(side, r)[:b.k] {
		add(mass, d[i])
	}
	add(b.mass, b.rows[r].d0)
	b.masses, b.logs = masses, logs
	return masses, logs
}

// costOf is ⟨T, M⟩ of row r, whose d holds (K∘M)v/unit.
func (b *pairBlock[T]) costOf(r int) float64 {
	u, v, d := b.row(b.u, r)[:b.k], b.row(b.v, r)[:b.k], b.row(b.d, r)[:b.k]
	var sum float64
	for i, x := range u {
		sum += float64(float64(x) * float64(d[i]))
	}
	sum = float64(sum * b.unit)
	border := b.p.Border
	if border == nil {
		return sum
	}
	row := &b.rows[r]
	pair := b.p.Pairs[row.pair]
	sum += float64(float64(row.u0) * float64(row.v0) * float64(row.between) * float64(border.Between[row.pair]))
	from, to := b.row(b.fromPoint, r), b.row(b.toPoint, r)
	var out, in float64
	for j, c := range border.FromPoint[int(pair.Source)*b.k:][:b.k] {
		out += float64(float64(from[j]) * float64(c) * float64(v[j]))
	}
	for i, c := range border.ToPoint[int(pair.Target)*b.k:][:b.k] {
		in += float64(float64(to[i]) * float64(c) * float64(u[i]))
	}
	return sum + float64(float64(row.u0)*out) + float64(float64(row.v0)*in)
}

// planOf is entry (i, j) of row r's plan.
func (b *pairBlock[T]) planOf(r, i, j int) float64 {
	u, v := b.row(b.u, r), b.row(b.v, r)
	if b.p.Border == nil {
		return float64(u[i]) * float64(b.weight(b.p.Cost.Data[i*b.k+j])) * float64(v[j])
	}
	row := &b.rows[r]
	switch {
	case i == 0 && j == 0:
		return float64(row.u0) * float64(row.between) * float64(row.v0)
	case i == 0:
		return float64(row.u0) * float64(b.row(b.fromPoint, r)[j-1]) * float64(v[j-1])
	case j == 0:
		return float64(u[i-1]) * float64(b.row(b.toPoint, r)[i-1]) * float64(row.v0)
	}
	return float64(u[i-1]) * float64(b.weight(b.p.Cost.Data[(i-1)*b.k+j-1])) * float64(v[j-1])
}

// potentialOf is g_j of row r, −∞ where there is no mass or next to none.
func (b *pairBlock[T]) potentialOf(r, j int) float64 {
	v, mass := b.rows[r].v0, b.mass
	if b.p.Border != nil {
		j--
	}
	if j >= 0 {
		v, mass = b.row(b.v, r)[j], b.row(b.b, r)[j]
	}
	if min(v, mass) < gemm.Tiny[T]() {
		return math.Inf(-1)
	}
	return b.reg * elementary.Log(float64(v)/float64(mass))
}

// valueOf is the dual value of row r: λ Σ a_i ln(u_i/a_i) + λ Σ b_j ln(v_j/b_j). It uses d. What
// is not a normal number, scalings because their mass hardly is, counts for next to nothing.
func (b *pairBlock[T]) valueOf(r int) float64 {
	log, least := b.row(b.d, r), b.minima(b.leastU, r) // the row is done with both
	b.scratch = lanes[T]{}
	for _, side := range [2][2][]T{{b.u, b.a}, {b.v, b.b}} {
		mass := b.row(side[1], r)
		clear(log)
		b.addLog2(log, b.row(side[0], r), b.stride, b.signs[:1], least)
		b.addLog2(log, mass, b.stride, b.signs[1:], least)
		b.dot(mass, log, &b.scratch)
	}
	bits := b.scratch.sum()
	if row := &b.rows[r]; min(row.u0, row.v0, b.mass) >= gemm.Tiny[T]() {
		bits += float64(
			float64(b.mass) * elementary.Log2(float64(row.u0)/float64(b.mass)*(float64(row.v0)/float64(b.mass))),
		)
	}
	return b.reg * math.Ln2 * bits
}

// swap exchanges two rows in everything.
func (b *pairBlock[T]) swap(r, s int) {
	if r == s {
		return
	}
	b.rows[r], b.rows[s] = b.rows[s], b.rows[r]
	exchange := func(x, y []T) {
		for i := range x {
			x[i], y[i] = y[i], x[i]
		}
	}
	for _, x := range b.buffers() {
		exchange(b.row(*x, r), b.row(*x, s))
	}
	exchange(b.minima(b.leastU, r), b.minima(b.leastU, s))
	exchange(b.minima(b.leastV, r), b.minima(b.leastV, s))
}
