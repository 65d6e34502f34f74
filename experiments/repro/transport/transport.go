// Package transport has the commands that solve transport problems from files.
package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/convergence"
	"contextmover/internal/parallel"
)

// problemFlags are shared by the commands on transport problems.
type problemFlags struct {
	Cost  string  `required:"" placeholder:"M.npy" help:"K×K ground cost; row = source bin."`
	Reg   float64 `positive:"" xor:"reg" placeholder:"λ" help:"Entropic regularisation λ > 0, in the units of the cost (default: 0.1)."`
	Iters int     `min:"1" xor:"iters" placeholder:"N" help:"Largest number of iterations (default: 1000)."`
	cli.EngineFlag
}

// read reads the cost, and returns it with the settings that the flags say and a tolerance.
func (f *problemFlags) read(tol float64) (cost ot.Cost, s ot.Settings, err error) {
	s = ot.Settings{Reg: cmp.Or(f.Reg, 0.1), MaxIter: cmp.Or(f.Iters, 1000), Tol: tol}
	cost.K, cost.Data, err = readCost[float32](f.Cost)
	if err != nil {
		return cost, s, err
	}
	if err := cost.ValidateReg(math.MaxFloat64); err != nil {
		return cost, s, cli.BadData(fmt.Errorf("%s: %w", f.Cost, err))
	}
	if err := cost.ValidateReg(s.Reg); err != nil {
		return cost, s, cli.BadUsage("--reg=%v: %w", s.Reg, err)
	}
	return cost, s, nil
}

// read reads an array of a shape that fits. The error says which was expected.
func read[T float32 | float64](
	path, expected string, fits func(shape []int) bool,
) (shape []int, data []T, err error) {
	shape, data, err = npy.ReadFloats[T](path)
	if err == nil && !fits(shape) {
		text := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "×"), "[]")
		err = fmt.Errorf("%s: shape %s, expected %s", path, text, expected)
	}
	if err != nil {
		err = cli.BadData(err)
	}
	return shape, data, err
}

// readCost reads the cost between K bins.
func readCost[T float32 | float64](path string) (k int, data []T, err error) {
	shape, data, err := read[T](path, "a square cost K×K", func(shape []int) bool {
		return len(shape) == 2 && shape[0] == shape[1] && shape[0] > 0
	})
	if err != nil {
		return 0, nil, err
	}
	return shape[0], data, nil
}

// readHistograms reads an array K or N×K of histograms over K bins.
func readHistograms[T float32 | float64](path string, k int) ([]T, error) {
	_, data, err := read[T](path, fmt.Sprintf("%d or N×%d as the cost is %d×%d", k, k, k, k), func(shape []int) bool {
		return (len(shape) == 1 || len(shape) == 2 && shape[0] > 0) && shape[len(shape)-1] == k
	})
	if err != nil {
		return nil, err
	}
	rows := ot.Histograms{K: k, Data: make([]float32, len(data))}
	for i, mass := range data {
		rows.Data[i] = float32(mass)
	}
	p := ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 1}, Cost: ot.Cost{K: k, Data: make([]float32, k*k)}, Rows: rows,
	}
	for i := range rows.Len() {
		p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32(i)})
	}
	if err := p.ValidatePairs(); err != nil {
		return nil, cli.BadData(fmt.Errorf("%s: %w", path, err))
	}
	return data, nil
}

// monitor returns the engine of the flag, which keeps account of convergence.
func (f *problemFlags) monitor() (*ot.Monitor, error) {
	engine, err := engines.New(f.Engine)
	return &ot.Monitor{Engine: engine}, err
}

// hint is what helps problems from files to converge.
const hint = "more --iters or a larger --reg"

// pairFlags are those of problems between two sides.
type pairFlags struct {
	problemFlags
	A   string  `name:"a" required:"" placeholder:"A.npy" help:"Source histograms, K or N×K."`
	B   string  `name:"b" required:"" placeholder:"B.npy" help:"Target histograms, K or N×K. A single histogram is paired with all of the other side."`
	Tol float64 `default:"1e-5" min:"0" placeholder:"T" help:"Stop when the L1 error of the column sums is at most T; 0 runs all iterations, and up to 0.01 counts as converged (default ${default})."`
	// The price in (9) of package ot.
	Unbalanced float64 `positive:"" xor:"unbalanced" placeholder:"ρ" help:"Let the plan's sums differ from the histograms, at the price of ρ times their Kullback–Leibler divergence; --json reports the mass that moves as moved."`
}

