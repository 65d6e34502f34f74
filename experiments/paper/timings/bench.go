package timings

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"time"

	"contextmover/cmdlib/ot"
	"contextmover/experiments/harness/pipeline"
	"contextmover/internal/elementary"
	"contextmover/internal/system"
)

// Benchmark is what this machine does in a second.
type Benchmark struct {
	Machine string        `json:"machine"`
	Peak    float64       `json:"peak_gflops"` // float32, all threads, the best moment of this run
	Results []Measurement `json:"results"`
}

// Measurement is the median speed of one kind of work. GFLOPS counts the products that the method needs, not the
// instructions that ran; 0 where that says little. Fraction is the median of what the repetitions reached of the peak
// that was measured just before each, 0 where none is known. Other programs take turns with this one, so the peak of
// one moment says little about the next.
type Measurement struct {
	Name     string  `json:"name"`
	Unit     string  `json:"-"`
	Rate     float64 `json:"per_second"`
	GFLOPS   float64 `json:"gflops"`
	Fraction float64 `json:"fraction_of_peak"`
}

// Measure measures the engine of a workspace on generated work and on that of its
// profile, making what its store lacks of that.
func Measure(ctx context.Context, w *pipeline.Workspace) (*Benchmark, error) {
	b := &Benchmark{
		Machine: fmt.Sprintf("%s, %d threads, %s %s/%s, engine %s",
			cmp.Or(system.ProcessorName(), runtime.GOARCH), runtime.GOMAXPROCS(0), runtime.Version(), runtime.GOOS,
			runtime.GOARCH, w.Engine.Name()),
	}
	step := progress(w, "bench")
	add := func(name, unit string, work work) error {
		m, highest, err := measure(ctx, peak, work)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		m.Name, m.Unit = name, unit
		b.Peak = max(b.Peak, highest)
		b.Results = append(b.Results, m)
		step(int64(len(b.Results)), rows)
		return nil
	}
	if err := generatedWork(ctx, w.Engine, add); err != nil {
		return nil, err
	}
	return b, profileWork(ctx, w, add)
}

// progress starts a step of the workspace's progress, which it may lack.
func progress(w *pipeline.Workspace, step string) func(done, total int64) {
	if w.Progress == nil {
		return func(done, total int64) {}
	}
	return w.Progress(step)
}

