// Package transport has the commands that solve transport problems from files.
package transport

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/exact"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/convergence"
)

// problemFlags are shared by the commands on transport problems.
type problemFlags struct {
	cli.SolverFlags
	Cost string `required:"" placeholder:"M.npy" help:"K×K ground cost; row = source bin."`
	cli.EngineFlag
	JSON bool `name:"json" group:"common" help:"Print JSON."`
}

// check is called by the Validate of each command, which kong finds.
func (f *problemFlags) check(tol float64) error {
	if err := f.SolverFlags.Validate(); err != nil {
		return err
	}
	if !(tol >= 0) || math.IsInf(tol, 0) {
		return fmt.Errorf("--tol=%v: expected a number ≥ 0", tol)
	}
	return nil
}

// settings are those that the flags say, with a tolerance.
func (f *problemFlags) settings(tol float64) ot.Settings {
	return f.Over(ot.Settings{Reg: 0.1, MaxIter: 1000, Tol: tol})
}

// pairFlags are those of problems between two sides.
type pairFlags struct {
	problemFlags
	A   string  `name:"a" required:"" placeholder:"A.npy" help:"Source histograms, K or N×K."`
	B   string  `name:"b" required:"" placeholder:"B.npy" help:"Target histograms, K or N×K. A single histogram is paired with all of the other side."`
	Tol float64 `default:"1e-5" placeholder:"T" help:"Stop when the L1 error of the column sums is at most T; 0 runs all iterations, and up to 0.01 counts as converged (default ${default})."`
	// The price in (9) of package ot.
	Unbalanced float64 `placeholder:"ρ" help:"Let the plan's sums differ from the histograms, at the price of ρ times their Kullback–Leibler divergence; --json reports the mass that moves as moved."`

	Exact bool `help:"Solve without regularisation, by the network simplex method; iterations are its pivots."`
}

func (f *pairFlags) Validate(command *kong.Context) error {
	// Defaults are not in the path, so these flags were given.
	for _, p := range command.Path {
		if f.Exact && p.Flag != nil && slices.Contains([]string{
			"reg", "iters", "tol", "engine", "unbalanced",
		}, p.Flag.Name) {
			return fmt.Errorf("--exact and --%s exclude each other", p.Flag.Name)
		}
	}
	if !(f.Unbalanced >= 0) || math.IsInf(f.Unbalanced, 0) {
		return fmt.Errorf("--unbalanced=%v: expected a positive number", f.Unbalanced)
	}
	return f.check(f.Tol)
}

// problem reads the arrays and makes pair (A[i], B[i]) for each i.
func (f *pairFlags) problem() (*ot.Problem, error) {
	x, err := readPairs[float32](f)
	if err != nil {
		return nil, err
	}
	p := &ot.Problem{
		Settings: f.settings(f.Tol),
		Cost:     ot.Cost{K: x.k, Data: x.cost},
		Rows:     ot.Histograms{K: x.k, Data: append(x.a, x.b...)},
		Pairs:    make([]ot.Pair, x.n),
		Penalty:  f.Unbalanced,
	}
	if err := checkReg(p.Reg, p.Cost); err != nil {
		return nil, err
	}
	first := len(x.a) / x.k
	for i := range p.Pairs {
		source, target := x.pair(i)
		p.Pairs[i] = ot.Pair{Source: int32(source), Target: int32(first + target)}
	}
	return p, nil
}

// hint is what helps problems from files to converge.
const hint = "more --iters or a larger --reg"

// open returns the problem and what solves it.
func (f *pairFlags) open() (*ot.Problem, *ot.Monitor, error) {
	p, err := f.problem()
	if err != nil {
		return nil, nil, err
	}
	engine, err := f.engine()
	return p, engine, err
}

func (f *problemFlags) engine() (*ot.Monitor, error) {
	engine, err := engines.New(f.Engine)
	return &ot.Monitor{Engine: engine}, err
}