// readSides reads the histograms of both sides over k bins, one after the other, and makes pair (A[i], B[i]) for each
// i.
func readSides[T float32 | float64](f *pairFlags, k int) (rows []T, pairs []ot.Pair, err error) {
	a, err := readHistograms[T](f.A, k)
	if err != nil {
		return nil, nil, err
	}
	b, err := readHistograms[T](f.B, k)
	if err != nil {
		return nil, nil, err
	}
	na, nb := len(a)/k, len(b)/k
	if na != nb && min(na, nb) != 1 {
		return nil, nil, cli.BadData(fmt.Errorf("%s has %d histograms and %s has %d: expected equal numbers, or one "+
			"on a side", f.A, na, f.B, nb))
	}
	for i := range max(na, nb) {
		pairs = append(pairs, ot.Pair{Source: int32(i % na), Target: int32(na + i%nb)})
	}
	return append(a, b...), pairs, nil
}

// open reads the arrays, and returns their problem and what solves it.
func (f *pairFlags) open() (*ot.Problem, *ot.Monitor, error) {
	cost, settings, err := f.read(f.Tol)
	if err != nil {
		return nil, nil, err
	}
	rows, pairs, err := readSides[float32](f, cost.K)
	if err != nil {
		return nil, nil, err
	}
	engine, err := f.monitor()
	return &ot.Problem{
		Settings: settings, Cost: cost, Penalty: f.Unbalanced,
		Rows: ot.Histograms{K: cost.K, Data: rows}, Pairs: pairs,
	}, engine, err
}

// solveFlags are those of problems that can be solved without regularisation.
type solveFlags struct {
	pairFlags
	Exact bool `xor:"reg,iters,unbalanced" help:"Solve without regularisation, by the network simplex method in float64; iterations are its pivots."`
}

// open is that of pairs, with the engine that is asked for.
func (f *solveFlags) open() (*ot.Problem, *ot.Monitor, error) {
	if !f.Exact {
		return f.pairFlags.open()
	}
	k, cost, err := readCost[float64](f.Cost)
	if err != nil {
		return nil, nil, err
	}
	rows, pairs, err := readSides[float64](&f.pairFlags, k)
	engine := &exactly{file: f.Cost, k: k, cost: cost, rows: rows}
	return &ot.Problem{Pairs: pairs}, &ot.Monitor{Engine: engine}, err
}

// exactly is the engine of package exact on the costs and masses of files, which float32 may not hold. The sums of
// histograms are made 1. Of a problem it reads the pairs.
type exactly struct {
	exact.Engine
	file       string // of the cost
	k          int
	cost, rows []float64
}

// Distances implements ot.Engine.
func (x *exactly) Distances(
	ctx context.Context, p *ot.Problem, yield func(first int, results []ot.Result) error,
) error {
	const chunk = 64 // how many pairs are solved between two calls of yield
	return parallel.Chunks(ctx, len(p.Pairs), chunk, 1, func(i int) (ot.Result, error) {
		plan, err := x.Plan(ctx, p, i)
		if err != nil {
			return ot.Result{}, err
		}
		return plan.Result, nil
	}, yield)
}

// Plan implements ot.Engine.
func (x *exactly) Plan(ctx context.Context, p *ot.Problem, i int) (*ot.Plan, error) {
	source, target := x.histogram(p.Pairs[i].Source), x.histogram(p.Pairs[i].Target)
	r, err := exact.Solve(ctx, source, target, x.cost)
	if err != nil {
		return nil, cli.BadData(fmt.Errorf("%s, pair %d: %w", x.file, i, err))
	}
	plan := &ot.Plan{Rows: x.k, Cols: x.k, Mass: r.Plan, F: r.U, G: r.V}
	plan.Result = ot.Result{Cost: r.Cost, Iterations: r.Pivots, Converged: true}
	sums := make([]float64, x.k)
	for arc, mass := range r.Plan {
		sums[arc%x.k] += mass
	}
	plan.MarginalError = floats.Distance(sums, target, 1)
	return plan, nil
}

// histogram returns a row divided by its sum.
func (x *exactly) histogram(row int32) []float64 {
	h := slices.Clone(x.rows[int(row)*x.k:][:x.k])
	floats.Scale(1/floats.Sum(h), h)
	return h
}

