// Package exact solves the transport problem without regularisation, by the network
// simplex method, and proves the result with dual potentials. It is meant for single
// problems of up to several hundred bins: an oracle for small λ, and a way to tell
// what a regularised distance owes to λ.
package exact

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"contextmover/cmdlib/ot"
)

// Result is an optimal plan with its certificate.
type Result struct {
	// Cost is Σ Plan_ij cost_ij.
	Cost float64
	// Plan is n×m in row-major order; at most n+m−1 entries are positive.
	Plan []float64
	// U (n) and V (m) solve the dual problem: U_i + V_j ≤ cost_ij, with equality where
	// Plan_ij > 0, both up to rounding. So Σ a_i U_i + Σ b_j V_j equals Cost, also up to rounding.
	U, V []float64
	// Pivots is the number of steps the simplex method took.
	Pivots int
}

// Solve minimises Σ T_ij cost_ij over all plans T ≥ 0 with row sums a and column sums
// b. cost is len(a)×len(b) in row-major order and may have any sign. The sums of a and b
// must agree within ot.MassTolerance, relative; b is scaled to the sum of a.
//
// Masses are rounded to 2⁻⁶⁰ of the total, so that flows are integers: ties are
// exact, and the strongly feasible trees of Cunningham [1976] exclude cycling. The largest
// bin takes what rounding leaves, at most (n+m)·2⁻⁵³ of the total: where it can only go over an
// arc of a large cost, it pays that. The time is about proportional to (n+m)³ in the worst
// cases met in practice.
//
// Costs may be far apart, such as those of forbidden arcs and of others. The dual problem proves for the plan T and
// every other plan S that, with δ = (n+m+1)·2⁻⁵⁰,
//
//	Σ T_ij cost_ij ≤ Σ S_ij cost_ij + δ (Σ T_ij |cost_ij| + Σ S_ij |cost_ij|) + δ·2⁻⁵⁰ p Σ a_i    (1)
//
// where p is the largest absolute potential. If no cost is negative, Cost is optimal to the relative
// error 2δ/(1−δ), but for the last term.
//
// Solve returns an error that names the offending bin for a mass that is negative or not finite, and for a cost that
// is not finite. It also returns one if sizes or sums do not fit, or if it cannot prove (1). When ctx ends its error
// is returned.
func Solve(ctx context.Context, a, b, cost []float64) (*Result, error) {
	t, err := optimum(ctx, a, b, cost)
	if err != nil {
		return nil, err
	}
	r := &Result{Plan: make([]float64, len(cost)), Pivots: t.pivots}
	for arc, mass := range t.plan {
		r.Plan[arc] = mass
		r.Cost += float64(mass * cost[arc])
	}
	r.U, r.V = t.duals(len(a), len(b), cost)
	return r, nil
}

// optimum returns the optimal tree of a problem, or the errors of Solve.
func optimum(ctx context.Context, a, b, cost []float64) (*tree, error) {
	if len(cost) != len(a)*len(b) {
		return nil, fmt.Errorf("exact: %d costs for %d×%d bins", len(cost), len(a), len(b))
	}
	totalA, err := total("source", a)
	if err != nil {
		return nil, err
	}
	totalB, err := total("target", b)
	if err != nil {
		return nil, err
	}
	if math.Abs(totalA-totalB) > ot.MassTolerance*totalA {
		return nil, fmt.Errorf("exact: the source sums to %v, the target to %v", totalA, totalB)
	}
	var largest float64
	for i, c := range cost {
		// Comparisons are faster than max, which looks for NaN.
		if c = math.Abs(c); c > largest {
			largest = c
		}
		if !(c <= math.MaxFloat64) {
			return nil, fmt.Errorf("exact: the cost from bin %d to bin %d is %v", i/len(b), i%len(b), cost[i])
		}
	}
	if largest > math.MaxFloat64/1e9 {
		return nil, fmt.Errorf("exact: a cost of %v is too large", largest)
	}
	t := newTree(integers(a, totalA), integers(b, totalB), cost, largest)
	t.total = totalA
	return t, t.solve(ctx)
}