// Distance is repro ot distance.
type Distance struct {
	pairFlags
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
func (d *results) print(e *cli.Env, asJSON bool) error {
	if asJSON {
		return e.JSON(d)
	}
	first := ""
	if d.Divergence != nil {
		first = "divergence\t"
	}
	fmt.Fprintf(e.Out, "pair\t%scost\titerations\tmarginal error\tconverged\n", first)
	for i := range d.Cost {
		if d.Divergence != nil {
			first = decimal(d.Divergence[i]) + "\t"
		}
		fmt.Fprintf(e.Out, "%d\t%s%s\t%d\t%.2g\t%v\n", i, first, decimal(d.Cost[i]), d.Iterations[i],
			d.MarginalError[i], d.Converged[i])
	}
	return nil
}

func (c *Distance) Run(e *cli.Env) error {
	var d results
	step := e.Progress.Step("distances")
	collect := func(n int, solved []ot.Result) error {
		for _, r := range solved {
			d.add(r, c.Tol)
			if c.Unbalanced > 0 {
				d.Moved = append(d.Moved, r.Moved)
			}
		}
		step(int64(len(d.Cost)), int64(n))
		return nil
	}

	var err error
	if d.Engine, err = c.distances(e, collect); err != nil {
		return err
	}
	return d.print(e, c.JSON)
}

// distances calls yield with the number of pairs and the results of some, in order, and returns the engine's name.
func (c *Distance) distances(ctx context.Context, yield func(n int, results []ot.Result) error) (string, error) {
	if c.Exact {
		x, err := readPairs[float64](&c.pairFlags)
		if err != nil {
			return "", err
		}
		return exact.New().Name(), exactDistances(ctx, x, yield)
	}
	p, engine, err := c.open()
	if err != nil {
		return "", err
	}
	err = engine.Distances(ctx, p, func(_ int, results []ot.Result) error { return yield(len(p.Pairs), results) })
	if err == nil {
		convergence.Warn(engine, hint)
	}
	return engine.Name(), err
}

// Divergence is repro ot divergence.
type Divergence struct {
	pairFlags
}

// Validate is that of the flags, without --exact.
func (c *Divergence) Validate(command *kong.Context) error {
	if c.Exact {
		return errors.New("--exact: without regularisation there is no blur to take away: use ot distance")
	}
	return c.pairFlags.Validate(command)
}

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
	switch {
	case errors.Is(err, ot.ErrAsymmetric):
		return cli.BadData(fmt.Errorf("%s: %w", c.Cost, err))
	case err != nil:
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
	return d.print(e, c.JSON)
}

// Plan is repro ot plan.
type Plan struct {
	pairFlags
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
	name, t, err := c.plan(e)
	if err != nil {
		return err
	}
	out := plan{name, t.Cost, t.Iterations, t.MarginalError, ot.Settled(t.MarginalError, c.Tol), t.F, t.G, nil}
	if c.Out != "" {
		if err := npy.Write(c.Out, []int{t.Rows, t.Cols}, t.Mass); err != nil {
			return err
		}
	} else {
		for i := range t.Rows {
			out.Plan = append(out.Plan, t.Mass[i*t.Cols:(i+1)*t.Cols])
		}
	}
	if c.JSON {
		return e.JSON(out)
	}
	if c.Out != "" {
		fmt.Fprintf(e.Out, "cost\t%s\n", decimal(out.Cost))
		return nil
	}
	for _, row := range out.Plan {
		printRow(e.Out, row)
	}
	return nil
}

// plan returns the plan of the only pair, and the engine's name.
func (c *Plan) plan(ctx context.Context) (string, *ot.Plan, error) {
	if c.Exact {
		x, err := readPairs[float64](&c.pairFlags)
		if err == nil {
			err = c.single(x.n)
		}
		if err != nil {
			return "", nil, err
		}
		t, err := exactPlan(ctx, x, 0)
		return exact.New().Name(), t, err
	}
	p, engine, err := c.open()
	if err == nil {
		err = c.single(len(p.Pairs))
	}
	if err != nil {
		return "", nil, err
	}
	t, err := engine.Plan(ctx, p, 0)
	if err == nil {
		convergence.Warn(engine, hint)
	}
	return engine.Name(), t, err
}

// single returns an error unless the files make a single pair.
func (c *Plan) single(pairs int) error {
	if pairs == 1 {
		return nil
	}
	return cli.BadData(fmt.Errorf("%s and %s make %d pairs: a plan is for one pair, so give one histogram a side",
		c.A, c.B, pairs))
}

// Barycenter is repro ot barycenter.
type Barycenter struct {
	problemFlags
	A        string  `name:"a" required:"" placeholder:"A.npy" help:"Histograms to average, N×K."`
	Weights  string  `placeholder:"w.npy" help:"Their N positive weights, of sum 1; equal ones by default."`
	Tol      float64 `default:"1e-4" placeholder:"T" help:"Stop when the members' estimates differ by at most T and the limit is at most T away; 0 runs all iterations, and up to 0.01 counts as converged (default ${default})."`
	Debiased bool    `help:"Remove the entropic blur; needs a symmetric cost."`
	Out      string  `placeholder:"b.npy" help:"Write the barycenter there instead of printing it."`
}

func (c *Barycenter) Validate() error { return c.check(c.Tol) }

type barycenter struct {
	Engine     string    `json:"engine"`
	Barycenter []float32 `json:"barycenter,omitempty"`
	Iterations int       `json:"iterations"`
	Spread     float64   `json:"spread"`
	FromLimit  float64   `json:"from_limit"` // ot.Barycenter.Error
	Converged  bool      `json:"converged"`
}

func (c *Barycenter) Run(e *cli.Env) error {
	k, costs, err := readCost[float32](c.Cost)
	if err != nil {
		return err
	}
	cost := ot.Cost{K: k, Data: costs}
	if err := checkReg(c.settings(0).Reg, cost); err != nil {
		return err
	}
	data, err := readHistograms[float32](c.A, k)
	if err != nil {
		return err
	}
	rows := ot.Histograms{K: k, Data: data}
	n := rows.Len()
	p := &ot.BarycenterProblem{
		Settings: c.settings(c.Tol),
		Cost:     cost,
		Rows:     rows,
		Offsets:  []int{0, n},
		Members:  make([]int32, n),
		Weights:  make([]float32, n),
		Debiased: c.Debiased,
	}
	for i := range n {
		p.Members[i], p.Weights[i] = int32(i), 1/float32(n)
	}
	if c.Weights != "" {
		shape, weights, err := npy.ReadFloats[float32](c.Weights)
		if err != nil {
			return cli.BadData(err)
		}
		if len(shape) != 1 || shape[0] != n {
			return cli.BadData(fmt.Errorf("%s: shape %s, expected %d weights, one per histogram",
				c.Weights, shapeText(shape), n))
		}
		p.Weights = weights
	}
	if err := p.Validate(); err != nil {
		return cli.BadData(err)
	}
	engine, err := c.engine()
	if err != nil {
		return err
	}
	out, err := average(e, engine, p)
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
	case c.JSON:
		return e.JSON(out)
	case c.Out == "":
		row := make([]float64, cost.K)
		for k, x := range out.Barycenter {
			row[k] = float64(x)
		}
		printRow(e.Out, row)
	}
	return nil
}

