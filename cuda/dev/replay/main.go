// Command replay solves the problems that bench/record recorded, twice, compares the results
// with those of the engine cpu, and prints a line of JSON for each experiment.
//
//	replay FILE [cpu]
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cuda"
	"contextmover/cuda/dev/recorded"
)

func main() {
	if err := command(); err != nil {
		fmt.Fprintln(os.Stderr, "replay:", err)
		os.Exit(1)
	}
}

func command() error {
	switch args := os.Args[1:]; {
	case len(args) == 1:
		engine, err := cuda.New()
		if err != nil {
			return err
		}
		return replay(context.Background(), engine, args[0])
	case len(args) == 2 && args[1] == "cpu":
		return replay(context.Background(), cpu.New(), args[0])
	}
	return errors.New("usage: replay FILE [cpu]")
}

// measured is what is printed of an experiment.
type measured struct {
	What                        string
	Engine                      string
	Pairs, Groups               int
	Seconds, DistanceSeconds    float64 // all, and its distances
	AgainSeconds                float64 // all of the second run, which finds memory taken by the first
	PaperSeconds                float64 `json:",omitempty"`
	LargestDifference           float64 // of a distance from the engine cpu's, relative
	LargestBarycenterDifference float64 // L1, of the first 32 of each problem
	SameBits                    bool
}

func replay(ctx context.Context, engine ot.Engine, path string) error {
	problems, err := recorded.Read(path)
	if err != nil {
		return err
	}
	all := map[string]*measured{}
	for _, p := range problems {
		m := all[p.What]
		if m == nil {
			m = &measured{What: p.What, Engine: engine.Name(), SameBits: true}
			all[p.What] = m
		}
		p.Restore()
		// The first run is measured, as a user would find it; the second must give the same.
		if p.Distances != nil {
			start := time.Now()
			first, err := ot.Distances(ctx, engine, p.Distances)
			if err != nil {
				return err
			}
			seconds := time.Since(start).Seconds()
			m.Pairs, m.Seconds, m.DistanceSeconds = m.Pairs+len(first), m.Seconds+seconds, m.DistanceSeconds+seconds
			m.PaperSeconds += p.Paper
			start = time.Now()
			second, err := ot.Distances(ctx, engine, p.Distances)
			if err != nil {
				return err
			}
			m.AgainSeconds += time.Since(start).Seconds()
			m.SameBits = m.SameBits && slices.Equal(first, second)
			for i, x := range first {
				m.LargestDifference = max(m.LargestDifference, math.Abs(x.Cost-p.Costs[i])/max(p.Costs[i], 1e-3))
			}
			continue
		}
		start := time.Now()
		first, err := ot.Barycenters(ctx, engine, p.Barycenters)
		if err != nil {
			return err
		}
		m.Seconds += time.Since(start).Seconds()
		m.Groups += len(first)
		start = time.Now()
		second, err := ot.Barycenters(ctx, engine, p.Barycenters)
		if err != nil {
			return err
		}
		m.AgainSeconds += time.Since(start).Seconds()
		few := *p.Barycenters
		few.Offsets = few.Offsets[:min(33, len(few.Offsets))]
		last := few.Offsets[len(few.Offsets)-1]
		few.Members, few.Weights = few.Members[:last], few.Weights[:last]
		want, err := ot.Barycenters(ctx, cpu.New(), &few)
		if err != nil {
			return err
		}
		for i := range first {
			m.SameBits = m.SameBits && slices.Equal(first[i].Histogram, second[i].Histogram)
			if i < len(want) {
				var d float64
				for j, x := range want[i].Histogram {
					d += math.Abs(float64(x - first[i].Histogram[j]))
				}
				m.LargestBarycenterDifference = max(m.LargestBarycenterDifference, d)
			}
		}
	}
	failed := false
	for _, what := range []string{"hypernymy", "sts"} {
		if m := all[what]; m != nil {
			line, err := json.Marshal(m)
			if err != nil {
				return err
			}
			fmt.Println(string(line))
			failed = failed || !m.SameBits
		}
	}
	if failed {
		return errors.New("two runs gave different bits")
	}
	return nil
}
