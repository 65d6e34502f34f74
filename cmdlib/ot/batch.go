package ot

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"contextmover/cmdlib/internal/pairwise"
	"contextmover/internal/parallel"
)

// Batch is many transport problems of any shape, each with bins and costs of its own: those of Rectangle instead of the
// histograms over one cost of a Problem. What Settings, Penalty and Values mean is as there.
type Batch struct {
	Settings
	// N is the number of problems.
	N int
	// Load stores problem i in r, whose slices have what an earlier call left in them, to be used again. It is called
	// from several goroutines at once. An error ends the run and is returned.
	Load    func(i int, r *Rectangle) error
	Penalty float64
	Values  bool
}

// Rectangle is a transport problem of n source bins and m target bins.
type Rectangle struct {
	// Source (length n) and Target (length m) are masses, which sum to 1 within MassTolerance.
	Source, Target []float64
	// Cost is n×m in row-major order: Cost[i*m+j] ≥ 0 from source bin i to target bin j.
	Cost []float64
}

// Between stores n×m costs from a function of two indices, for the masses that r has.
func (r *Rectangle) Between(cost func(i, j int) float64) {
	r.Cost = r.Cost[:0]
	for i := range r.Source {
		for j := range r.Target {
			r.Cost = append(r.Cost, cost(i, j))
		}
	}
}

// BetweenVectors stores the costs ‖x_i − y_j‖ from n vectors to m, all of the same length, compared many at a time:
// differences in float32, their squares summed in float64 in order. It panics if a vector is shorter than the first.
func (r *Rectangle) BetweenVectors(x, y [][]float32) {
	r.Cost = pairwise.Squares(r.Cost, x, y)
	for at, square := range r.Cost {
		r.Cost[at] = math.Sqrt(square)
	}
}

// Validate returns an error that names the first fault of r: sizes, masses or costs.
func (r *Rectangle) Validate() error {
	n, m := len(r.Source), len(r.Target)
	if n == 0 || m == 0 || len(r.Cost) != n*m {
		return fmt.Errorf("ot: %d costs for %d×%d bins, want at least one bin a side and a cost from each to each",
			len(r.Cost), n, m)
	}
	for _, side := range []struct {
		name string
		mass []float64
	}{{"source", r.Source}, {"target", r.Target}} {
		sum := 0.0
		for i, x := range side.mass {
			if !(x >= 0) || math.IsInf(x, 1) {
				return fmt.Errorf("ot: %s bin %d is %v, want a finite number ≥ 0", side.name, i, x)
			}
			sum += x
		}
		if sum == 0 {
			return fmt.Errorf("ot: the %s is all 0, want masses of sum 1: leave the problem out", side.name)
		}
		if !(math.Abs(sum-1) <= MassTolerance) {
			return fmt.Errorf("ot: the %s sums to %.6g, want 1 within 1e-4: divide the masses by their sum",
				side.name, sum)
		}
	}
	for i, c := range r.Cost {
		if !(c >= 0 && c <= math.MaxFloat64) {
			return fmt.Errorf("ot: the cost from bin %d to bin %d is %v, want a finite number ≥ 0", i/m, i%m, c)
		}
	}
	return nil
}

// Problem returns r as a problem of one pair over K = max(n, m) bins, of which those beyond n and m have no mass.
func (r *Rectangle) Problem(b *Batch) *Problem {
	n, m := len(r.Source), len(r.Target)
	k := max(n, m)
	data := make([]float32, k*k+2*k)
	p := &Problem{
		Settings: b.Settings, Penalty: b.Penalty, Values: b.Values,
		Cost: Cost{K: k, Data: data[:k*k]}, Rows: Histograms{K: k, Data: data[k*k:]},
		Pairs: []Pair{{Source: 0, Target: 1}},
	}
	for i, x := range r.Source {
		p.Rows.Data[i] = float32(x)
		row := p.Cost.Data[i*k:][:m]
		for j, c := range r.Cost[i*m:][:m] {
			row[j] = float32(c)
		}
	}
	for j, x := range r.Target {
		p.Rows.Data[k+j] = float32(x)
	}
	return p
}

// Partial returns b with partial transport (8) instead; see Problem.Partial. Each Result.Cost is half of (8).
func (b *Batch) Partial(price float64) (*Batch, error) {
	if !(price >= 0) || price > math.MaxFloat32 {
		return nil, fmt.Errorf("ot: the price of mass that does not move is %v, want a finite number ≥ 0", price)
	}
	q := *b
	q.Load = func(i int, r *Rectangle) error {
		if err := b.Load(i, r); err != nil {
			return err
		}
		if err := r.Validate(); err != nil {
			return err
		}
		r.extend(price)
		return nil
	}
	return &q, nil
}

// extend puts a point in front of each side that has half of all mass, costs the price to and from the others, and
// nothing to the other side's.
func (r *Rectangle) extend(price float64) {
	n, m := len(r.Source), len(r.Target)
	r.Cost = slices.Grow(r.Cost, n+m+1)[:(n+1)*(m+1)]
	for i := n; i > 0; i-- {
		copy(r.Cost[i*(m+1)+1:(i+1)*(m+1)], r.Cost[(i-1)*m:i*m])
		r.Cost[i*(m+1)] = price
	}
	for j := range m {
		r.Cost[1+j] = price
	}
	r.Cost[0] = 0
	for _, side := range []*[]float64{&r.Source, &r.Target} {
		for i := range *side {
			(*side)[i] /= 2
		}
		*side = slices.Insert(*side, 0, 0.5)
	}
}

// batchChunk is how many problems are solved between two calls of yield.
const batchChunk = 1024

// Batches solves all problems of b on all processors and calls yield with consecutive results, in their order, as
// Engine.Distances does. A result depends on nothing but its own problem, bit for bit. Errors name the problem.
func Batches(
	ctx context.Context, engine Engine, b *Batch, yield func(first int, results []Result) error,
) error {
	pool := sync.Pool{New: func() any { return &Rectangle{} }}
	return parallel.Chunks(ctx, b.N, batchChunk, 4, func(i int) (Result, error) {
		r := pool.Get().(*Rectangle)
		defer pool.Put(r)
		return b.solve(ctx, engine, i, r)
	}, yield)
}

// solve loads problem i into r and solves it.
func (b *Batch) solve(ctx context.Context, engine Engine, i int, r *Rectangle) (result Result, err error) {
	if err := b.Load(i, r); err != nil {
		return Result{}, err
	}
	if err := r.Validate(); err != nil {
		return Result{}, fmt.Errorf("problem %d: %w", i, err)
	}
	if result, err = engine.Rectangle(ctx, b, r); err != nil && ctx.Err() == nil {
		err = fmt.Errorf("problem %d: %w", i, err)
	}
	return result, err
}

// Solve solves r, which is valid, as a problem of one pair: Engine.Rectangle of engines that have nothing better.
func (r *Rectangle) Solve(ctx context.Context, engine Engine, b *Batch) (result Result, err error) {
	err = engine.Distances(ctx, r.Problem(b), func(_ int, results []Result) error {
		result = results[0]
		return nil
	})
	return result, err
}