// average solves the problem, with a tolerance until it has converged.
func average(ctx context.Context, engine ot.Engine, p *ot.BarycenterProblem) (barycenter, error) {
	out := barycenter{Engine: engine.Name()}
	collect := func(_ int, results []ot.Barycenter) error {
		for _, r := range results {
			out.Barycenter = append(out.Barycenter, r.Histogram...)
			out.Iterations, out.Spread, out.FromLimit = r.Iterations, r.Spread, r.Error
			out.Converged = ot.Settled(max(r.Spread, r.Error), p.Tol)
		}
		return nil
	}

	p.UntilConverged = p.Tol > 0
	err := engine.Barycenters(ctx, p, collect)
	return out, err
}

// checkReg returns an error if λ is too small for the cost.
func checkReg(reg float64, cost ot.Cost) error {
	if err := cost.ValidateReg(reg); err != nil {
		return cli.BadUsage("--reg=%v: %w", reg, err)
	}
	return nil
}

func shapeText(shape []int) string {
	if len(shape) == 0 {
		return "of a single number"
	}
	text := make([]string, len(shape))
	for i, n := range shape {
		text[i] = strconv.Itoa(n)
	}
	return strings.Join(text, "×")
}

// printRow prints numbers on a line.
func printRow(out *bufio.Writer, v []float64) {
	for i, x := range v {
		if i > 0 {
			out.WriteByte('\t')
		}
		out.WriteString(decimal(x))
	}
	out.WriteByte('\n')
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'g', 9, 64) }