func total(side string, x []float64) (float64, error) {
	var sum float64
	for i, y := range x {
		if !(y >= 0) || math.IsInf(y, 1) {
			return 0, fmt.Errorf("exact: the mass of %s bin %d is %v, want a finite number ≥ 0", side, i, y)
		}
		sum += y
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return 0, fmt.Errorf("exact: the %s sums to %v, want a positive number", side, sum)
	}
	return sum, nil
}

// massBits is the resolution of masses: the total is 2^massBits.
const massBits = 60

// integers rounds x/total to multiples of 2^-massBits; the largest entry takes the
// rounding errors of all.
func integers(x []float64, total float64) []int64 {
	y := make([]int64, len(x))
	rest, largest := int64(1)<<massBits, 0
	for i, z := range x {
		y[i] = int64(z / total * (1 << massBits))
		rest -= y[i]
		if y[i] > y[largest] {
			largest = i
		}
	}
	y[largest] += rest
	return y
}

// share is the part of the total that a mass or flow is.
func share(x int64) float64 { return float64(x) * (1.0 / (1 << massBits)) }

// tree is a spanning tree of the bins with mass and a root, the basis of the simplex
// method. Sources are the nodes 0 … n−1, targets n … n+m−1. Every node but the root
// is tied to its parent by an arc of the problem or, if the parent is the root, by an
// artificial arc. Those lead to the root, from which nothing leads away: they stay without flow
// whatever they cost, and cost nothing.
type tree struct {
	sources, targets []int     // bins of the nodes
	bins             int       // targets, those without mass too
	cost             []float64 // between nodes
	total            float64   // mass
	n, root          int
	longest          float64 // no path costs more
	delta            float64 // δ of (1)

	nodes     []node
	mass      []int64   // of the bins
	potential []float64 // c_ij + potential_i − potential_j = 0 on the tree
	low       []float64 // what rounding took from potential; nil until refine
	pivots    int
}

// node is where a bin, or the root, stands in the tree.
type node struct {
	parent, depth int32
	next, before  int32   // in depth-first order, which starts and ends at the root
	flow          int64   // on the arc to the parent
	step          float64 // potential less the parent's: the arc's cost at a target, minus it at a source
}

func newTree(a, b []int64, cost []float64, largest float64) *tree {
	t := &tree{sources: make([]int, 0, len(a)), targets: make([]int, 0, len(b))}
	mass := make([]int64, 0, len(a)+len(b))
	for i, x := range a {
		if x > 0 {
			t.sources, mass = append(t.sources, i), append(mass, x)
		}
	}
	for j, x := range b {
		if x > 0 {
			t.targets, mass = append(t.targets, j), append(mass, x)
		}
	}
	t.n, t.root, t.bins = len(t.sources), len(mass), len(b)
	m := len(t.targets)
	if t.cost = cost; t.n*m < len(cost) {
		t.cost = make([]float64, t.n*m)
		for k, i := range t.sources {
			from, to := cost[i*len(b):][:len(b)], t.cost[k*m:][:m]
			for l, j := range t.targets {
				to[l] = from[j]
			}
		}
	}
	nodes := t.root + 1
	t.longest = (largest + math.SmallestNonzeroFloat64) * float64(nodes)
	t.delta = 0x1p-50 * float64(nodes)
	t.nodes, t.mass, t.potential = make([]node, nodes), mass, make([]float64, nodes)
	t.start()
	return t
}

