// Command share measures what share of a core's peak distances over one cost reach, by how many are asked for in a
// call, and draws it:
//
//	go run ./bench/share docs
//
// writes docs/share.svg and prints the numbers as a table. It uses one core and counts processor time, the least of
// some repetitions, which hardly depends on what else runs.
package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/experiments/figure"
	"contextmover/internal/system"
)

const (
	iterations  = 100
	most        = 128
	repetitions = 25
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: share FOLDER")
		os.Exit(2)
	}
	if err := run(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "share:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, folder string) error {
	runtime.GOMAXPROCS(1)
	peak := 0.0
	for range 10 {
		peak = max(peak, cpu.Peak())
	}
	f := &figure.Figure{
		ID: "share", Title: "Share of a core's peak by the number of distances in a call",
		Caption: "100 iterations, λ = 0.1, one core. The kernel of the cost is made anew in each call, or kept.",
		Width:   1.5 * figure.Column, Height: 0.7 * figure.Column, Columns: 2,
	}
	fmt.Printf("Peak of one core: %.0f GFLOP/s.\n\n", peak)
	fmt.Println("| problems | K = 100, made anew | kept | K = 300, made anew | kept |\n|--:|--:|--:|--:|--:|")
	rows := map[int]string{}
	for _, k := range []int{100, 300} {
		cost, histograms := world(k)
		curves := &figure.Curves{X: fmt.Sprintf("problems in a call, K = %d", k), Y: "% of the peak", LogX: true}
		anew, kept := figure.Curve{
			Name: "kernel made anew", Colour: "#999999",
		}, figure.Curve{Name: "kernel kept", Colour: "#1f77b4"}
		keeping := cost.Keeping()
		for n := 1; n <= most; n *= 2 {
			for _, way := range []struct {
				curve *figure.Curve
				cost  ot.Cost
			}{{&anew, cost}, {&kept, keeping}} {
				seconds, err := least(ctx, way.cost, histograms, n)
				if err != nil {
					return err
				}
				share := 100 * float64(n) * iterations * 4 * float64(k*k) / seconds / 1e9 / peak
				way.curve.X, way.curve.Y = append(way.curve.X, float64(n)), append(way.curve.Y, share)
				rows[n] += fmt.Sprintf(" %.0f µs (%.0f %%) |", 1e6*seconds, share)
			}
		}
		curves.Curves = []figure.Curve{anew, kept}
		f.Panels = append(f.Panels, figure.Panel{Curves: curves})
	}
	for n := 1; n <= most; n *= 2 {
		fmt.Printf("| %d |%s\n", n, rows[n])
	}
	return figure.WriteFiles(f, filepath.Join(folder, "share.svg"))
}

// world returns distances between random points, in units of their median, and histograms.
func world(k int) (ot.Cost, ot.Histograms) {
	random := rand.New(rand.NewPCG(1, uint64(k)))
	const dim = 20
	points := make([]float64, k*dim)
	for i := range points {
		points[i] = random.NormFloat64()
	}
	cost := ot.Cost{K: k, Data: make([]float32, k*k)}
	for i := range k {
		for j := range k {
			square := 0.0
			for d := range dim {
				x := points[i*dim+d] - points[j*dim+d]
				square += x * x
			}
			cost.Data[i*k+j] = float32(math.Sqrt(square / (2 * dim)))
		}
	}
	h := ot.Histograms{K: k, Data: make([]float32, most*k)}
	for i := range most {
		row, sum := h.Row(i), float32(0)
		for j := range row {
			row[j] = float32(random.ExpFloat64())
			sum += row[j]
		}
		for j := range row {
			row[j] /= sum
		}
	}
	return cost, h
}

// least is the least processor time of a call with n problems.
func least(ctx context.Context, cost ot.Cost, rows ot.Histograms, n int) (float64, error) {
	p := &ot.Problem{Settings: ot.Settings{Reg: 0.1, MaxIter: iterations}, Cost: cost, Rows: rows}
	for i := range n {
		p.Pairs = append(p.Pairs, ot.Pair{Source: int32(i), Target: int32((i + 1) % most)})
	}
	calls := max(1, 16/n) // the clock ticks in microseconds
	best := math.Inf(1)
	for range repetitions {
		start, _ := system.ProcessorSeconds()
		for range calls {
			if _, err := ot.Distances(ctx, cpu.New(), p); err != nil {
				return 0, err
			}
		}
		end, ok := system.ProcessorSeconds()
		if !ok {
			return 0, errors.New("this system does not tell the time of its processors")
		}
		best = min(best, (end-start)/float64(calls))
	}
	return best, nil
}
