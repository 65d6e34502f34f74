// Package recorded keeps transport problems in a file that is small enough to be carried to a machine with a GPU. It
// has histograms and costs to points as bfloat16, and the results that are expected of the problems so rounded.
package recorded

import (
	"encoding/gob"
	"fmt"
	"math"
	"os"

	"contextmover/cmdlib/ot"

	"github.com/klauspost/compress/zstd"
)

// Rounded are rows of numbers as bfloat16, in two planes, which compress better.
type Rounded struct {
	K         int
	High, Low []byte
}

// Round returns the given rows of a matrix with k columns.
func Round(data []float32, k int, rows []int32) Rounded {
	r := Rounded{K: k}
	for _, row := range rows {
		for _, x := range data[int(row)*k:][:k] {
			bits := math.Float32bits(x) + 0x8000
			r.High, r.Low = append(r.High, byte(bits>>24)), append(r.Low, byte(bits>>16))
		}
	}
	return r
}

// Floats returns the rows, divided by their sums if histogram is set.
func (r Rounded) Floats(histogram bool) []float32 {
	out := make([]float32, len(r.High))
	for i := range out {
		out[i] = math.Float32frombits(uint32(r.High[i])<<24 | uint32(r.Low[i])<<16)
	}
	for first := 0; histogram && first < len(out); first += r.K {
		row, sum := out[first:][:r.K], 0.0
		for _, x := range row {
			sum += float64(x)
		}
		for j := range row {
			if sum > 0 {
				row[j] = float32(float64(row[j]) / sum)
			}
		}
	}
	return out
}

// Problem is a recorded ot.Problem or, with offsets, an ot.BarycenterProblem.
type Problem struct {
	What               string  // the experiment it belongs to
	Paper              float64 // seconds that the paper gives for it; 0: none of its own
	Settings           ot.Settings
	Cost               ot.Cost
	Rows               Rounded
	Pairs              []ot.Pair
	Mass               float64 // of the border; 0: none
	FromPoint, ToPoint Rounded
	Between            []float32
	Costs              []float64 // of the pairs, by the engine cpu
	Offsets            []int
	Members            []int32
	Weights            []float32
	Debiased           bool
	Distances          *ot.Problem // after Restore; nil for barycenters
	Barycenters        *ot.BarycenterProblem
}

// Restore makes the problem that was recorded.
func (p *Problem) Restore() {
	rows := ot.Histograms{K: p.Rows.K, Data: p.Rows.Floats(true)}
	if p.Offsets != nil {
		p.Barycenters = &ot.BarycenterProblem{
			Settings: p.Settings, Cost: p.Cost, Rows: rows, Offsets: p.Offsets, Members: p.Members, Weights: p.Weights,
			Debiased: p.Debiased,
		}
		return
	}
	p.Distances = &ot.Problem{Settings: p.Settings, Cost: p.Cost, Rows: rows, Pairs: p.Pairs}
	if p.Mass > 0 {
		p.Distances.Border = &ot.Border{Mass: p.Mass, FromPoint: p.FromPoint.Floats(false), Between: p.Between}
		p.Distances.Border.ToPoint = p.Distances.Border.FromPoint
		if p.ToPoint.K > 0 {
			p.Distances.Border.ToPoint = p.ToPoint.Floats(false)
		}
	}
}

// Write writes problems to a file.
func Write(path string, problems []*Problem) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithWindowSize(64<<20))
	if err != nil {
		return err
	}
	plain := make([]*Problem, len(problems))
	for i, p := range problems {
		q := *p
		q.Distances, q.Barycenters = nil, nil
		plain[i] = &q
	}
	if err := gob.NewEncoder(z).Encode(plain); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	return f.Close()
}

// Read reads what Write wrote; the problems are not restored yet.
func Read(path string) ([]*Problem, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var problems []*Problem
	if err := gob.NewDecoder(z).Decode(&problems); err != nil {
		return nil, fmt.Errorf("recorded: %s: %w", path, err)
	}
	return problems, nil
}
