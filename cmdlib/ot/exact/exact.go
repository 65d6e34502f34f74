// Package exact solves the transport problem without regularisation, by the network
// simplex method, and proves the result with dual potentials. It is meant for single
// problems of up to several hundred bins: an oracle for small λ, and a way to tell
// what a regularised distance owes to λ.
package exact

import (
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// Result is an optimal plan with its certificate.
type Result struct {
	// Cost is Σ Plan_ij cost_ij.
	Cost float64
	// Plan is n×m in row-major order; at most n+m−1 entries are positive.
	Plan []float64
	// U (n) and V (m) solve the dual problem: U_i + V_j ≤ cost_ij, with equality where
	// Plan_ij > 0, both up to rounding. So Σ a_i U_i + Σ b_j V_j equals Cost.
	U, V []float64
	// Pivots is the number of steps the simplex method took.
	Pivots int
}

// Solve minimises Σ T_ij cost_ij over all plans T ≥ 0 with row sums a and column sums
// b. cost is len(a)×len(b) in row-major order and may have any sign. The sums of a and b
// must agree within ot.MassTolerance, relative; b is scaled to the sum of a.
//
// Masses are rounded to 2⁻⁶⁰ of the total, so that flows are integers: ties are
// exact, and the strongly feasible trees of Cunningham [1976] exclude cycling. The
// time is about proportional to (n+m)³ in the worst cases met in practice.
//
// Solve returns an error that names the offending bin for a mass that is negative or not finite,
// for a cost that is not finite, and if sizes or sums do not fit.
func Solve(a, b, cost []float64) (*Result, error) {
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
	if err := t.solve(); err != nil {
		return nil, err
	}
	r := &Result{Plan: make([]float64, len(cost)), U: make([]float64, len(a)), V: make([]float64, len(b)), Pivots: t.pivots}
	for node := range int32(t.root) {
		if int(t.parent[node]) == t.root {
			continue // artificial, without flow
		}
		i, j := t.ends(node)
		mass := math.Ldexp(float64(t.flow[node]), -massBits) * totalA
		r.Plan[i*len(b)+j] = mass
		r.Cost += mass * cost[i*len(b)+j]
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
		y[i] = int64(math.Ldexp(z/total, massBits))
		rest -= y[i]
		if y[i] > y[largest] {
			largest = i
		}
	}
	y[largest] += rest
	return y
}

// tree is a spanning tree of the bins with mass and a root, the basis of the simplex
// method. Sources are the nodes 0 … n−1, targets n … n+m−1. Every node but the root
// is tied to its parent by an arc of the problem or, if the parent is the root, by an
// artificial arc.
type tree struct {
	sources, targets []int     // bins of the nodes
	cost             []float64 // between nodes
	n, root          int
	artificial       float64 // cost of an artificial arc

	parent, depth         []int32
	child, next, previous []int32 // first child and siblings, −1 for none
	flow                  []int64
	arc                   []float64 // cost of the arc to the parent
	potential             []float64 // c_ij + potential_i − potential_j = 0 on the tree
	stack                 []int32
	pivots                int
}

func newTree(a, b []int64, cost []float64, largest float64) *tree {
	t := &tree{}
	var mass []int64
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
	t.cost = make([]float64, 0, t.n*len(t.targets))
	for _, i := range t.sources {
		row := cost[i*len(b):][:len(b)]
		for _, j := range t.targets {
			t.cost = append(t.cost, row[j])
		}
	}
	nodes := t.root + 1
	t.artificial = (largest + math.SmallestNonzeroFloat64) * float64(nodes)
	t.parent, t.depth = make([]int32, nodes), make([]int32, nodes)
	t.child, t.next, t.previous = make([]int32, nodes), make([]int32, nodes), make([]int32, nodes)
	t.arc, t.potential, t.flow = make([]float64, nodes), make([]float64, nodes), append(mass, 0)
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

// solve pivots until no arc has a negative reduced cost. Arcs are looked at in
// blocks of about four square roots of their number, and the best of a block enters:
// larger blocks cost more to look at than the pivots that they save.
func (t *tree) solve() error {
	m := t.root - t.n
	arcs := t.n * m
	block := max(16, int(4*math.Sqrt(float64(arcs))))
	// Potentials are sums of costs and one artificial cost.
	tolerance := t.artificial * 0x1p-50
	limit := 1000 + 100*arcs
	i, j := 0, 0
	for {
		entering, lowest := -1, -tolerance
		for scanned, left := 0, block; scanned < arcs; {
			// What is left of the row, of the block, or of all arcs.
			n := min(m-j, left, arcs-scanned)
			from, to := t.potential[i], t.potential[t.n+j:][:n]
			for k, c := range t.cost[i*m+j:][:n] {
				if c := c + from - to[k]; c < lowest {
					entering, lowest = i*m+j+k, c
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
			break
		}
		if t.pivots++; t.pivots > limit {
			return errors.New("exact: the simplex method does not end: the costs span too many orders of magnitude")
		}
		t.pivot(int32(entering/m), int32(t.n+entering%m), t.cost[entering])
	}
	for node := t.child[t.root]; node >= 0; node = t.next[node] {
		if t.flow[node] != 0 {
			return errors.New("exact: no plan was found: the costs span too many orders of magnitude")
		}
	}
	return nil
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
	t.stack = append(t.stack[:0], inside)
	for len(t.stack) > 0 {
		node := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		t.settle(node)
		for c := t.child[node]; c >= 0; c = t.next[c] {
			t.stack = append(t.stack, c)
		}
	}
}

// duals turns potentials into U and V, and extends them to bins without mass.
func (t *tree) duals(r *Result, cost []float64) {
	n, m := len(r.U), len(r.V)
	shift := t.potential[t.n] // V is zero at the first target with mass
	isSource, isTarget := make([]bool, n), make([]bool, m)
	for node, i := range t.sources {
		r.U[i], isSource[i] = shift-t.potential[node], true
	}
	for k, j := range t.targets {
		r.V[j], isTarget[j] = t.potential[t.n+k]-shift, true
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
