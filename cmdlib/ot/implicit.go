package ot

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/internal/gemm"
	"contextmover/internal/elementary"
	"contextmover/internal/parallel"
)

// BarycenterGradient is a barycenter b, with the derivatives of a function L of it in what it is made of.
type BarycenterGradient struct {
	Barycenter
	// Members (n×K) is the derivative of L in each member's histogram, Weights (n) that in the weights, each up to a
	// constant along what sums to 1.
	Members, Weights []float64
	// Cost (K×K) is that in the cost.
	Cost []float64
}

// NewBarycenterGradient solves group g of p and returns the gradient of a function L of its barycenter. slope returns
// the gradient of L (K) at a barycenter; it is called once, with the one that was found.
//
// By the implicit function theorem: at the barycenter (2) Σ_s w_s (g_s + λ ln b) is constant, with the potentials g_s
// of the plans T_s from the members to b. With B = diag(b), A = diag(a) and S_s = B^-½ Tᵀ A⁻¹ T B^-½ its derivative
// in b is
//
//	λ B^-½ N B^-½,  N = Σ_s w_s (I − S_s)⁺                                          (10)
//
// for changes of sum 0. Its eigenvalues are at least 1, so that conjugate gradients solve it, with a Cholesky factor of
// each member: 2K³ operations a member, float64. As b moves nothing of first order at the minimum that it is, the
// error is of the order of Barycenter.Error and of the plans' marginal errors.
//
// At a debiased barycenter Σ_s w_s g_s − h is constant instead, where h is the potential of b moved to itself,
// d = b·exp(h/λ) and b = d·(K d). With P = diag(d) K diag(d) and Q = B^-½ P B^-½ that makes
//
//	N = Σ_s w_s (I − S_s)⁺ − (I + Q)^-1                                               (11)
//
// which takes 2K³ operations a member more to invert. Its least eigenvalue falls with those of the kernel, and is 0
// where the barycenter leaves a bin empty. Debiasing then has no derivative, or none that float32 can tell, and that
// is an error. A change of the cost is one of both of its triangles.
//
// Bins in which a member has no mass have derivatives too: of mass that comes in. Weights are above 0, as in p.
// p must not be from an unweighted start, whose limit depends on its first step: that is errors.ErrUnsupported. The
// other errors are those of the engine.
func NewBarycenterGradient(
	ctx context.Context, engine Engine, p *BarycenterProblem, g int, slope func(b []float64) []float64,
) (*BarycenterGradient, error) {
	if p.UnweightedStart {
		return nil, fmt.Errorf("ot: gradients of barycenters from an unweighted start: %w", errors.ErrUnsupported)
	}
	if g < 0 || g+1 >= len(p.Offsets) {
		return nil, fmt.Errorf("ot: there is no group %d among %d", g, len(p.Offsets)-1)
	}
	one := *p
	lo, hi := p.Offsets[g], p.Offsets[g+1]
	one.Members, one.Weights, one.Offsets = p.Members[lo:hi], p.Weights[lo:hi], []int{0, hi - lo}
	found, err := Barycenters(ctx, engine, &one)
	if err != nil {
		return nil, err
	}
	i := &implicit{k: p.Cost.K, BarycenterProblem: p, b: make([]float64, p.Cost.K)}
	for j, x := range found[0].Histogram {
		i.b[j] = max(float64(x), 0x1p-126) // a bin that underflowed is next to nothing
	}
	if err := i.plans(ctx, engine, &one, found[0].Histogram); err != nil {
		return nil, err
	}
	if p.Debiased {
		if err := i.debias(ctx); err != nil {
			return nil, err
		}
	}
	direction := slope(i.b)
	if len(direction) != i.k {
		return nil, fmt.Errorf("ot: a gradient of %d entries for a barycenter of %d bins", len(direction), i.k)
	}
	r := &BarycenterGradient{Barycenter: found[0], Cost: make([]float64, i.k*i.k)}
	return r, i.gradient(ctx, direction, r)
}

// implicit is the derivative of a barycenter.
type implicit struct {
	k int
	*BarycenterProblem
	b       []float64
	root    []float64 // of b
	members []implicitMember
	// of debiased barycenters, else nil: P, and the lower Cholesky factors of I + Q and of N + √b √bᵀ
	self, plusSelf, whole []float64
}

type implicitMember struct {
	weight float64
	g      []float64
	rows   []float64 // P, K×K: the plan with each row divided by its mass; of rows without mass, too
	mass   []float64
	factor []float64 // lower Cholesky factor of I − S + √b √bᵀ
}

