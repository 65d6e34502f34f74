package main

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"contextmover/cmdlib/ot"
	"contextmover/cuda"
	"contextmover/experiments/pipeline"
	"contextmover/internal/system"
)

type doctorCmd struct {
	storeFlag
	dataFlag
	JSON bool `name:"json" help:"Print JSON."`
}

// finding is the outcome of one check; Cure is empty where all is well.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Cure   string `json:"cure,omitempty"`
}

func (c *doctorCmd) Run(e *env) error {
	findings := []finding{
		{"go", true, fmt.Sprintf("%s %s/%s, %d threads", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)), ""},
		{"processor", true, system.Processor(), ""},
		{"memory", true, bytesOr(system.Memory()), ""},
	}
	for _, name := range pipeline.EngineNames() {
		if name != "auto" {
			findings = append(findings, checkEngine(e, name))
		}
	}
	findings = append(findings, c.checkStore(e)...)
	findings = append(findings, c.checkData(e))
	if err := e.Err(); err != nil {
		return err
	}
	if c.JSON {
		if err := e.json(findings); err != nil {
			return err
		}
	}
	healthy := true
	for _, f := range findings {
		healthy = healthy && f.OK
		if c.JSON {
			continue
		}
		mark := "ok  "
		if !f.OK {
			mark = "FAIL"
		}
		fmt.Fprintf(e.out, "%s  %-18s %s\n", mark, f.Name, f.Detail)
		if f.Cure != "" {
			fmt.Fprintf(e.out, "      cure: %s\n", f.Cure)
		}
	}
	if !healthy {
		return failed
	}
	return nil
}

func bytesOr(n int64, ok bool) string {
	if !ok {
		return "unknown on this system"
	}
	return size(n)
}

// checkEngine solves a problem with a known answer: a = b = (.5, .5), M = [[0, 1],
// [1, 0]], λ = 1 costs 1/(1+e) (both scaling vectors are constant by symmetry).
func checkEngine(e *env, name string) finding {
	f := finding{Name: "engine " + name, Cure: "report this with the output of repro doctor --json, and use another --engine"}
	engine, err := pipeline.Engine(name)
	if errors.Is(err, cuda.ErrNotBuilt) {
		return finding{Name: f.Name, OK: true, Detail: "not in this build"}
	}
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	results, err := ot.Distances(e, engine, &ot.Problem{
		Settings: ot.Settings{Reg: 1, MaxIter: 10},
		Cost:     ot.Cost{K: 2, Data: []float32{0, 1, 1, 0}},
		Rows:     ot.Histograms{K: 2, Data: []float32{0.5, 0.5}},
		Pairs:    []ot.Pair{{}},
	})
	want := 1 / (1 + math.E)
	switch {
	case err != nil:
		f.Detail = err.Error()
	case !(math.Abs(results[0].Cost-want) < 1e-6): // a few roundings of float32
		f.Detail = fmt.Sprintf("a cost of %v, expected %v", results[0].Cost, want)
	default:
		return finding{Name: f.Name, OK: true, Detail: "solves its test problem"}
	}
	return f
}

// lowSpace is what the artefacts of the largest profile take, roughly.
const lowSpace = 4e9

func (c *doctorCmd) checkStore(e *env) []finding {
	s, err := c.storeFlag.open()
	if err != nil {
		return []finding{{"store", false, err.Error(), "name a folder that can be written with --store DIR"}}
	}
	space := finding{Name: "disk space", OK: true}
	free, known := system.DiskFree(s.Dir())
	space.Detail = bytesOr(free, known) + " free for " + s.Dir()
	if known && free < lowSpace {
		space.OK = false
		space.Cure = "free some, remove artefacts with repro clean, or use --store DIR on another disk (" + size(lowSpace) + " are enough for any profile)"
	}
	health := finding{Name: "store", OK: true}
	infos, err := s.List()
	if err != nil {
		return []finding{space, {"store", false, err.Error(), "make the folder readable, or name another with --store DIR"}}
	}
	total := int64(0)
	for _, info := range infos {
		total += info.Size
	}
	damages, err := s.Verify(e)
	if err != nil {
		return []finding{space, {"store", false, err.Error(), "make the folder readable, or name another with --store DIR"}}
	}
	health.Detail = fmt.Sprintf("%s, %s, all checksums right", artefacts(len(infos)), size(total))
	if len(damages) > 0 {
		lines, keys := make([]string, len(damages)), make([]string, len(damages))
		for i, d := range damages {
			lines[i], keys[i] = d.String(), filepath.Base(d.Dir)
		}
		keys = slices.Compact(keys)
		health.OK = false
		health.Detail = strings.Join(lines, "; ")
		health.Cure = "repro clean " + strings.Join(keys, " ") + ": what is removed is made again when it is wanted"
	}
	return []finding{space, health}
}
