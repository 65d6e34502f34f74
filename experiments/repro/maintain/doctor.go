// Package maintain has the commands that look after the machine, the store and the data.
package maintain

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"contextmover/cmdlib"
	"contextmover/cuda"
	"contextmover/experiments/harness/dataset"
	"contextmover/experiments/harness/engines"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/printable"
)

// Doctor is repro doctor.
type Doctor struct {
	cli.StoreFlag
	cli.DataFlag
	Space string `placeholder:"FILE" help:"Also check this space, which build has made."`
}

// finding is the outcome of one check; Cure is empty where all is well.
type finding struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Cure   string `json:"cure,omitempty"`
}

func (c *Doctor) Run(e *cli.Env) error {
	var findings []finding
	check := func(name, detail, cure string, err error) {
		f := finding{name, err == nil, detail, ""}
		if err != nil {
			f.Detail, f.Cure = err.Error(), cure
		}
		findings = append(findings, f)
	}
	for _, name := range engines.Names()[1:] { // all but auto
		detail, err := "solves its test problem", engines.Check(e, name)
		if errors.Is(err, cuda.ErrNotBuilt) {
			detail, err = "not in this build", nil
		}
		cure := "report this with the output of repro doctor --json, and use another --engine"
		check("engine "+name, detail, cure, err)
	}
	detail, cure, err := c.checkStore(e)
	check("store", detail, cure, err)
	detail, err = c.checkData(e)
	check("data", detail, "repro data verify lists the files and repro data fetch gets them", err)
	if c.Space != "" {
		check("space", c.Space+": all checksums right", "make it again with repro build, or name the file of a space",
			cmdlib.Verify(e, c.Space))
	}
	if err := e.Err(); err != nil {
		return err
	}
	if e.AsJSON {
		if err := e.JSON(findings); err != nil {
			return err
		}
	}
	healthy := true
	for _, f := range findings {
		healthy = healthy && f.OK
		switch {
		case e.AsJSON:
		case f.OK:
			fmt.Fprintf(e.Out, "ok    %-18s %s\n", f.Name, f.Detail)
		default:
			fmt.Fprintf(e.Out, "FAIL  %-18s %s\n      cure: %s\n", f.Name, f.Detail, f.Cure)
		}
	}
	if !healthy {
		return cli.Failed
	}
	return nil
}

func (c *Doctor) checkStore(e *cli.Env) (detail, cure string, err error) {
	cure = "name a folder that can be written with --store DIR"
	s, err := c.OpenStore()
	if err != nil {
		return "", cure, err
	}
	infos, err := s.List()
	if err != nil {
		return "", cure, err
	}
	damages, err := s.Verify(e)
	if err != nil || len(damages) == 0 {
		return fmt.Sprintf("%s, %s, all checksums right", artefacts(infos), s.Dir()), cure, err
	}
	var lines, keys []string
	for _, d := range damages {
		lines, keys = append(lines, d.String()), append(keys, filepath.Base(d.Dir))
	}
	cure = "repro clean " + strings.Join(slices.Compact(keys), " ") +
		": what is removed is made again when it is wanted"
	return "", cure, errors.New(strings.Join(lines, "; "))
}

func (c *Doctor) checkData(e *cli.Env) (detail string, err error) {
	own, _ := dataset.DefaultDir()
	if _, err := os.Stat(c.Data); err != nil && c.Data == own {
		return "no data folder; only profiles on real data need one", nil
	}
	states, err := dataset.Verify(e, c.Data)
	right := 0
	for _, s := range states {
		if s.Status == dataset.Present {
			right++
		}
	}
	detail = fmt.Sprintf("%d of %d files in %s are as expected", right, len(states), printable.Text(c.Data))
	if err == nil && right < len(states) {
		err = errors.New(detail)
	}
	return detail, err
}