// start plants the trees of a plan that is nearly optimal, one or several, on the root. Mass goes from the source
// to the target whose cost is least, less the mean costs of both, until one is empty or the other is full. With the
// largest costs instead of the means this is the rule of Russell [1969], which leaves half as many pivots more.
//
// The one that is done hangs from the other, which is done later: so the last ones are the tops.
func (t *tree) start() {
	m := len(t.targets)
	from, to := t.means()
	// Costs less means are below zero here.
	least, nearest := make([]float64, t.n), make([]int32, t.n)
	look := func(i int32) {
		costs := t.cost[int(i)*m:][:m]
		least[i] = lowest(costs, to, -from[i], math.Copysign(0, -1))
		nearest[i] = int32(find(costs, to, -from[i], least[i]))
	}
	heap := make([]int32, t.n)
	for i := range heap {
		heap[i] = int32(i)
		look(int32(i))
	}
	for i := len(heap) / 2; i >= 0; i-- {
		sift(heap, i, least)
	}
	left, done := slices.Clone(t.mass), make([]int32, 0, t.root)
	for len(heap) > 0 {
		source := heap[0]
		target := int32(t.n) + nearest[source]
		if left[target] == 0 {
			look(source) // the nearest one that is not full is farther
			sift(heap, 0, least)
			continue
		}
		flow, cost := min(left[source], left[target]), t.cost[int(source)*m+int(nearest[source])]
		left[source] -= flow
		left[target] -= flow
		if left[target] == 0 {
			t.nodes[target] = node{parent: source, flow: flow, step: cost}
			done = append(done, target)
			to[nearest[source]] = math.Inf(-1)
		}
		if left[source] == 0 {
			if left[target] > 0 {
				t.nodes[source] = node{parent: target, flow: flow, step: -cost}
			} else {
				t.nodes[source] = node{parent: int32(t.root)}
			}
			done = append(done, source)
			last := len(heap) - 1
			heap[0], heap = heap[last], heap[:last]
			sift(heap, 0, least)
		}
	}
	t.nodes[t.root] = node{parent: -1, next: int32(t.root), before: int32(t.root)}
	for _, i := range slices.Backward(done) {
		x := &t.nodes[i]
		x.depth = t.nodes[x.parent].depth + 1
		t.potential[i] = t.potential[x.parent] + x.step
		t.link(i, t.nodes[x.parent].next)
		t.link(x.parent, i)
	}
}

// means returns the mean cost from each source, plus a constant that is more than any cost less means, and the mean
// cost to each target, both weighted by the masses of the others.
func (t *tree) means() (from, to []float64) {
	m := len(t.targets)
	from, to = make([]float64, t.n), make([]float64, m)
	b := make([]float64, m)
	for j := range b {
		b[j] = share(t.mass[t.n+j])
	}
	for i := range from {
		a, sum := share(t.mass[i]), t.longest
		to := to[:m]
		for j, c := range t.cost[i*m:][:m] {
			sum += float64(c * b[j])
			to[j] += float64(c * a)
		}
		from[i] = sum
	}
	return from, to
}

// sift moves entry i of a heap, whose first is the one of the least cost, down to its place.
func sift(heap []int32, i int, cost []float64) {
	for k := 2*i + 1; k < len(heap); i, k = k, 2*k+1 {
		if k+1 < len(heap) && cost[heap[k+1]] < cost[heap[k]] {
			k++
		}
		if cost[heap[i]] <= cost[heap[k]] {
			return
		}
		heap[i], heap[k] = heap[k], heap[i]
	}
}

// source tells whether a node is a source; its arcs lead away from it.
func (t *tree) source(node int32) bool { return int(node) < t.n }

// top tells whether the arc from a node to its parent is artificial.
func (t *tree) top(node int32) bool { return int(t.nodes[node].parent) == t.root }

// ends returns the bins of the arc between a node and its parent.
func (t *tree) ends(node int32) (i, j int) {
	p := t.nodes[node].parent
	if !t.source(node) {
		node, p = p, node
	}
	return t.sources[node], t.targets[int(p)-t.n]
}

// settleLow adds to a node's new potential what its parent's had lost, and keeps what rounding
// takes from the sum [Knuth 1998, section 4.2.2, theorem B].
func (t *tree) settleLow(node int32) {
	p, step := t.nodes[node].parent, t.nodes[node].step
	from, sum := t.potential[p], t.potential[node]
	added := sum - from
	lost := (from - (sum - added)) + (step - added) + t.low[p]
	high := sum + lost
	t.potential[node], t.low[node] = high, lost-(high-sum)
}