// plans solves the members' problems with b and factors them.
func (d *implicit) plans(ctx context.Context, engine Engine, p *BarycenterProblem, b []float32) error {
	k := d.k
	q := &Problem{Settings: p.Settings, Cost: p.Cost, Rows: Histograms{K: k}}
	q.Accelerate = false
	for s, row := range p.Members {
		q.Rows.Data = append(q.Rows.Data, p.Rows.Row(int(row))...)
		q.Pairs = append(q.Pairs, Pair{int32(s), int32(len(p.Members))})
	}
	q.Rows.Data = append(q.Rows.Data, b...)
	d.root = make([]float64, k)
	for j, x := range d.b {
		d.root[j] = math.Sqrt(x)
	}
	d.members = make([]implicitMember, len(p.Members))
	f := make([][]float64, len(p.Members))
	err := StreamPotentials(ctx, engine, q, func(first int, results []Potentials) error {
		for i, r := range results {
			f[first+i], d.members[first+i].g = r.F, r.G
		}
		return nil
	})
	if err != nil {
		return err
	}
	scaled := make([]float64, k*k)
	for s := range d.members {
		m := &d.members[s]
		m.weight, m.rows, m.mass = float64(p.Weights[s]), make([]float64, k*k), make([]float64, k)
		for i, x := range q.Rows.Row(s) {
			m.mass[i] = float64(x)
			row, sum := m.rows[i*k:][:k], 0.0
			for j := range row {
				row[j] = float64(d.b[j] * elementary.Exp((f[s][i]+m.g[j]-float64(d.Cost.Data[i*k+j]))/d.Reg))
				sum += row[j]
			}
			for j := range row {
				row[j] /= sum // rounding apart it is 1
				scaled[i*k+j] = row[j] / d.root[j] * math.Sqrt(m.mass[i])
			}
		}
		// S = RᵀR for R = A^½ P B^-½.
		m.factor = make([]float64, k*k)
		r := gemm.Matrix[float64]{Rows: k, Cols: k, Stride: k, Data: scaled}
		t := r
		t.Transposed = true
		gemm.Mul(gemm.Matrix[float64]{Rows: k, Cols: k, Stride: k, Data: m.factor}, t, r)
		for i := range k {
			for j := range k {
				m.factor[i*k+j] = float64(d.root[i]*d.root[j]) - m.factor[i*k+j]
			}
			m.factor[i*k+i]++
		}
	}
	return parallel.Blocks(ctx, len(d.members), 1, func(s, _ int) error {
		if !cholesky(d.members[s].factor, k) {
			return fmt.Errorf("ot: member %d and the barycenter are joined by a plan of which one step mixes nothing: "+
				"λ is too small for gradients", s)
		}
		return nil
	})
}

// gradient stores the gradient of a function whose gradient in b is direction.
func (d *implicit) gradient(ctx context.Context, direction []float64, to *BarycenterGradient) error {
	k := d.k
	right := make([]float64, k)
	for j, c := range direction {
		right[j] = d.root[j] * c / d.Reg
	}
	x, inverse, err := d.solve(ctx, right)
	if err != nil {
		return err
	}
	to.Weights = make([]float64, len(d.members))
	for s := range d.members {
		m := &d.members[s]
		for j, g := range m.g {
			to.Weights[s] -= float64(d.root[j] * x[j] * g)
		}
		// y = (I − S)⁺ x is what a change of the member's potentials does.
		y := inverse[s]
		h, member := make([]float64, k), make([]float64, k) // B^-½ y, and P of it
		for j := range y {
			h[j] = y[j] / d.root[j]
		}
		for i := range member {
			row := m.rows[i*k:][:k]
			member[i] = inner(row, h)
			for j, p := range row {
				// Both are derivatives of T_s: in row i, and in column j.
				to.Cost[i*k+j] += float64(m.weight * m.mass[i] * p * (member[i] - h[j]))
			}
			to.Members = append(to.Members, float64(d.Reg*m.weight*member[i]))
		}
	}
	if d.self != nil {
		y := append([]float64(nil), x...)
		backSolve(d.plusSelf, y)
		for j := range y {
			y[j] /= d.root[j]
		}
		for i := range k {
			for j := range k {
				to.Cost[i*k+j] += float64(d.self[i*k+j] * (y[i] + y[j]) / 2)
			}
		}
	}
	return nil
}

// leastEigenvalue is that of N up to which float32 potentials tell derivatives to a few per cent.
const leastEigenvalue = 1e-5