// results is the JSON form of what Distance and Divergence find, one entry a pair.
type results struct {
	Engine        string    `json:"engine"`
	Divergence    []float64 `json:"divergence,omitempty"`
	Value         []float64 `json:"value,omitempty"` // of Divergence
	Cost          []float64 `json:"cost"`
	Iterations    []int     `json:"iterations"`
	MarginalError []float64 `json:"marginal_error"`
	Converged     []bool    `json:"converged"`
	Moved         []float64 `json:"moved,omitempty"`
}

// add appends the solution of a pair.
func (d *results) add(r ot.Result, tol float64) {
	d.Cost, d.Iterations = append(d.Cost, r.Cost), append(d.Iterations, r.Iterations)
	d.MarginalError = append(d.MarginalError, r.MarginalError)
	d.Converged = append(d.Converged, ot.Settled(r.MarginalError, tol))
}

// print prints a line for each pair, or JSON.
func (d *results) print(e *cli.Env) error {
	if e.AsJSON {
		return e.JSON(d)
	}
	first := ""
	if d.Divergence != nil {
		first = "divergence\t"
	}
	fmt.Fprintf(e.Out, "pair\t%scost\titerations\tmarginal error\tconverged\n", first)
	for i := range d.Cost {
		if d.Divergence != nil {
			first = fmt.Sprintf("%.9g\t", d.Divergence[i])
		}
		fmt.Fprintf(e.Out, "%d\t%s%.9g\t%d\t%.2g\t%v\n", i, first, d.Cost[i], d.Iterations[i], d.MarginalError[i],
			d.Converged[i])
	}
	return nil
}

// Distance is repro ot distance.
type Distance struct{ solveFlags }

func (c *Distance) Run(e *cli.Env) error {
	p, engine, err := c.open()
	if err != nil {
		return err
	}
	d := results{Engine: engine.Name()}
	step := e.Progress.Step("distances")
	err = engine.Distances(e, p, func(_ int, solved []ot.Result) error {
		for _, r := range solved {
			d.add(r, c.Tol)
			if c.Unbalanced > 0 {
				d.Moved = append(d.Moved, r.Moved)
			}
		}
		step(int64(len(d.Cost)), int64(len(p.Pairs)))
		return nil
	})
	if err != nil {
		return err
	}
	convergence.Warn(engine, hint)
	return d.print(e)
}

// Divergence is repro ot divergence.
type Divergence struct{ pairFlags }

func (c *Divergence) Help() string {
	return "The divergence of a and b is OT(a, b) − ½ OT(a, a) − ½ OT(b, b), where OT includes the entropy relative " +
		"to the product of the two histograms. Unlike the cost of a regularised plan it is 0 between equal " +
		"histograms. It needs a symmetric cost."
}

func (c *Divergence) Run(e *cli.Env) error {
	p, engine, err := c.open()
	if err != nil {
		return err
	}
	all, err := ot.Divergences(e, engine, p)
	if errors.Is(err, ot.ErrAsymmetric) {
		return cli.BadData(fmt.Errorf("%s: %w", c.Cost, err))
	}
	if err != nil {
		return err
	}
	d := results{Engine: engine.Name()}
	for _, r := range all {
		worst := r.Between // of the three that make it
		for _, one := range []ot.Result{r.Source, r.Target} {
			worst.MarginalError = max(worst.MarginalError, one.MarginalError)
			worst.Iterations = max(worst.Iterations, one.Iterations)
		}
		d.add(worst, p.Tol)
		d.Divergence, d.Value = append(d.Divergence, r.Value), append(d.Value, r.Between.Value)
	}
	convergence.Warn(engine, hint)
	return d.print(e)
}

// Plan is repro ot plan.
type Plan struct {
	solveFlags
	Out string `placeholder:"T.npy" help:"Write the plan there instead of printing it."`
}

type plan struct {
	Engine        string  `json:"engine"`
	Cost          float64 `json:"cost"`
	Iterations    int     `json:"iterations"`
	MarginalError float64 `json:"marginal_error"`
	Converged     bool    `json:"converged"`
	// The potentials of the source's and the target's bins: the gradient of the regularised cost in the two histograms.
	Source []float64   `json:"source_potential"`
	Target []float64   `json:"target_potential"`
	Plan   [][]float64 `json:"plan,omitempty"`
}