// link makes y the node after x in depth-first order.
func (t *tree) link(x, y int32) { t.nodes[x].next, t.nodes[y].before = y, x }

// hang takes the part of the tree below an arc that leaves, and hangs it from a node outside, turned round so that
// its node inside is on top, over an arc of the given flow and step. The depth-first order of the part
// is that below inside, then what else is below inside's parent, and so on.
func (t *tree) hang(leaving, inside, outside int32, flow int64, step float64) {
	nodes, potential := t.nodes, t.potential
	before := nodes[leaving].before
	done, end := int32(-1), int32(-1) // the top of what is done, and the node after that in the old order
	for top, parent := inside, outside; ; {
		x := &nodes[top]
		above, oldFlow, oldStep, depth := x.parent, x.flow, x.step, x.depth
		x.parent, x.flow, x.step = parent, flow, step
		deeper := nodes[parent].depth + 1 - depth
		last := top
		for {
			x := &nodes[last]
			x.depth += deeper
			potential[last] = potential[x.parent] + x.step
			if t.low != nil {
				t.settleLow(last)
			}
			next := x.next
			if next == done {
				next = end
				t.link(last, next)
			}
			if nodes[next].depth <= depth {
				end = next
				break
			}
			last = next
		}
		if top == leaving {
			t.link(before, end)
			t.link(last, nodes[outside].next)
			t.link(outside, inside)
			return
		}
		t.link(last, above)
		done, parent, top, flow, step = top, top, above, oldFlow, -oldStep
	}
}

// solve pivots until the tree is optimal.
//
// Where costs are far apart, float64 keeps little of the small ones in sums with the others. So the tree
// that is found first is only a start, mostly a perfect one. Refined potentials tell.
func (t *tree) solve(ctx context.Context) error {
	if err := t.improve(ctx); err != nil {
		return err
	}
	t.refine()
	if t.gap() <= t.tolerance() {
		return nil
	}
	if err := t.improve(ctx); err != nil {
		return err
	}
	if gap, want := t.gap(), t.tolerance(); gap > want {
		return fmt.Errorf("exact: the cost is only proved to be optimal within %.3g per unit of mass, want %.3g: "+
			"the costs span too many orders of magnitude", gap, want)
	}
	return nil
}

// tolerance is how far below zero a reduced cost must be for its arc to enter. Refined potentials
// meet (1) with its first and last error; the second is in fine. They are sums of at most root
// costs, each with a relative error of 2⁻¹⁰⁵ at most, which is less than the last.
func (t *tree) tolerance() float64 {
	if t.low == nil {
		return t.longest * 0x1p-50
	}
	var used, largest float64
	for node := range t.root {
		used += float64(math.Abs(t.nodes[node].step) * share(t.nodes[node].flow))
		largest = max(largest, math.Abs(t.potential[node]))
	}
	return t.delta * (used + float64(0x1p-50*largest))
}

