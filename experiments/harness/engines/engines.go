// Package engines finds what solves transport problems by name.
package engines

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"

	"contextmover/cmdlib/ot"
	"contextmover/cmdlib/ot/cpu"
	"contextmover/cmdlib/ot/reference"
	"contextmover/cuda"
)

// Names are the names that New knows.
func Names() []string { return []string{"auto", "cpu", "cuda", "reference"} }

// New returns the engine with the given name; "auto" is the fastest one that
// this machine and build have: cuda if a device answers, or else cpu. Kinds of problems that cuda lacks are
// solved by cpu, with a warning.
func New(name string) (ot.Engine, error) {
	switch name {
	case "auto", "cuda":
		engine, err := cuda.New()
		if err == nil {
			return newComplete(engine), nil
		}
		if name == "cuda" {
			return nil, err
		}
		return cpu.New(), nil
	case "cpu":
		return cpu.New(), nil
	case "reference":
		return reference.New(), nil
	}
	return nil, fmt.Errorf("no engine %q; the engines are %s", name, strings.Join(Names(), ", "))
}

// complete is an engine that leaves to the engine cpu the problems it refuses by errors.ErrUnsupported, and says so
// the first time.
type complete struct {
	ot.Engine
	cpu  ot.Engine
	warn *sync.Once
}

func newComplete(engine ot.Engine) complete { return complete{engine, cpu.New(), new(sync.Once)} }

func (e complete) Prepare(cost ot.Cost) ot.Engine {
	return complete{e.Engine.Prepare(cost), e.cpu.Prepare(cost), e.warn}
}

// refuses reports whether err is that the engine lacks this kind of problem, which engines say before they solve any.
func (e complete) refuses(err error) bool {
	if !errors.Is(err, errors.ErrUnsupported) {
		return false
	}
	e.warn.Do(func() { slog.Warn("problems that the engine lacks are solved by the engine cpu", "reason", err) })
	return true
}

func (e complete) Distances(ctx context.Context, p *ot.Problem, yield func(int, []ot.Result) error) error {
	err := e.Engine.Distances(ctx, p, yield)
	if e.refuses(err) {
		return e.cpu.Distances(ctx, p, yield)
	}
	return err
}

func (e complete) Plan(ctx context.Context, p *ot.Problem, pair int) (*ot.Plan, error) {
	plan, err := e.Engine.Plan(ctx, p, pair)
	if e.refuses(err) {
		return e.cpu.Plan(ctx, p, pair)
	}
	return plan, err
}

func (e complete) Rectangle(ctx context.Context, b *ot.Batch, r *ot.Rectangle) (ot.Result, error) {
	result, err := e.Engine.Rectangle(ctx, b, r)
	if e.refuses(err) {
		return e.cpu.Rectangle(ctx, b, r)
	}
	return result, err
}

func (e complete) Barycenters(
	ctx context.Context, p *ot.BarycenterProblem, yield func(int, []ot.Barycenter) error,
) error {
	err := e.Engine.Barycenters(ctx, p, yield)
	if e.refuses(err) {
		return e.cpu.Barycenters(ctx, p, yield)
	}
	return err
}

// Check solves a problem with a known answer on the engine with the given name: a = b = (.5, .5),
// M = [[0, 1], [1, 0]], λ = 1 costs 1/(1+e) (both scaling vectors are constant by symmetry).
// The error is New's, the solver's, or says which cost was got and which expected.
func Check(ctx context.Context, name string) error {
	engine, err := New(name)
	if err != nil {
		return err
	}
	results, err := ot.Distances(ctx, engine, &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 10},
		Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}},
		Rows:     ot.Histograms{K: 2, Data: []float32{0.5, 0.5}},
		Pairs:    []ot.Pair{{}},
	})
	if err != nil {
		return err
	}
	want := 1 / (1 + math.E)
	if !(math.Abs(results[0].Cost-want) < 1e-6) { // a few roundings of float32
		return fmt.Errorf("a cost of %v, expected %v", results[0].Cost, want)
	}
	return nil
}