// Speed writes three digits, or more where a number has more before the point.
func Speed(x float64) string {
	digits := 0
	if x < 100 {
		digits = max(0, 2-int(math.Floor(elementary.Log10(x))))
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

const (
	repetitions = 5
	// repetition is how long one repetition should take.
	repetition = 200 * time.Millisecond
)

// work does about n units and returns how many it did and their floating-point
// operations, 0 where these say little.
type work func(n int) (done int, flop float64, err error)

// adder measures some work and adds the result.
type adder func(name, unit string, work work) error

// measure returns the median speeds of work and the highest peak it saw. It does more units at a time until these take
// long enough to be timed; work that takes much longer is done only once.
func measure(ctx context.Context, peak func() float64, work work) (m Measurement, highest float64, err error) {
	var rates, flops, fractions []float64
	for n := 1; len(rates) < repetitions; {
		if err := ctx.Err(); err != nil {
			return m, 0, err
		}
		top := peak()
		highest = max(highest, top)
		start := time.Now()
		done, flop, err := work(n)
		if err != nil {
			return m, 0, err
		}
		seconds := time.Since(start).Seconds()
		rate, speed, fraction := float64(done)/seconds, flop/seconds/1e9, 0.0
		if top > 0 {
			fraction = speed / top
		}

		want := int(math.Ceil(rate * repetition.Seconds()))
		if want > 2*n { // the first few units say little
			n = min(want, 64*n)
			rates, flops, fractions = nil, nil, nil
			continue
		}
		rates, flops, fractions = append(rates, rate), append(flops, speed), append(fractions, fraction)
		if seconds > 10*repetition.Seconds() {
			break
		}
	}
	median := func(x []float64) float64 {
		slices.Sort(x)
		return x[len(x)/2]
	}
	return Measurement{Rate: median(rates), GFLOPS: median(flops), Fraction: median(fractions)}, highest, nil
}

// rows is the number of measurements, for the progress.
const rows = 10

// generatedWork measures on generated costs and histograms, in sizes of the paper's settings.
func generatedWork(ctx context.Context, engine ot.Engine, add adder) error {
	random := rand.New(rand.NewPCG(1, 0))
	for _, d := range []distances{
		{100, 100, ""}, {300, 100, ""}, {500, 100, ""}, {200, 500, ""},
		{300, 100, single}, {300, 100, smallReg},
	} {
		name, work := d.work(ctx, engine, random)
		if err := add(name, "distances", work); err != nil {
			return err
		}
	}
	for _, b := range []barycenters{
		{100, 25, ""}, {300, 12, ""}, {300, 12, smallReg},
	} {
		name, work := b.work(ctx, engine, random)
		if err := add(name, "barycenters", work); err != nil {
			return err
		}
	}
	return nil
}

// generated is how many histograms problems are made from.
const generated = 512

// The variants of problems, by the ends of their names.
const (
	single   = "/single" // one pair a call
	smallReg = "/reg=0.005"
)

// settings are those of a variant of generated problems.
func settings(variant string, iterations int) ot.Settings {
	reg := 0.1
	if variant == smallReg {
		reg = 0.005
	}
	return ot.Settings{Reg: reg, MaxIter: iterations}
}

// distances is a batch of distances.
type distances struct {
	k, iterations int
	variant       string
}

func (d distances) work(ctx context.Context, engine ot.Engine, random *rand.Rand) (string, work) {
	p := &ot.Problem{
		Settings: settings(d.variant, d.iterations), Cost: randomCost(d.k, random),
		Rows: randomHistograms(generated, d.k, random),
	}
	return fmt.Sprintf("sinkhorn/k=%d/iters=%d%s", d.k, d.iterations, d.variant), func(n int) (int, float64, error) {
		all := make([]ot.Pair, n)
		for i := range all {
			all[i] = ot.Pair{Source: int32(i % generated), Target: int32((i*7 + 1) % generated)}
		}
		size := n
		if d.variant == single {
			size = 1
		}
		for p.Pairs = range slices.Chunk(all, size) {
			if err := engine.Distances(ctx, p, func(int, []ot.Result) error { return nil }); err != nil {
				return 0, 0, err
			}
		}
		return n, 4 * float64(d.k*d.k) * float64(d.iterations) * float64(n), nil
	}
}

// barycenters is a batch of barycenters.
type barycenters struct {
	k, words int
	variant  string
}

const barycenterIterations = 100

func (b barycenters) work(ctx context.Context, engine ot.Engine, random *rand.Rand) (string, work) {
	p := &ot.BarycenterProblem{
		Settings: settings(b.variant, barycenterIterations), Cost: randomCost(b.k, random),
		Rows: randomHistograms(generated, b.k, random),
	}
	name := fmt.Sprintf("barycenter/words=%d/k=%d/iters=%d%s", b.words, b.k, barycenterIterations, b.variant)
	return name, func(n int) (int, float64, error) {
		p.Offsets, p.Members, p.Weights = append(p.Offsets[:0], 0), p.Members[:0], p.Weights[:0]
		for i := range n * b.words {
			p.Members = append(p.Members, int32(i*7%generated))
			p.Weights = append(p.Weights, 1/float32(b.words))
			if (i+1)%b.words == 0 {
				p.Offsets = append(p.Offsets, i+1)
			}
		}
		flop := 4 * float64(b.k*b.k) * float64(len(p.Members)) * barycenterIterations
		return n, flop, engine.Barycenters(ctx, p, func(int, []ot.Barycenter) error { return nil })
	}
}

// randomCost is the distance between k random points of a square, in units of the
// median.
func randomCost(k int, random *rand.Rand) ot.Cost {
	points := make([]complex128, k)
	for i := range points {
		points[i] = complex(random.Float64(), random.Float64())
	}
	cost := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i, x := range points {
		for j, y := range points {
			cost.Data[i*k+j] = float32(elementary.Hypot(real(x-y), imag(x-y)))
		}
	}
	sorted := slices.Clone(cost.Data)
	slices.Sort(sorted)
	for i := range cost.Data {
		cost.Data[i] /= sorted[len(sorted)/2]
	}
	return cost
}

// randomHistograms fills about a third of the bins, as words do.
func randomHistograms(n, k int, random *rand.Rand) ot.Histograms {
	h := ot.Histograms{K: k, Data: make([]float32, n*k)}
	for i := range n {
		row, sum := h.Row(i), 0.0
		for j := range row {
			if j == i%k || random.IntN(3) == 0 {
				row[j] = float32(random.ExpFloat64() + 1e-3)
				sum += float64(row[j])
			}
		}
		for j := range row {
			row[j] = float32(float64(row[j]) / sum)
		}
	}
	return h
}
