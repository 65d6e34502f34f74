//go:build cuda || cudaemulation

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"

	"contextmover/cmdlib/ot"
)

// Engine is the GPU implementation of ot.Engine.
type Engine struct{ *pool }

// Name returns "cuda".
func (Engine) Name() string { return "cuda" }

// Prepare returns the engine: a call takes its cost to the device.
func (e Engine) Prepare(ot.Cost) ot.Engine { return e }

// Arguments of the kernels; each mirrors the struct of that name in kernels/*.cu.
type (
	distanceArgs struct {
		k, kp, columns, pairs, perBlock, maxIter int64
		tol, unit, mass, share                   float64
		resident, twoMatrices                    int64
		rows, source, target                     pointer
		toTarget, toSource, weighted             pointer
		fromCost, toCost, fromWeight, toWeight   pointer
		between, betweenWeight                   pointer
		outcomes, scalings                       pointer
	}
	tensorArgs struct {
		kp, pairs, perBlock, maxIter       int64
		tol, unit                          float64
		resident                           int64
		rows, source, target               pointer
		toTarget, toSource, weighted, kept pointer
		outcomes, scalings                 pointer
	}
	outcome struct {
		cost, err        float64
		iterations, lost int32
	}
	gibbsArgs struct {
		n            int64
		reg          float64
		cost, weight pointer
	}
	logDistanceArgs struct {
		k, kp, maxIter, border        int64
		tol, unit, mass, share        float64
		rows, source, target, pairs   pointer
		cost, transposed              pointer
		fromCost, toCost              pointer
		between, outcomes, potentials pointer
	}
	barycenterArgs struct {
		k, kp, columns, maxIter, debiased, unweightedStart int64
		tol                                                float64
		resident, twoMatrices                              int64
		rows, tile, offset, member, weight                 pointer
		toTarget, toSource                                 pointer
		carry, log, previous, deviation, histogram         pointer
		outcomes                                           pointer
	}
	barycenterOutcome struct {
		spread            float64
		iterations, state int32
	}
	logBarycenterArgs struct {
		k, kp, maxIter, debiased, unweightedStart      int64
		tol, unit                                      float64
		rows, offset, member, weight, groups, place    pointer
		cost, transposed, scratch, histogram, outcomes pointer
	}
)

// States of a barycenter's outcome.
const converged, lost = 2, 3

// logLimit is the most bins the kernels in logarithms have room for.
func logLimit(shared int) int { return shared/(5*8) - 8 }

// matrices are a problem's cost and Gibbs kernel on the device, k×kp each.
type matrices struct {
	k, kp                        int
	two                          int     // 1 if the cost is symmetric
	unit                         float64 // a power of two above all costs
	toTarget, toSource, weighted pointer
	cost, transposed             pointer
	host                         []float32 // all of them, one after the other
}

// weight is exp(−cost/λ), zero where it would not be a normal float32.
func weight(cost float32, reg float64) float32 {
	if w := float32(math.Exp(-float64(cost) / reg)); w >= 0x1p-126 {
		return w
	}
	return 0
}

// load computes the matrices and sends them to the device.
func load(ctx context.Context, s *session, q queue, c ot.Cost, reg float64) *matrices {
	k, kp := c.K, padded(c.K)
	m := &matrices{k: k, kp: kp, two: 1, unit: 1}
	var largest float32
	for _, x := range c.Data {
		largest = max(largest, x)
	}
	if largest > 0 {
		_, exponent := math.Frexp(float64(largest))
		m.unit = math.Ldexp(1, exponent)
	}
	const count = 5 // to_target, to_source, weighted, cost, transposed
	n := k * kp
	all := newStaged[float32](s, count*n)
	if s.err != nil {
		return m
	}
	host := all.host
	m.host = host
	clear(host)
	for i := range k {
		if s.try(ctx.Err); s.err != nil {
			return m
		}
		for j := range k {
			x := c.Data[i*k+j]
			w := weight(x, reg)
			host[i*kp+j] = w
			host[n+j*kp+i] = w
			host[2*n+j*kp+i] = w * float32(float64(x)/m.unit)
			host[3*n+i*kp+j] = x
			host[4*n+j*kp+i] = x
			if x != c.Data[j*k+i] {
				m.two = 2
			}
		}
	}
	all.upload(q, count*n)
	for i, at := range []*pointer{&m.toTarget, &m.toSource, &m.weighted, &m.cost, &m.transposed} {
		*at = all.at + pointer(4*i*n)
	}
	return m
}

