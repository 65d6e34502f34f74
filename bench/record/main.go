// Command record takes from the profile's data what measurements on a machine with a GPU need.
//
//	record export --data DIR --store DIR FILE     the transport behind the paper's timings, for replay
//	record histograms --data DIR --store DIR DIR  real histograms and costs, for precision.py
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/sentence"
	"contextmover/cuda/dev/recorded"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/paper/timings"
)

func main() {
	if err := command(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func command(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("record", flag.ContinueOnError)
	name := flags.String("profile", "open", "profile")
	data := flags.String("data", os.Getenv("CONTEXTMOVER_DATA"), "folder of real data")
	dir := flags.String("store", "", "folder of artefacts (default: that of repro)")
	if len(args) == 0 {
		return errors.New("expected export or histograms")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return fmt.Errorf("%s: expected one path, found %d", args[0], flags.NArg())
	}
	p, err := profile.Load(*name, nil)
	if err != nil {
		return err
	}
	if *dir == "" {
		if *dir, err = store.DefaultDir(); err != nil {
			return err
		}
	}
	s, err := store.Open(*dir)
	if err != nil {
		return err
	}
	w := &pipeline.Workspace{Profile: p, Store: s, Data: *data, Engine: cpu.New()}
	switch args[0] {
	case "export":
		return export(ctx, w, flags.Arg(0))
	case "histograms":
		return histograms(ctx, w, flags.Arg(0))
	}
	return fmt.Errorf("%q: expected export or histograms", args[0])
}

// recorder is an engine that keeps the problems it is given, rounded, and solves those.
type recorder struct {
	ot.Engine
	what     string
	paper    float64
	problems []*recorded.Problem
}

// numbering gives the rows that are used consecutive numbers.
func numbering() (of func(int32) int32, used *[]int32) {
	number, used := map[int32]int32{}, new([]int32)
	return func(row int32) int32 {
		n, ok := number[row]
		if !ok {
			n = int32(len(*used))
			number[row] = n
			*used = append(*used, row)
		}
		return n
	}, used
}

func (r *recorder) Distances(ctx context.Context, p *ot.Problem, yield func(int, []ot.Result) error) error {
	of, used := numbering()
	q := &recorded.Problem{What: r.what, Paper: r.paper, Settings: p.Settings, Cost: p.Cost}
	for _, pair := range p.Pairs {
		q.Pairs = append(q.Pairs, ot.Pair{Source: of(pair.Source), Target: of(pair.Target)})
	}
	q.Rows = recorded.Round(p.Rows.Data, p.Cost.K, *used)
	if b := p.Border; b != nil {
		q.Mass, q.Between = b.Mass, slices.Clone(b.Between)
		q.FromPoint = recorded.Round(b.FromPoint, p.Cost.K, *used)
		if &b.FromPoint[0] != &b.ToPoint[0] {
			q.ToPoint = recorded.Round(b.ToPoint, p.Cost.K, *used)
		}
	}
	q.Restore()
	r.problems = append(r.problems, q)
	return r.Engine.Distances(ctx, q.Distances, func(first int, results []ot.Result) error {
		for _, x := range results {
			q.Costs = append(q.Costs, x.Cost)
		}
		return yield(first, results)
	})
}

func (r *recorder) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error,
) error {
	of, used := numbering()
	q := &recorded.Problem{
		What: r.what, Settings: p.Settings, Cost: p.Cost, Debiased: p.Debiased, Offsets: slices.Clone(p.Offsets),
		Weights: slices.Clone(p.Weights),
	}
	for _, m := range p.Members {
		q.Members = append(q.Members, of(m))
	}
	q.Rows = recorded.Round(p.Rows.Data, p.Cost.K, *used)
	q.Restore()
	r.problems = append(r.problems, q)
	return r.Engine.Barycenters(ctx, q.Barycenters, yield)
}

// sentences is the transport of the row that is measured, with so many clusters, or its own for 0.
func sentences(ctx context.Context, w *pipeline.Workspace, clusters int) (*timings.Sentences, error) {
	row, ok := timings.SentenceRow(w.Profile)
	if !ok {
		return nil, fmt.Errorf("profile %s has no row of barycenters", w.Profile.Name)
	}
	if clusters > 0 {
		row = row.With("clusters", clusters)
	}
	return timings.NewSentences(ctx, w, row)
}

func export(ctx context.Context, w *pipeline.Workspace, path string) error {
	r := &recorder{Engine: w.Engine}
	sets, err := timings.HypernymySets(ctx, w)
	if err != nil {
		return err
	}
	nothing := func(int, []ot.Result) error { return nil }
	for _, s := range sets {
		r.what, r.paper = "hypernymy", s.Printed
		if err := r.Distances(ctx, s.Problem, nothing); err != nil {
			return fmt.Errorf("%s: %w", s.Set, err)
		}
	}
	work, err := sentences(ctx, w, 0)
	if err != nil {
		return err
	}
	r.what, r.paper = "sts", 0
	work.Barycenter.Engine, work.Mixed.Engine = r, r
	for _, set := range work.Sets {
		combined, err := sentence.Precompute(ctx, work.Barycenter, set)
		if err != nil {
			return err
		}
		work.Mixed.Combiner = combined
		if _, err := work.Mixed.Score(ctx, set); err != nil {
			return err
		}
	}
	return recorded.Write(path, r.problems)
}

// histograms writes, for each K, the estimates of words and barycenters of sentences that
// occur in the sets, and the cost between the contexts.
func histograms(ctx context.Context, w *pipeline.Workspace, dir string) error {
	const words, groups = 400, 200
	for _, k := range []int{100, 300, 500} {
		work, err := sentences(ctx, w, k)
		if err != nil {
			return err
		}
		random := rand.New(rand.NewPCG(1, uint64(k)))
		e := work.Barycenter.Estimates
		var rows []float32
		var some []sentence.Sentence
		for len(rows) < words*k {
			set := work.Sets[random.IntN(len(work.Sets))]
			s := set[random.IntN(len(set))].A
			if len(s) == 0 {
				continue
			}
			if word := s[random.IntN(len(s))]; e.Known[word] {
				rows = append(rows, e.Row(int(word))...)
				if len(some) < groups {
					some = append(some, s)
				}
			}
		}
		combined, err := work.Barycenter.Combine(ctx, some)
		if err != nil {
			return err
		}
		rows = append(rows, combined.Data...)
		to := filepath.Join(dir, fmt.Sprint(k))
		if err := os.MkdirAll(to, 0o755); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(to, "rows.npy"), []int{len(rows) / k, k}, rows); err != nil {
			return err
		}
		if err := npy.Write(filepath.Join(to, "cost.npy"), []int{k, k}, work.Barycenter.Cost.Data); err != nil {
			return err
		}
	}
	return nil
}
