package ot_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"contextmover/cmdlib/ot"
)

// problem has two rows in use and an empty one.
func problem() *ot.Problem {
	return &ot.Problem{
		Settings: ot.Settings{Reg: 0.1, MaxIter: 10},
		Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 2, 0}},
		Rows:     ot.Histograms{K: 2, Data: []float32{.5, .5, 0, 0, .25, .75}},
		Pairs:    []ot.Pair{{Source: 0, Target: 2}},
	}
}

func TestExplicit(t *testing.T) {
	p := problem()
	a, b, cost := p.Explicit(0)
	if !slices.Equal(a, []float64{.5, .5}) || !slices.Equal(b, []float64{.25, .75}) || !slices.Equal(cost, []float64{0, 1, 2, 0}) {
		t.Errorf("got %v, %v, %v", a, b, cost)
	}
	p.Border = &ot.Border{
		Mass:      0.5,
		FromPoint: []float32{3, 4, -1, -1, -1, -1}, // only what pairs use counts
		ToPoint:   []float32{-1, -1, -1, -1, 5, 6},
		Between:   []float32{7},
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	a, b, cost = p.Explicit(0)
	if !slices.Equal(a, []float64{.5, .25, .25}) || !slices.Equal(b, []float64{.5, .125, .375}) || !slices.Equal(cost, []float64{7, 3, 4, 5, 0, 1, 6, 2, 0}) {
		t.Errorf("with a border: got %v, %v, %v", a, b, cost)
	}
}

// TestUnusedRows: rows without estimate are zero; only their use is an error.
func TestUnusedRows(t *testing.T) {
	p := problem()
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
	p.Pairs = append(p.Pairs, ot.Pair{Source: 1, Target: 0})
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("error %v, want one that names row 1", err)
	}
}

func TestSymmetry(t *testing.T) {
	p := problem()
	g := &ot.BarycenterProblem{Settings: p.Settings, Cost: p.Cost, Rows: p.Rows, Offsets: []int{0, 2}, Members: []int32{0, 2}, Weights: []float32{.5, .5}}
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	g.Debiased = true
	if err := g.Validate(); err == nil || !strings.Contains(err.Error(), "symmetric") {
		t.Errorf("error %v, want one about symmetry", err)
	}
	g.Cost.Data = []float32{0, 1, 1 + 1e-6, 0} // rounding
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
}

// reusing is an engine that reuses its memory as far as the interface allows.
type reusing struct {
	ot.Engine
	fail error
}

func (e reusing) Distances(_ context.Context, p *ot.Problem, yield func(int, []ot.Result) error) error {
	result := make([]ot.Result, 1)
	for i := range p.Pairs {
		result[0].Cost = float64(i)
		if err := yield(i, result); err != nil {
			return err
		}
	}
	return e.fail
}

func (e reusing) Barycenters(_ context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error) error {
	result := []ot.Barycenter{{Histogram: make([]float32, 1)}}
	for i := range len(p.Offsets) - 1 {
		result[0].Histogram[0] = float32(i)
		if err := yield(i, result); err != nil {
			return err
		}
	}
	return e.fail
}

func TestCollect(t *testing.T) {
	p := &ot.Problem{Pairs: make([]ot.Pair, 3)}
	results, err := ot.Distances(t.Context(), reusing{}, p)
	if err != nil || len(results) != 3 || results[1].Cost != 1 || results[2].Cost != 2 {
		t.Errorf("got %v, %v", results, err)
	}
	g := &ot.BarycenterProblem{Offsets: []int{0, 1, 2, 3}}
	barycenters, err := ot.Barycenters(t.Context(), reusing{}, g)
	if err != nil || len(barycenters) != 3 || barycenters[0].Histogram[0] != 0 || barycenters[2].Histogram[0] != 2 {
		t.Errorf("got %v, %v", barycenters, err)
	}
	fail := errors.New("fail")
	if results, err := ot.Distances(t.Context(), reusing{fail: fail}, p); err != fail || results != nil {
		t.Errorf("got %v, %v", results, err)
	}
	if results, err := ot.Barycenters(t.Context(), reusing{fail: fail}, g); err != fail || results != nil {
		t.Errorf("got %v, %v", results, err)
	}
}

// TestNormalised: rows in use are divided by their sum if more than rounding is missing.
func TestNormalised(t *testing.T) {
	p := &ot.Problem{
		Rows: ot.Histograms{K: 3, Data: []float32{
			0.5, 0.25, 0.25,
			0.5, 0.25, 0.25 + 0x1p-20,
			0.5, 0.25, 0.25 + 0x1p-15,
			0.5, 0.25, 0.25 - 0x1p-15,
			0, 0, 0, // not in use
		}},
		Pairs: []ot.Pair{{Source: 0, Target: 1}},
	}
	if p.Normalised() != p {
		t.Error("rows with rounded sums were copied")
	}
	p.Pairs = []ot.Pair{{Source: 0, Target: 1}, {Source: 2, Target: 1}, {Source: 3, Target: 2}}
	before := slices.Clone(p.Rows.Data)
	q := p.Normalised()
	if !slices.Equal(p.Rows.Data, before) {
		t.Fatal("the problem was changed")
	}
	if q.Normalised() != q {
		t.Error("normalised twice")
	}
	for i := range p.Rows.Len() {
		row, want := q.Rows.Row(i), p.Rows.Row(i)
		if i != 2 && i != 3 {
			if !slices.Equal(row, want) {
				t.Errorf("row %d is %v, want %v", i, row, want)
			}
			continue
		}
		var sum, had float64
		for j, x := range row {
			sum, had = sum+float64(x), had+float64(want[j])
		}
		if math.Abs(sum-1) > 0x1p-24 {
			t.Errorf("row %d sums to %v", i, sum)
		}
		for j, x := range row {
			if y := float64(want[j]) / had; math.Abs(float64(x)-y) > 0x1p-24*y {
				t.Errorf("bin %d of row %d is %v, want %v", j, i, x, y)
			}
		}
	}
	p.Cost = ot.Cost{K: 3, Data: make([]float32, 9)}
	source, target, _ := p.Explicit(2)
	for j := range 3 {
		if source[j] != float64(q.Rows.Row(3)[j]) || target[j] != float64(q.Rows.Row(2)[j]) {
			t.Errorf("Explicit has %v and %v, want %v", source, target, q.Rows.Data)
		}
	}
}