// improve pivots while an arc has a reduced cost below zero. Arcs are looked at in
// blocks of about four square roots of their number, and the best of a block enters:
// larger blocks cost more to look at than the pivots that they save.
func (t *tree) improve(ctx context.Context) error {
	m := t.root - t.n
	arcs := t.n * m
	block := max(16, int(4*math.Sqrt(float64(arcs))))
	tolerance := t.tolerance()
	most := t.pivots + 1000 + 100*arcs
	i, j := 0, 0
	for {
		if t.low != nil {
			tolerance = t.tolerance()
		}
		entering, below := -1, -tolerance
		for scanned, left := 0, block; scanned < arcs; {
			// What is left of the row, of the block, or of all arcs.
			n := min(m-j, left, arcs-scanned)
			if t.low != nil {
				if k, c := t.fine(i, j, n, below); k >= 0 {
					entering, below = i*m+k, c
				}
			} else {
				costs, to := t.cost[i*m+j:][:n], t.potential[t.n+j:][:n]
				if c := lowest(costs, to, t.potential[i], below); c < below {
					entering, below = i*m+j, c
				}
			}
			scanned += n
			if j += n; j == m {
				j = 0
				if i++; i == t.n {
					i = 0
				}
			}
			if left -= n; left == 0 {
				if entering >= 0 {
					break
				}
				left = block
			}
		}
		if entering < 0 {
			return nil
		}
		if t.pivots%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if t.pivots++; t.pivots > most {
			return errors.New("exact: the simplex method does not end: the costs span too many orders of magnitude")
		}
		u, v := entering/m, entering%m
		if t.low == nil {
			v += find(t.cost[entering:u*m+m], t.potential[t.n+v:t.root], t.potential[u], below)
		}
		t.pivot(int32(u), int32(t.n+v), t.cost[u*m+v])
	}
}

// find returns the first k with cost_k + from − to_k = x.
func find(cost, to []float64, from, x float64) int {
	to = to[:len(cost)]
	for k, c := range cost {
		if c+from-to[k] == x {
			return k
		}
	}
	return -1
}

// lowest returns the least of below and of cost_k + from − to_k. below is negative, or −0.
//
// Of negative numbers the lower has the greater bits, and integers are compared without a branch.
func lowest(cost, to []float64, from, below float64) float64 {
	a := math.Float64bits(below)
	b, c, d := a, a, a
	to = to[:len(cost)]
	k := 0
	for ; k < len(cost)-3; k += 4 {
		a = max(a, math.Float64bits(cost[k]+from-to[k]))
		b = max(b, math.Float64bits(cost[k+1]+from-to[k+1]))
		c = max(c, math.Float64bits(cost[k+2]+from-to[k+2]))
		d = max(d, math.Float64bits(cost[k+3]+from-to[k+3]))
	}
	for ; k < len(cost); k++ {
		a = max(a, math.Float64bits(cost[k]+from-to[k]))
	}
	return math.Float64frombits(max(a, b, c, d))
}

// fine returns the target, among n from j on, whose arc from source i has the lowest reduced
// cost by refined potentials, and that cost; −1 and the limit if none is below the limit. An arc of
// cost c counts as δ|c| dearer: that covers the rounding here, which is that of c and of the result.
func (t *tree) fine(i, j, n int, below float64) (int, float64) {
	best, delta, from, low := -1, t.delta, t.potential[i], t.low[i]
	to, toLow := t.potential[t.n+j:][:n], t.low[t.n+j:][:n]
	for k, c := range t.cost[i*len(t.targets)+j:][:n] {
		if c := (from - to[k]) + ((low - toLow[k]) + c) + float64(delta*math.Abs(c)); c < below {
			best, below = j+k, c
		}
	}
	return best, below
}

// refine frees the potentials from large costs without flow, and keeps them to about 106 bits
// from now on. In a strongly feasible tree an empty arc leads to the parent, so an artificial arc may
// take its place. Those do that are dearer than any path with flow; what hangs from the root hangs there again.
func (t *tree) refine() {
	var largest float64
	for _, x := range t.nodes[:t.root] {
		if x.flow > 0 {
			largest = max(largest, math.Abs(x.step))
		}
	}
	t.low = make([]float64, t.root+1)
	for i, x := range t.nodes[:t.root] {
		if x.flow == 0 && (t.top(int32(i)) || math.Abs(x.step) > largest*float64(t.root)) {
			t.hang(int32(i), int32(i), int32(t.root), 0, 0)
		}
	}
}

