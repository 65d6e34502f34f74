package transport

import (
	"fmt"
	"math"

	"contextmover/cmdlib/npy"
	"contextmover/cmdlib/ot"
	"contextmover/experiments/repro/cli"
)

// float is what costs and masses are read as: float32 for the engines, float64 for the optimum itself.
type float interface{ float32 | float64 }

// pairs are what the files of a command hold: n pairs of histograms over k bins.
type pairs[T float] struct {
	file string // of the cost
	k, n int
	cost []T // k×k
	a, b []T // a row of k for each histogram
}

// pair returns which rows of a and b pair i is made of: a single histogram is paired with all of the other side.
func (p *pairs[T]) pair(i int) (source, target int) {
	return i % (len(p.a) / p.k), i % (len(p.b) / p.k)
}

func readPairs[T float](f *pairFlags) (*pairs[T], error) {
	k, cost, err := readCost[T](f.Cost)
	if err != nil {
		return nil, err
	}
	a, err := readHistograms[T](f.A, k)
	if err != nil {
		return nil, err
	}
	b, err := readHistograms[T](f.B, k)
	if err != nil {
		return nil, err
	}
	if na, nb := len(a)/k, len(b)/k; na != nb && min(na, nb) != 1 {
		return nil, cli.BadData(fmt.Errorf("%s has %d histograms and %s has %d: expected equal numbers, or one on a "+
			"side", f.A, na, f.B, nb))
	}
	return &pairs[T]{file: f.Cost, k: k, n: max(len(a), len(b)) / k, cost: cost, a: a, b: b}, nil
}

// readCost reads the k×k ground cost.
func readCost[T float](path string) (k int, cost []T, err error) {
	shape, cost, err := npy.ReadFloats[T](path)
	if err != nil {
		return 0, nil, cli.BadData(err)
	}
	if len(shape) != 2 || shape[0] != shape[1] || shape[0] == 0 {
		return 0, nil, cli.BadData(fmt.Errorf("%s: shape %s, expected a square cost K×K", path, shapeText(shape)))
	}
	k = shape[0]
	for i, c := range cost {
		if !finite(c) {
			return 0, nil, cli.BadData(fmt.Errorf("%s: the cost from bin %d to bin %d is %v, want a finite "+
				"number ≥ 0", path, i/k, i%k, c))
		}
	}
	return k, cost, nil
}

// readHistograms reads an array K or N×K of histograms over k bins.
func readHistograms[T float](path string, k int) ([]T, error) {
	shape, data, err := npy.ReadFloats[T](path)
	if err != nil {
		return nil, cli.BadData(err)
	}
	if len(shape) < 1 || len(shape) > 2 || shape[len(shape)-1] != k || len(data) == 0 {
		return nil, cli.BadData(fmt.Errorf("%s: shape %s, expected %d or N×%d as the cost is %d×%d",
			path, shapeText(shape), k, k, k, k))
	}
	for i := range len(data) / k {
		if err := checkHistogram(i, data[i*k:][:k]); err != nil {
			return nil, cli.BadData(fmt.Errorf("%s: %w", path, err))
		}
	}
	return data, nil
}

func checkHistogram[T float](i int, row []T) error {
	for j, x := range row {
		if !finite(x) {
			return fmt.Errorf("bin %d of row %d is %v, want a finite number ≥ 0", j, i, x)
		}
	}
	switch sum := sum(row); {
	case sum == 0:
		return fmt.Errorf("row %d is all 0, want a histogram of sum 1: take the row out", i)
	case math.Abs(sum-1) > ot.MassTolerance:
		return fmt.Errorf("row %d sums to %.6g, want 1 within 1e-4, in unbalanced transport too: "+
			"divide the row by its sum", i, sum)
	}
	return nil
}

// finite reports whether x is a cost or a mass: finite, and not negative.
func finite[T float](x T) bool { return x >= 0 && !math.IsInf(float64(x), 1) }

func sum[T float](row []T) float64 {
	var s float64
	for _, x := range row {
		s += float64(x)
	}
	return s
}