// debias prepares (11).
func (d *implicit) debias(ctx context.Context) error {
	k := d.k
	// ln d, by halves of steps: the error falls by half or more in each where the kernel is positive definite.
	logs, next := make([]float64, k), make([]float64, k)
	for j := range logs {
		logs[j] = elementary.Log(d.b[j]) / 2
	}
	const most = 1000
	for n, moved := 0, 1.0; moved > 1e-14 && n < most; n++ {
		err := parallel.Blocks(ctx, k, 16, func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				largest := math.Inf(-1)
				for j, c := range d.Cost.Data[i*k:][:k] {
					largest = max(largest, logs[j]-float64(c)/d.Reg)
				}
				sum := 0.0
				for j, c := range d.Cost.Data[i*k:][:k] {
					sum += elementary.Exp(logs[j] - float64(c)/d.Reg - largest)
				}
				next[i] = (logs[i] + elementary.Log(d.b[i]) - largest - elementary.Log(sum)) / 2
			}
			return nil
		})
		if err != nil {
			return err
		}
		moved = 0
		for j := range next {
			moved = max(moved, math.Abs(next[j]-logs[j])/(1+math.Abs(next[j])))
		}
		logs, next = next, logs
	}
	d.self, d.plusSelf, d.whole = make([]float64, k*k), make([]float64, k*k), make([]float64, k*k)
	for i := range k {
		for j := range k {
			// Both triangles alike: the cost is symmetric but for rounding.
			c := (float64(d.Cost.Data[i*k+j]) + float64(d.Cost.Data[j*k+i])) / 2
			d.self[i*k+j] = elementary.Exp(logs[i] + logs[j] - c/d.Reg)
			d.plusSelf[i*k+j] = d.self[i*k+j] / (d.root[i] * d.root[j])
		}
		d.plusSelf[i*k+i]++
	}
	if !cholesky(d.plusSelf, k) {
		return fmt.Errorf("ot: gradients of a debiased barycenter whose kernel exp(−M/λ) is not positive definite: " +
			"take a smaller λ")
	}
	// N by columns, projected, with √b as an eigenvector of the eigenvalue that N has in it.
	square := inner(d.root, d.root)
	err := parallel.Blocks(ctx, k, 4, func(lo, hi int) error {
		x := make([]float64, k)
		for column := lo; column < hi; column++ {
			to := d.whole[column*k:][:k]
			add := func(factor []float64, weight float64) {
				for j := range x {
					x[j] = -float64(d.root[column] * d.root[j] / square)
				}
				x[column]++
				backSolve(factor, x)
				d.project(x)
				for j, y := range x {
					to[j] += float64(weight * y)
				}
			}
			for _, m := range d.members {
				add(m.factor, m.weight)
			}
			add(d.plusSelf, -1)
			for j := range to {
				to[j] += float64(d.root[column] * d.root[j] / square)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if at := factor(d.whole, k, leastEigenvalue); at >= 0 {
		return fmt.Errorf("ot: the derivative of the debiased barycenter cannot be told: bin %d has the mass %.3g "+
			"of it, and is emptied or like others at this λ: take a smaller λ, or no debiasing", at, d.b[at])
	}
	return nil
}

// project makes v one at right angles to √b.
func (d *implicit) project(v []float64) {
	c := inner(v, d.root) / inner(d.root, d.root)
	for j := range v {
		v[j] -= float64(c * d.root[j])
	}
}

// solve returns x with N x = right in the space at right angles to √b, and (I − S_s)⁺ x of all members, by conjugate
// gradients, or where N was factored by that.
func (d *implicit) solve(ctx context.Context, right []float64) (x []float64, inverse [][]float64, err error) {
	k := d.k
	inverse = make([][]float64, len(d.members))
	apply := func(v []float64) ([]float64, error) {
		err := parallel.Blocks(ctx, len(d.members), 1, func(s, _ int) error {
			inverse[s] = append(inverse[s][:0], v...)
			backSolve(d.members[s].factor, inverse[s])
			d.project(inverse[s])
			return nil
		})
		all := make([]float64, k)
		for s, m := range d.members {
			for j, y := range inverse[s] {
				all[j] += float64(m.weight * y)
			}
		}
		return all, err
	}
	x, r := make([]float64, k), append([]float64(nil), right...)
	d.project(r)
	if d.whole != nil {
		copy(x, r)
		backSolve(d.whole, x)
		d.project(x)
		_, err = apply(x)
		return x, inverse, err
	}
	step := append([]float64(nil), r...)
	square := inner(r, r)
	least := square * 0x1p-90
	for range 4 * k { // more than rounding makes of the K steps that it takes at most
		if square <= least {
			break
		}
		image, err := apply(step)
		if err != nil {
			return nil, nil, err
		}
		alpha := square / inner(step, image)
		for j := range x {
			x[j] += float64(alpha * step[j])
			r[j] -= float64(alpha * image[j])
		}
		before := square
		square = inner(r, r)
		for j := range step {
			step[j] = r[j] + float64(square/before*step[j])
		}
	}
	_, err = apply(x)
	return x, inverse, err
}

func inner(x, y []float64) (sum float64) {
	for i, a := range x {
		sum += float64(a * y[i])
	}
	return sum
}

// cholesky replaces the lower triangle of a positive definite k×k matrix by its Cholesky factor, and returns false if
// it is none.
func cholesky(a []float64, k int) bool { return factor(a, k, 0) < 0 }

// factor does what cholesky does. It returns the first row whose pivot is not above least, or −1.
func factor(a []float64, k int, least float64) int {
	for i := range k {
		row := a[i*k:][:k]
		for j := range i {
			row[j] = (row[j] - inner(row[:j], a[j*k:][:j])) / a[j*k+j]
		}
		x := row[i] - inner(row[:i], row[:i])
		if !(x > least) {
			return i
		}
		row[i] = math.Sqrt(x)
	}
	return -1
}

// backSolve replaces x by the solution of L·Lᵀ·y = x.
func backSolve(l, x []float64) {
	k := len(x)
	for i := range x {
		x[i] = (x[i] - inner(l[i*k:][:i], x[:i])) / l[i*k+i]
	}
	for i := k - 1; i >= 0; i-- {
		x[i] /= l[i*k+i]
		for j, y := range l[i*k:][:i] {
			x[j] -= float64(y * x[i])
		}
	}
}