// gap bounds how much the plan T costs above every other plan S, per unit of mass, less δ Σ S|c|.
// With the reduced costs r and a source's violation w_i = max(0, −min_j (r_ij + δ|c_ij|)),
//
//	Σ T c − Σ S c = Σ T r − Σ S r ≤ Σ T r + Σ a_i w_i + δ Σ S|c|
//
// because both plans have the same sums. T is on the tree, where r is rounding only.
func (t *tree) gap() float64 {
	var gap float64
	for i := range t.n {
		if _, c := t.fine(i, 0, len(t.targets), 0); c < 0 {
			gap -= float64(c * share(t.mass[i]))
		}
	}
	for node := range int32(t.root) {
		if x := t.nodes[node]; !t.top(node) {
			slack := (t.potential[node] - t.potential[x.parent]) + (t.low[node] - t.low[x.parent]) - x.step
			gap += float64(math.Abs(slack) * share(x.flow))
		}
	}
	return gap
}

// pivot lets the arc from source u to target v, of the given cost, enter the tree. Flow goes around the
// cycle u → v → … → join → … → u; arcs against this direction lose it. Among those
// that run empty first, the last one of the cycle, starting from join, leaves: the
// tree stays strongly feasible.
func (t *tree) pivot(u, v int32, cost float64) {
	nodes := t.nodes
	// The way up from u and that from v: flow on arcs that lose it, least so far.
	x, y := u, v
	first, second := int32(-1), int32(-1)
	firstFlow, secondFlow := int64(math.MaxInt64), int64(math.MaxInt64)
	for x != y {
		if nodes[x].depth > nodes[y].depth {
			if t.source(x) && nodes[x].flow < firstFlow {
				firstFlow, first = nodes[x].flow, x
			}
			x = nodes[x].parent
		} else {
			if !t.source(y) && nodes[y].flow <= secondFlow {
				secondFlow, second = nodes[y].flow, y
			}
			y = nodes[y].parent
		}
	}
	join := x
	amount, leaving, inside, outside, step := firstFlow, first, u, v, -cost
	if secondFlow <= amount {
		amount, leaving, inside, outside, step = secondFlow, second, v, u, cost
	}
	if amount != 0 {
		for x := u; x != join; x = nodes[x].parent {
			if t.source(x) {
				nodes[x].flow -= amount
			} else {
				nodes[x].flow += amount
			}
		}
		for x := v; x != join; x = nodes[x].parent {
			if t.source(x) {
				nodes[x].flow += amount
			} else {
				nodes[x].flow -= amount
			}
		}
	}
	t.hang(leaving, inside, outside, amount, step)
}

// plan yields the arcs of the problem that are in the tree, as i·m+j from bin i to bin j of m, and the mass on each.
func (t *tree) plan(yield func(arc int, mass float64) bool) {
	for node := range int32(t.root) {
		if t.top(node) {
			continue // artificial, without flow
		}
		i, j := t.ends(node)
		if !yield(i*t.bins+j, share(t.nodes[node].flow)*t.total) {
			return
		}
	}
}

// duals returns the potentials as Result has them, and extends them to bins without mass.
func (t *tree) duals(n, m int, cost []float64) (source, target []float64) {
	source, target = make([]float64, n), make([]float64, m)
	isSource, isTarget := make([]bool, n), make([]bool, m)
	shift, low := t.potential[t.n], t.low[t.n] // 0 at the first target with mass
	for node, i := range t.sources {
		source[i], isSource[i] = (shift-t.potential[node])+(low-t.low[node]), true
	}
	for k, j := range t.targets {
		target[j], isTarget[j] = (t.potential[t.n+k]-shift)+(t.low[t.n+k]-low), true
	}
	for j := range m {
		if !isTarget[j] {
			target[j] = math.Inf(1)
		}
	}
	for _, i := range t.sources {
		u := source[i]
		for j, c := range cost[i*m:][:m] {
			if !isTarget[j] && c-u < target[j] {
				target[j] = c - u
			}
		}
	}
	for i := range n {
		if isSource[i] {
			continue
		}
		low := math.Inf(1)
		for j, c := range cost[i*m:][:m] {
			if x := c - target[j]; x < low {
				low = x
			}
		}
		source[i] = low
	}
	return source, target
}
