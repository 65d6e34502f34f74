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
	if err := t.solve(ctx); err != nil {
		return nil, err
	}
	r := &Result{
		Plan: make([]float64, len(cost)), U: make([]float64, len(a)), V: make([]float64, len(b)), Pivots: t.pivots,
	}
	for node := range int32(t.root) {
		if t.top(node) {
			continue // artificial, without flow
		}
		i, j := t.ends(node)
		mass := share(t.flow[node]) * totalA
		r.Plan[i*len(b)+j] = mass
		r.Cost += float64(mass * cost[i*len(b)+j])
	}
	t.duals(r, cost)
	return r, nil
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
// artificial arc.
type tree struct {
	sources, targets []int     // bins of the nodes
	cost             []float64 // between nodes
	n, root          int
	artificial       float64 // cost of an artificial arc
	delta            float64 // δ of (1)

	parent, depth         []int32
	child, next, previous []int32   // first child and siblings, −1 for none
	mass, flow            []int64   // of the bin, and on the arc to the parent
	arc                   []float64 // cost of the arc to the parent
	potential             []float64 // c_ij + potential_i − potential_j = 0 on the tree
	low                   []float64 // what rounding took from potential; nil until refine
	stack                 []int32
	pivots                int
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
	t.n, t.root = len(t.sources), len(mass)
	m := len(t.targets)
	t.cost = make([]float64, t.n*m)
	for k, i := range t.sources {
		from, to := cost[i*len(b):][:len(b)], t.cost[k*m:][:m]
		for l, j := range t.targets {
			to[l] = from[j]
		}
	}
	nodes := t.root + 1
	t.artificial = (largest + math.SmallestNonzeroFloat64) * float64(nodes)
	t.delta = 0x1p-50 * float64(nodes)
	t.parent, t.depth = make([]int32, nodes), make([]int32, nodes)
	t.child, t.next, t.previous = make([]int32, nodes), make([]int32, nodes), make([]int32, nodes)
	t.arc, t.potential = make([]float64, nodes), make([]float64, nodes)
	t.mass, t.flow = mass, append(slices.Clone(mass), 0)
	for node := range nodes {
		t.child[node], t.next[node], t.previous[node] = -1, -1, -1
	}
	t.parent[t.root] = -1
	for node := range int32(t.root) {
		t.hang(node, int32(t.root), t.artificial)
		t.settle(node)
	}
	return t
}

// source tells whether a node is a source; its arcs lead away from it.
func (t *tree) source(node int32) bool { return int(node) < t.n }

// top tells whether the arc from a node to its parent is artificial.
func (t *tree) top(node int32) bool { return int(t.parent[node]) == t.root }

// ends returns the bins of the arc between a node and its parent.
func (t *tree) ends(node int32) (i, j int) {
	p := t.parent[node]
	if !t.source(node) {
		node, p = p, node
	}
	return t.sources[node], t.targets[int(p)-t.n]
}

// settle computes depth and potential of a node from its parent's.
func (t *tree) settle(node int32) {
	p := t.parent[node]
	t.depth[node] = t.depth[p] + 1
	if t.source(node) {
		t.potential[node] = t.potential[p] - t.arc[node]
	} else {
		t.potential[node] = t.potential[p] + t.arc[node]
	}
}

// settleLow adds to a settled node's potential what its parent's had lost, and keeps what rounding
// takes from the sum [Knuth 1998, section 4.2.2, theorem B].
func (t *tree) settleLow(node int32) {
	p, step := t.parent[node], t.arc[node]
	if t.source(node) {
		step = -step
	}
	from, sum := t.potential[p], t.potential[node]
	added := sum - from
	lost := (from - (sum - added)) + (step - added) + t.low[p]
	high := sum + lost
	t.potential[node], t.low[node] = high, lost-(high-sum)
}

// settleBelow settles a node and all below it.
func (t *tree) settleBelow(node int32) {
	t.stack = append(t.stack[:0], node)
	for len(t.stack) > 0 {
		node := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.settle(node)
		if t.low != nil {
			t.settleLow(node)
		}
		for c := t.child[node]; c >= 0; c = t.next[c] {
			t.stack = append(t.stack, c)
		}
	}
}

func (t *tree) hang(node, parent int32, cost float64) {
	t.parent[node], t.arc[node] = parent, cost
	first := t.child[parent]
	t.next[node], t.previous[node] = first, -1
	if first >= 0 {
		t.previous[first] = node
	}
	t.child[parent] = node
}

func (t *tree) cut(node int32) {
	before, after := t.previous[node], t.next[node]
	if before >= 0 {
		t.next[before] = after
	} else {
		t.child[t.parent[node]] = after
	}
	if after >= 0 {
		t.previous[after] = before
	}
}

