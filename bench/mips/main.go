// Command mips finds the rows of a matrix with the largest inner products for some queries, one after
// the other, and prints as JSON what it found and what it took: all rows, and some lists. See mips.sh.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"contextmover/cmdlib/mips"
	"contextmover/cmdlib/npy"
	"contextmover/internal/system"
)

// way is a way to search: the rows for each query, and the processor seconds a query, the least of some runs of all.
type way struct {
	Name    string  `json:"name"`
	Rows    [][]int `json:"rows"`
	Seconds float64 `json:"seconds"`
}

type output struct {
	Bytes     int     `json:"bytes"`     // of the rows
	Bandwidth float64 `json:"bandwidth"` // bytes a processor second, at which memory is read
	Lists     int     `json:"lists"`
	Made      float64 `json:"made"` // processor seconds that making the lists took
	Ways      []way   `json:"ways"`
}

// repeats is the number of runs of all queries, of which the fastest counts.
const repeats = 3

func main() {
	vectors := flag.String("vectors", "", "N×D float32, a row each, as repro encode writes them")
	queries := flag.String("queries", "", "the same, of queries")
	n := flag.Int("n", 10, "how many rows to find")
	lists := flag.Int("lists", 0, "number of lists (default: that of the library)")
	probes := flag.String("probes", "8,32,128", "numbers of lists to look at")
	flag.Parse()
	if err := run(context.Background(), *vectors, *queries, *probes, *n, *lists); err != nil {
		fmt.Fprintln(os.Stderr, "mips:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, vectors, queries, probes string, n, lists int) error {
	shape, data, err := npy.Read[float32](vectors)
	if err != nil {
		return err
	}
	_, asked, err := npy.Read[float32](queries)
	if err != nil {
		return err
	}
	dim := shape[1]
	rows := mips.New(data, dim)
	out := output{Bytes: rows.Len() * mips.Size(dim), Lists: lists}
	out.Bandwidth = bandwidth(rows.Len() * mips.Size(dim))
	if lists == 0 {
		out.Lists = mips.DefaultLists(rows.Len())
	}
	one := func(name string, search func(query []float32) ([]mips.Hit, error)) error {
		w := way{Name: name, Seconds: math.Inf(1)}
		for range repeats {
			w.Rows = nil
			before, _ := system.ProcessorSeconds()
			for query := range slices.Chunk(asked, dim) {
				hits, err := search(query)
				if err != nil {
					return err
				}
				var found []int
				for _, h := range hits {
					found = append(found, h.Row)
				}
				w.Rows = append(w.Rows, found)
			}
			after, _ := system.ProcessorSeconds()
			w.Seconds = min(w.Seconds, (after-before)/float64(len(w.Rows)))
		}
		out.Ways = append(out.Ways, w)
		return nil
	}
	err = one("flat", func(query []float32) ([]mips.Hit, error) { return rows.Nearest(ctx, query, n) })
	if err != nil {
		return err
	}
	before, _ := system.ProcessorSeconds()
	l, err := mips.NewLists(ctx, rows, out.Lists, 1)
	if err != nil {
		return err
	}
	after, _ := system.ProcessorSeconds()
	out.Made = after - before
	for _, probe := range strings.Split(probes, ",") {
		number, err := strconv.Atoi(probe)
		if err != nil {
			return err
		}
		err = one("lists "+probe, func(query []float32) ([]mips.Hit, error) {
			hits, _, err := l.Nearest(ctx, query, n, number)
			return hits, err
		})
		if err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// bandwidth reads so many bytes some times, and returns the bytes a processor second of the fastest.
func bandwidth(size int) float64 {
	memory := bytes.Repeat([]byte{1}, size)
	best := 0.0
	for range 5 {
		before, _ := system.ProcessorSeconds()
		bytes.Count(memory, []byte{0})
		after, _ := system.ProcessorSeconds()
		best = max(best, float64(size)/(after-before))
	}
	return best
}
