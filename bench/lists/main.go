// Command lists searches an index by vectors, all sentences and by its lists, and writes what it found and what it took
// as JSON, with the vectors of the queries beside it, for lists.py. See lists.sh.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"time"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/search"
	"contextmover/experiments/dataset"
	"contextmover/experiments/pipeline"
	"contextmover/experiments/spaces"
	"contextmover/internal/system"
)

// way is a way to search: the positions of the sentences found for each query, and seconds a query: of the clock and
// of the processor, the least of some runs of all queries, and of the clock the slowest query of the fastest run.
type way struct {
	Name      string    `json:"name"`
	Found     [][]int64 `json:"found"`
	Clock     float64   `json:"clock"`
	Slowest   float64   `json:"slowest"`
	Processor float64   `json:"processor"`
	Compared  float64   `json:"compared"`
}

type output struct {
	Sentences int64   `json:"sentences"`
	Opened    float64 `json:"opened"` // seconds, to the answer of a first query
	Memory    int64   `json:"memory"`
	// Truth are the positions nearest by vectors of float32, of many by vectors of 8 bits.
	Truth [][]int64 `json:"truth"`
	Ways  []way     `json:"ways"`
}

// repeats is the number of runs of all queries, many that of the sentences that float32 tells the nearest of.
const repeats, many = 3, 100

func main() {
	dir := flag.String("index", "", "folder that repro index has made with the built-in space")
	file := flag.String("queries", "", "queries, one a line")
	n := flag.Int("n", 10, "how many sentences to find")
	to := flag.String("out", "", "file of the queries' vectors")
	flag.Parse()
	if err := run(context.Background(), *dir, *file, *to, *n); err != nil {
		fmt.Fprintln(os.Stderr, "lists:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, dir, file, to string, n int) error {
	s, err := spaces.Open(ctx, "english", cpu.New(), func(string) (*pipeline.Workspace, error) {
		return nil, errors.New("expected the built-in space")
	})
	if err != nil {
		return err
	}
	defer s.Close()
	queries, err := dataset.ReadTexts(file)
	if err != nil {
		return err
	}
	vectors, err := s.Encode(ctx, queries)
	if err != nil {
		return err
	}
	if err := npy.Write(to, []int{len(queries), s.Dim}, vectors); err != nil {
		return err
	}
	start := time.Now()
	x, err := search.Open(dir, s)
	if err != nil {
		return err
	}
	defer x.Close()
	if _, err := x.SearchVectors(ctx, queries[0], n); err != nil {
		return err
	}
	out := output{Sentences: x.Sentences, Opened: time.Since(start).Seconds()}
	for _, name := range []string{"lists", "all"} {
		x.Exact = name == "all"
		w, err := measured(ctx, x, name, queries, n)
		if err != nil {
			return err
		}
		out.Ways = append(out.Ways, w)
	}
	for _, query := range queries {
		found, err := x.SearchVectors(ctx, query, many)
		if err != nil {
			return err
		}
		out.Truth = append(out.Truth, positions(found.Nearest[:min(n, len(found.Nearest))]))
	}
	out.Memory, _ = system.PeakMemory()
	return json.NewEncoder(os.Stdout).Encode(out)
}

func measured(ctx context.Context, x *search.Index, name string, queries []string, n int) (way, error) {
	w := way{Name: name, Clock: math.Inf(1), Processor: math.Inf(1)}
	for range repeats {
		w.Found, w.Compared = nil, 0
		var clocks []float64
		before, _ := system.ProcessorSeconds()
		for _, query := range queries {
			start := time.Now()
			found, err := x.SearchVectors(ctx, query, n)
			if err != nil {
				return w, err
			}
			clocks = append(clocks, time.Since(start).Seconds())
			w.Found = append(w.Found, positions(found.Nearest))
			w.Compared += float64(found.Compared) / float64(len(queries))
		}
		after, _ := system.ProcessorSeconds()
		slices.Sort(clocks)
		if median := clocks[len(clocks)/2]; median < w.Clock {
			w.Clock, w.Slowest = median, clocks[len(clocks)-1]
		}
		w.Processor = min(w.Processor, (after-before)/float64(len(queries)))
	}
	return w, nil
}

func positions(hits []search.Hit) (list []int64) {
	for _, h := range hits {
		list = append(list, h.Position)
	}
	return list
}