// solve pivots until the tree is optimal.
//
// Artificial arcs must be dearer than any path, and where costs are far apart, others
// are too: in sums with them, float64 keeps little of the small costs. So the tree that
// is found first is only a start, mostly a perfect one. Refined potentials tell.
func (t *tree) solve(ctx context.Context) error {
	if err := t.improve(ctx); err != nil {
		return err
	}
	for node := t.child[t.root]; node >= 0; node = t.next[node] {
		if t.flow[node] != 0 {
			return errors.New("exact: no plan was found: the costs span too many orders of magnitude")
		}
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
		return t.artificial * 0x1p-50 // potentials are sums of costs and one artificial cost
	}
	var used, largest float64
	for node := range t.root {
		used += float64(math.Abs(t.arc[node]) * share(t.flow[node]))
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
		entering, lowest := -1, -tolerance
		for scanned, left := 0, block; scanned < arcs; {
			// What is left of the row, of the block, or of all arcs.
			n := min(m-j, left, arcs-scanned)
			if t.low != nil {
				if k, c := t.fine(i, j, n, lowest); k >= 0 {
					entering, lowest = i*m+k, c
				}
			} else {
				from, to := t.potential[i], t.potential[t.n+j:][:n]
				for k, c := range t.cost[i*m+j:][:n] {
					if c := c + from - to[k]; c < lowest {
						entering, lowest = i*m+j+k, c
					}
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
		t.pivot(int32(entering/m), int32(t.n+entering%m), t.cost[entering])
	}
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
// from now on. What is left of the artificial arcs leads to the root, from which nothing
// leads away: it stays without flow whatever it costs, and from now on costs nothing. In a strongly
// feasible tree an empty arc leads to the parent, so the same holds if an
// artificial arc takes its place. Those do that are dearer than any path with flow.
func (t *tree) refine() {
	var largest float64
	for node := range t.root {
		if t.flow[node] > 0 {
			largest = max(largest, math.Abs(t.arc[node]))
		}
	}
	for node := range int32(t.root) {
		if t.flow[node] == 0 && (t.top(node) || math.Abs(t.arc[node]) > largest*float64(t.root)) {
			t.cut(node)
			t.hang(node, int32(t.root), 0)
		}
	}
	t.low = make([]float64, t.root+1)
	for node := t.child[t.root]; node >= 0; node = t.next[node] {
		t.settleBelow(node)
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
		if p := t.parent[node]; !t.top(node) {
			slack := (t.potential[node] - t.potential[p]) + (t.low[node] - t.low[p])
			if t.source(node) {
				slack += t.arc[node]
			} else {
				slack -= t.arc[node]
			}
			gap += float64(math.Abs(slack) * share(t.flow[node]))
		}
	}
	return gap
}

// pivot lets the arc from source u to target v, of the given cost, enter the tree. Flow goes around the
// cycle u → v → … → join → … → u; arcs against this direction lose it. Among those
// that run empty first, the last one of the cycle, starting from join, leaves: the
// tree stays strongly feasible.
func (t *tree) pivot(u, v int32, cost float64) {
	join, x := u, v
	for join != x {
		if t.depth[join] >= t.depth[x] {
			join = t.parent[join]
		} else {
			x = t.parent[x]
		}
	}
	amount, leaving, inside, outside := int64(math.MaxInt64), int32(-1), int32(-1), int32(-1)
	for x := u; x != join; x = t.parent[x] {
		if t.source(x) && t.flow[x] < amount {
			amount, leaving, inside, outside = t.flow[x], x, u, v
		}
	}
	for x := v; x != join; x = t.parent[x] {
		if !t.source(x) && t.flow[x] <= amount {
			amount, leaving, inside, outside = t.flow[x], x, v, u
		}
	}
	if amount != 0 {
		for x := u; x != join; x = t.parent[x] {
			if t.source(x) {
				t.flow[x] -= amount
			} else {
				t.flow[x] += amount
			}
		}
		for x := v; x != join; x = t.parent[x] {
			if t.source(x) {
				t.flow[x] += amount
			} else {
				t.flow[x] -= amount
			}
		}
	}

	// The part below the leaving arc is turned round to hang from the entering one.
	node, parent, flow := inside, outside, amount
	for {
		above, oldFlow, oldCost := t.parent[node], t.flow[node], t.arc[node]
		t.cut(node)
		t.hang(node, parent, cost)
		t.flow[node] = flow
		if node == leaving {
			break
		}
		node, parent, flow, cost = above, node, oldFlow, oldCost
	}
	t.settleBelow(inside)
}

// duals turns potentials into U and V, and extends them to bins without mass.
func (t *tree) duals(r *Result, cost []float64) {
	n, m := len(r.U), len(r.V)
	shift, low := t.potential[t.n], t.low[t.n] // V is zero at the first target with mass
	isSource, isTarget := make([]bool, n), make([]bool, m)
	for node, i := range t.sources {
		r.U[i], isSource[i] = (shift-t.potential[node])+(low-t.low[node]), true
	}
	for k, j := range t.targets {
		r.V[j], isTarget[j] = (t.potential[t.n+k]-shift)+(t.low[t.n+k]-low), true
	}
	for j := range m {
		if !isTarget[j] {
			r.V[j] = math.Inf(1)
		}
	}
	for _, i := range t.sources {
		u := r.U[i]
		for j, c := range cost[i*m:][:m] {
			if !isTarget[j] && c-u < r.V[j] {
				r.V[j] = c - u
			}
		}
	}
	for i := range n {
		if isSource[i] {
			continue
		}
		low := math.Inf(1)
		for j, c := range cost[i*m:][:m] {
			if x := c - r.V[j]; x < low {
				low = x
			}
		}
		r.U[i] = low
	}
}
