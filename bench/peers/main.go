// Command peers is this library's side of comparisons with other programs:
//
//	peers ot          solves one task of peers.py or exact.py and times it: a JSON object on stdin, one on stdout
//	peers space       prints the cost of the built-in space and histograms of words and sentences: a JSON object
//	peers wmd         computes the word mover's distance of the pairs of a set, for peers.py
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/exact"
)

type task struct {
	// Kind is "distances", "converged" (those until the marginal error is at most Error) or "values" (one batch;
	// unbalanced with a penalty), "divergences",
	// "exact" (one by one), "partial" (exact, one by one; what it costs in all) and "moved" (the
	// mass that moves in these), "batch" and "batch exact" (pair p over cost p, K×K), "regularised
	// partial" and "regularised moved" (the same with λ, the first in one batch), or "barycenters".
	Kind       string     `json:"kind"`
	K          int        `json:"k"`
	Cost       []float32  `json:"cost"`
	Rows       []float32  `json:"rows"`
	Reg        float64    `json:"reg"`
	Iterations int        `json:"iterations"`
	Error      float64    `json:"error"`
	Penalty    float64    `json:"penalty"` // of unbalanced transport, and the price of partial transport
	Pairs      [][2]int32 `json:"pairs"`
	Groups     [][]int32  `json:"groups"`
	Seconds    float64    `json:"seconds"` // for which it is solved again and again

	exact, masses []float64 // the costs and the rows
}

type answer struct {
	Seconds float64     `json:"seconds"` // of the whole task, mean
	Values  [][]float64 `json:"values"`  // a cost, or a histogram, of each
}

var commands = map[string]func(ctx context.Context, args []string) error{
	"ot": transport, "space": printSpace, "wmd": wordMover,
}

func main() {
	var name string
	if len(os.Args) > 1 {
		name = os.Args[1]
	}
	command := commands[name]
	if command == nil {
		fmt.Fprintf(os.Stderr, "peers: expected ot, space or wmd, not %q\n", name)
		os.Exit(2)
	}
	if err := command(context.Background(), os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "peers %s: %v\n", name, err)
		os.Exit(1)
	}
}

// transport is peers ot.
func transport(context.Context, []string) error {
	var t task
	if err := json.NewDecoder(bufio.NewReader(os.Stdin)).Decode(&t); err != nil {
		return err
	}
	values, err := t.solve()
	if err != nil {
		return err
	}
	calls, start := 0, time.Now()
	for calls == 0 || time.Since(start).Seconds() < t.Seconds {
		if _, err := t.solve(); err != nil {
			return err
		}
		calls++
	}
	return json.NewEncoder(os.Stdout).Encode(answer{time.Since(start).Seconds() / float64(calls), values})
}

// batch solves problems that have a cost each.
func (t *task) batch(ctx context.Context, settings ot.Settings) (values [][]float64, err error) {
	if t.exact == nil {
		t.exact, t.masses = float64s(t.Cost), float64s(t.Rows)
	}
	k := t.K
	b := &ot.Batch{Settings: settings, N: len(t.Pairs), Load: func(i int, r *ot.Rectangle) error {
		row := func(i int32) []float64 { return t.masses[int(i)*k:][:k] }
		r.Source = append(r.Source[:0], row(t.Pairs[i][0])...)
		r.Target = append(r.Target[:0], row(t.Pairs[i][1])...)
		r.Cost = append(r.Cost[:0], t.exact[i*k*k:][:k*k]...)
		return nil
	}}
	var engine ot.Engine = cpu.New()
	if t.Kind == "batch exact" {
		engine = exact.New()
	}
	err = ot.Batches(ctx, engine, b, func(_ int, results []ot.Result) error {
		for _, r := range results {
			values = append(values, []float64{r.Cost})
		}
		return nil
	})
	return values, err
}

func (t *task) solve() (values [][]float64, err error) {
	ctx := context.Background()
	settings := ot.Settings{Reg: t.Reg, MaxIter: t.Iterations}
	cost, rows := ot.Cost{K: t.K, Data: t.Cost}, ot.Histograms{K: t.K, Data: t.Rows}
	p := &ot.Problem{Settings: settings, Cost: cost, Rows: rows}
	for _, x := range t.Pairs {
		p.Pairs = append(p.Pairs, ot.Pair{Source: x[0], Target: x[1]})
	}
	switch t.Kind {
	case "distances", "converged", "values":
		p.Penalty, p.Values = t.Penalty, t.Kind == "values"
		if t.Kind == "converged" {
			p.MaxIter, p.Tol, p.Accelerate = 100_000, t.Error, true
		}
		err = cpu.New().Distances(ctx, p, func(_ int, results []ot.Result) error {
			for _, r := range results {
				value := r.Cost
				if p.Values {
					value = r.Value
				}
				values = append(values, []float64{value})
			}
			return nil
		})
	case "batch", "batch exact":
		return t.batch(ctx, settings)
	case "divergences":
		divergences, err := ot.Divergences(ctx, cpu.New(), p)
		if err != nil {
			return nil, err
		}
		for _, d := range divergences {
			values = append(values, []float64{d.Value})
		}
	case "partial":
		q, err := p.Partial(t.Penalty)
		if err != nil {
			return nil, err
		}
		for i := range q.Pairs {
			source, target, cost := q.Explicit(i)
			r, err := exact.Solve(ctx, source, target, cost)
			if err != nil {
				return nil, err
			}
			values = append(values, []float64{2 * r.Cost})
		}
	case "regularised partial":
		q, err := p.Partial(t.Penalty)
		if err != nil {
			return nil, err
		}
		err = cpu.New().Distances(ctx, q, func(_ int, results []ot.Result) error {
			for _, r := range results {
				values = append(values, []float64{2 * r.Cost})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	case "moved", "regularised moved":
		var engine ot.Engine = exact.New()
		if t.Kind != "moved" {
			engine = cpu.New()
		}
		for i := range p.Pairs {
			plan, err := ot.PartialPlan(ctx, engine, p, i, t.Penalty)
			if err != nil {
				return nil, err
			}
			values = append(values, []float64{plan.Moved})
		}
	case "exact":
		if t.exact == nil { // once, as POT is given its cost in float64
			for _, c := range t.Cost {
				t.exact = append(t.exact, float64(c))
			}
		}
		for _, pair := range p.Pairs {
			a, b := float64s(rows.Row(int(pair.Source))), float64s(rows.Row(int(pair.Target)))
			r, err := exact.Solve(context.Background(), a, b, t.exact)
			if err != nil {
				return nil, err
			}
			values = append(values, []float64{r.Cost})
		}
	case "barycenters":
		g := &ot.BarycenterProblem{Settings: settings, Cost: cost, Rows: rows, Offsets: []int{0}}
		for _, members := range t.Groups {
			for range members {
				g.Weights = append(g.Weights, 1/float32(len(members)))
			}
			g.Members = append(g.Members, members...)
			g.Offsets = append(g.Offsets, len(g.Members))
		}
		err = cpu.New().Barycenters(ctx, g, func(_ int, results []ot.Barycenter) error {
			for _, r := range results {
				h := make([]float64, t.K)
				for i, x := range r.Histogram {
					h[i] = float64(x)
				}
				values = append(values, h)
			}
			return nil
		})
	default:
		err = fmt.Errorf("unknown kind %q", t.Kind)
	}
	return values, err
}

func float64s(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, z := range x {
		y[i] = float64(z)
	}
	return y
}