// arranged puts a matrix of k×kp numbers in the order in which the kernels of tensor.cu copy it, n×n: of every 8 rows
// the numbers rounded to 11 bits of significand, then what these lack, so rounded. See warpgroup.cuh for the
// order of 8 rows.
func arranged(to []uint32, matrix []float32, k, kp, n int) {
	rounded := func(x float32) uint32 { return (math.Float32bits(x) + 0x1000) &^ 0x1fff }
	clear(to)
	for row := range n {
		bin := row/8*8 + row%4*2 + row%8/4
		if bin >= k {
			continue
		}
		out := to[row/8*16*n+row%8/4*4*n+row%4:]
		for column, x := range matrix[bin*kp:][:k] {
			high := rounded(x)
			at := column * 4
			out[at] = high
			out[8*n+at] = rounded(x - math.Float32frombits(high))
		}
	}
}

// table is a matrix with rows of k numbers on the host and kp on the device.
type table struct {
	array[float32]
	data  []float32
	k, kp int
}

// newTable makes room for the given number of rows of data.
func newTable(s *session, data []float32, k, rows int) table {
	kp := padded(k)
	return table{newStaged[float32](s, rows*kp), data, k, kp}
}

// send uploads the rows with the given numbers.
func (t table) send(q queue, rows []int32) {
	for i, from := range rows {
		row := t.host[i*t.kp:][:t.kp]
		copy(row, t.data[int(from)*t.k:][:t.k])
		clear(row[t.k:])
	}
	t.upload(q, len(rows)*t.kp)
}

// renumber gives the rows that a batch uses consecutive numbers.
type renumber struct {
	number []int32 // of each row, −1: not used
	used   []int32
}

func newRenumber(rows int) *renumber {
	r := &renumber{number: make([]int32, rows)}
	for i := range r.number {
		r.number[i] = -1
	}
	return r
}

func (r *renumber) add(row int32) int32 {
	if r.number[row] < 0 {
		r.number[row] = int32(len(r.used))
		r.used = append(r.used, row)
	}
	return r.number[row]
}

func (r *renumber) reset() {
	for _, row := range r.used {
		r.number[row] = -1
	}
	r.used = r.used[:0]
}

// work is about how many multiplications a batch may take: a second or so, so that a
// context that ends is noticed.
const work = 1 << 43

// batchSize is the number of problems, n at most, of 2·k² multiplications an iteration.
func batchSize(n, k int, settings ot.Settings) int {
	size := work / (2 * float64(k) * float64(k) * float64(settings.MaxIter))
	return min(n, int(min(max(size, 1<<12), 1<<16)))
}

// smaller calls solve with batches of the given size, and of half the size as long as
// the device has too little memory. solve must take all its memory before it yields.
func smaller(size int, solve func(size int) error) error {
	for {
		err := solve(size)
		if !errors.Is(err, errMemory) || size <= 64 {
			return err
		}
		size = (size + 1) / 2
	}
}

func (e Engine) tooLarge(k int) error {
	_, shared := e.limits()
	if limit := logLimit(shared); k > limit {
		return fmt.Errorf("cuda: %d bins; this device has room for %d at most, the engine cpu has no limit: %w",
			k, limit, errors.ErrUnsupported)
	}
	return nil
}