func (c *Plan) Run(e *cli.Env) error {
	p, engine, err := c.open()
	if err != nil {
		return err
	}
	if n := len(p.Pairs); n != 1 {
		return cli.BadData(fmt.Errorf("%s and %s make %d pairs: a plan is for one pair, so give one histogram a side",
			c.A, c.B, n))
	}
	t, err := engine.Plan(e, p, 0)
	if err != nil {
		return err
	}
	convergence.Warn(engine, hint)
	out := plan{
		Engine: engine.Name(), Cost: t.Cost, Iterations: t.Iterations, MarginalError: t.MarginalError,
		Converged: ot.Settled(t.MarginalError, c.Tol), Source: t.F, Target: t.G,
	}
	if c.Out != "" {
		if err := npy.Write(c.Out, []int{t.Rows, t.Cols}, t.Mass); err != nil {
			return err
		}
	} else {
		for i := range t.Rows {
			out.Plan = append(out.Plan, t.Mass[i*t.Cols:(i+1)*t.Cols])
		}
	}
	switch {
	case e.AsJSON:
		return e.JSON(out)
	case c.Out != "":
		fmt.Fprintf(e.Out, "cost\t%.9g\n", out.Cost)
	}
	for _, row := range out.Plan {
		printRow(e, row)
	}
	return nil
}

// Barycenter is repro ot barycenter.
type Barycenter struct {
	problemFlags
	A        string  `name:"a" required:"" placeholder:"A.npy" help:"Histograms to average, N×K."`
	Weights  string  `placeholder:"w.npy" help:"Their N positive weights, of sum 1; equal ones by default."`
	Tol      float64 `default:"1e-4" min:"0" placeholder:"T" help:"Stop when the members' estimates differ by at most T and the limit is at most T away; 0 runs all iterations, and up to 0.01 counts as converged (default ${default})."`
	Debiased bool    `help:"Remove the entropic blur; needs a symmetric cost."`
	Out      string  `placeholder:"b.npy" help:"Write the barycenter there instead of printing it."`
}

type barycenter struct {
	Engine     string    `json:"engine"`
	Barycenter []float32 `json:"barycenter,omitempty"`
	Iterations int       `json:"iterations"`
	Spread     float64   `json:"spread"`
	FromLimit  float64   `json:"from_limit"` // ot.Barycenter.Error
	Converged  bool      `json:"converged"`
}

func (c *Barycenter) Run(e *cli.Env) error {
	cost, settings, err := c.read(c.Tol)
	if err != nil {
		return err
	}
	data, err := readHistograms[float32](c.A, cost.K)
	if err != nil {
		return err
	}
	rows := ot.Histograms{K: cost.K, Data: data}
	n := rows.Len()
	p := &ot.BarycenterProblem{
		Settings: settings, Cost: cost, Rows: rows, Offsets: []int{0, n}, Debiased: c.Debiased,
		UntilConverged: c.Tol > 0,
	}
	for i := range n {
		p.Members, p.Weights = append(p.Members, int32(i)), append(p.Weights, 1/float32(n))
	}
	if c.Weights != "" {
		want := fmt.Sprintf("%d weights, one per histogram", n)
		_, p.Weights, err = read[float32](c.Weights, want, func(shape []int) bool {
			return len(shape) == 1 && shape[0] == n
		})
		if err != nil {
			return err
		}
	}
	if err := p.Validate(); err != nil {
		return cli.BadData(err)
	}
	engine, err := c.monitor()
	if err != nil {
		return err
	}
	out := barycenter{Engine: engine.Name()}
	err = engine.Barycenters(e, p, func(_ int, results []ot.Barycenter) error {
		r := results[0] // the problem has one group
		out.Barycenter, out.Iterations = slices.Clone(r.Histogram), r.Iterations
		out.Spread, out.FromLimit = r.Spread, r.Error
		out.Converged = ot.Settled(max(r.Spread, r.Error), c.Tol)
		return nil
	})
	if err != nil {
		return err
	}
	convergence.Warn(engine, hint)
	if c.Out != "" {
		if err := npy.Write(c.Out, []int{cost.K}, out.Barycenter); err != nil {
			return err
		}
		out.Barycenter = nil
	}
	switch {
	case e.AsJSON:
		return e.JSON(out)
	case c.Out == "":
		printRow(e, out.Barycenter)
	}
	return nil
}

// printRow prints numbers on a line.
func printRow[T float32 | float64](e *cli.Env, row []T) {
	texts := make([]string, len(row))
	for i, x := range row {
		texts[i] = fmt.Sprintf("%.9g", x)
	}
	fmt.Fprintln(e.Out, strings.Join(texts, "\t"))
}
