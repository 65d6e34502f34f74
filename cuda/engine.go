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
type Engine struct {
	*pool
	tensor bool // distances by tensor cores
}

// Name returns "cuda", or "cuda-tensor" of an engine that uses tensor cores.
func (e Engine) Name() string {
	if e.tensor {
		return "cuda-tensor"
	}
	return "cuda"
}

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
		splitToTarget, splitToSource             pointer
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
	splitToTarget, splitToSource pointer // for tensor cores
}

// weight is exp(−cost/λ), zero where it would not be a normal float32.
func weight(cost float32, reg float64) float32 {
	if w := float32(math.Exp(-float64(cost) / reg)); w >= 0x1p-126 {
		return w
	}
	return 0
}

// load computes the matrices and sends them to the device.
func load(ctx context.Context, s *session, q stream, c ot.Cost, reg float64, tensor bool) (*matrices, error) {
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
	all, err := newStaged[float32](s, count*n)
	if err != nil {
		return nil, err
	}
	host := all.host
	clear(host)
	for i := range k {
		if err := ctx.Err(); err != nil {
			return nil, err
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
	if err := all.upload(q, count*n); err != nil {
		return nil, err
	}
	for i, at := range []*pointer{&m.toTarget, &m.toSource, &m.weighted, &m.cost, &m.transposed} {
		*at = all.at + pointer(4*i*n)
	}
	if !tensor {
		return m, nil
	}
	for i, at := range []*pointer{&m.splitToTarget, &m.splitToSource} {
		fragments := split(host[i*n:][:n], kp)
		a, err := newStaged[uint32](s, len(fragments))
		if err != nil {
			return nil, err
		}
		copy(a.host, fragments)
		if err := a.upload(q, len(fragments)); err != nil {
			return nil, err
		}
		*at = a.at
	}
	return m, nil
}

// split cuts the matrix of the product Σ_s w[s][bin]·x[s] into fragments of 16 bins × 8 terms, each
// twice: as numbers of 11 bits, and what these lack as numbers of 11 bits. A lane of a
// warp reads 4 words of each (mma.m16n8k8 of the PTX manual).
func split(w []float32, kp int) []uint32 {
	rounded := func(x float32) uint32 { return (math.Float32bits(x) + 0x1000) &^ 0x1fff }
	out := make([]uint32, 0, (kp+15)/16*kp/8*2*warp*4)
	for first := 0; first < kp; first += 16 {
		for term := 0; term < kp; term += 8 {
			for part := range 2 {
				for lane := range warp {
					for r := range 4 {
						bin, s := first+lane/4+r%2*8, term+lane%4+r/2*4
						var x float32
						if bin < kp && s*kp < len(w) {
							x = w[s*kp+bin]
						}
						hi := rounded(x)
						if part == 1 {
							hi = rounded(x - math.Float32frombits(hi))
						}
						out = append(out, hi)
					}
				}
			}
		}
	}
	return out
}

// table is a matrix with rows of k numbers on the host and kp on the device.
type table struct {
	array[float32]
	data  []float32
	k, kp int
}

// newTable makes room for the given number of rows of data.
func newTable(s *session, data []float32, k, rows int) (table, error) {
	t := table{data: data, k: k, kp: padded(k)}
	var err error
	t.array, err = newStaged[float32](s, rows*t.kp)
	return t, err
}

// send uploads the rows with the given numbers.
func (t table) send(q stream, rows []int32) error {
	for i, from := range rows {
		row := t.host[i*t.kp:][:t.kp]
		copy(row, t.data[int(from)*t.k:][:t.k])
		clear(row[t.k:])
	}
	return t.upload(q, len(rows)*t.kp)
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

func (r *renumber) of(row int32) int32 {
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
		return fmt.Errorf("cuda: %d bins; this device has room for %d at most, the engine cpu has no limit", k, limit)
	}
	return nil
}
