// Package maintain has the commands that look after the machine, the store and the data.
package maintain

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cuda"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/harness/store"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
	"contextmover/internal/system"
)

// Doctor is repro doctor.
type Doctor struct {
	cli.StoreFlag
	cli.DataFlag
	Space string `placeholder:"FILE" help:"Also check this space, which build has made."`
	JSON  bool   `name:"json" group:"common" help:"Print JSON."`
}

// finding is the outcome of one check; Hint is empty where all is well.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Hint   string `json:"cure,omitempty"`
}

func (c *Doctor) Run(e *cli.Env) error {
	findings := []finding{
		{
			"go", true,
			fmt.Sprintf("%s %s/%s, %d threads", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0)),
			"",
		},
		{"processor", true, system.Processor(), ""},
		{"memory", true, bytesOr(system.Memory()), ""},
	}
	for _, name := range engines.Names() {
		if name != "auto" {
			findings = append(findings, checkEngine(e, name))
		}
	}
	findings = append(findings, c.checkStore(e)...)
	findings = append(findings, c.checkData(e))
	if c.Space != "" {
		findings = append(findings, c.checkSpace(e))
	}
	if err := e.Err(); err != nil {
		return err
	}
	if c.JSON {
		if err := e.JSON(findings); err != nil {
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
		fmt.Fprintf(e.Out, "%s  %-18s %s\n", mark, f.Name, f.Detail)
		if f.Hint != "" {
			fmt.Fprintf(e.Out, "      cure: %s\n", f.Hint)
		}
	}
	if !healthy {
		return cli.Failed
	}
	return nil
}

func bytesOr(n int64, ok bool) string {
	if !ok {
		return "unknown on this system"
	}
	return printable.Bytes(n)
}

func checkEngine(e *cli.Env, name string) finding {
	f := finding{Name: "engine " + name, OK: true, Detail: "solves its test problem"}
	switch err := engines.Check(e, name); {
	case errors.Is(err, cuda.ErrNotBuilt):
		f.Detail = "not in this build"
	case err != nil:
		f.OK, f.Detail = false, err.Error()
		f.Hint = "report this with the output of repro doctor --json, and use another --engine"
	}
	return f
}

// lowSpace is what the artefacts of the largest profile take, roughly.
const lowSpace = 4e9

func (c *Doctor) checkStore(e *cli.Env) []finding {
	s, err := c.OpenStore()
	if err != nil {
		return []finding{{"store", false, err.Error(), "name a folder that can be written with --store DIR"}}
	}
	space := finding{Name: "disk space", OK: true}
	free, known := system.DiskFree(s.Dir())
	space.Detail = bytesOr(free, known) + " free for " + printable.Text(s.Dir())
	if known && free < lowSpace {
		space.OK = false
		space.Hint = "free some, remove artefacts with repro clean, or use --store DIR on another disk (" +
			printable.Bytes(lowSpace) + " are enough for any profile)"
	}
	health := finding{Name: "store", OK: true}
	var damages []store.Damage
	infos, err := s.List()
	if err == nil {
		damages, err = s.Verify(e)
	}
	total := int64(0)
	for _, info := range infos {
		total += info.Size
	}
	if err != nil {
		return []finding{
			space, {"store", false, err.Error(), "make the folder readable, or name another with --store DIR"},
		}
	}
	health.Detail = fmt.Sprintf("%s, %s, all checksums right", artefacts(len(infos)), printable.Bytes(total))
	if len(damages) > 0 {
		lines, keys := make([]string, len(damages)), make([]string, len(damages))
		for i, d := range damages {
			lines[i], keys[i] = d.String(), filepath.Base(d.Dir)
		}
		health.OK = false
		health.Detail = strings.Join(lines, "; ")
		health.Hint = "repro clean " + strings.Join(slices.Compact(keys), " ") +
			": what is removed is made again when it is wanted"
	}
	return []finding{space, health}
}

func (c *Doctor) checkSpace(e *cli.Env) finding {
	if err := cmdlib.Verify(e, c.Space); err != nil {
		return finding{"space", false, err.Error(), "make it again with repro build, or name the file of a space"}
	}
	return finding{"space", true, c.Space + ": all checksums right", ""}
}

func (c *Doctor) checkData(e *cli.Env) finding {
	if own, err := dataset.DefaultDir(); c.Data == "" || err == nil && c.Data == own {
		if _, err := os.Stat(own); c.Data == "" || errors.Is(err, fs.ErrNotExist) {
			return finding{"data", true, "no data folder; only profiles on real data need one", ""}
		}
	}
	states, err := dataset.Verify(e, c.Data)
	if err != nil {
		return finding{"data", false, err.Error(), "name the folder with --data DIR or the variable CONTEXTMOVER_DATA"}
	}
	count := make(map[dataset.Status]int)
	first := make(map[dataset.Status]string)
	for _, s := range states {
		count[s.Status]++
		if first[s.Status] == "" {
			first[s.Status] = s.Path
		}
	}
	right := count[dataset.Present]
	f := finding{
		"data", right == len(states), fmt.Sprintf("%d of %d files in %s are as expected", right, len(states), c.Data),
		"",
	}
	for _, status := range []dataset.Status{dataset.Missing, dataset.Damaged} {
		if count[status] > 0 {
			f.Detail += fmt.Sprintf(", %d %s (%s …)", count[status], status, first[status])
			f.Hint = "repro data verify lists them and repro data fetch gets them"
		}
	}
	return f
}
