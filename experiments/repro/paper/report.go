package paper

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"unicode"
	"unicode/utf8"

	"contextmover/experiments"
	"contextmover/experiments/judge/report"
	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
	"contextmover/internal/printable"
)

// Report is repro report.
type Report struct {
	resultsFlags
	Out string `short:"o" placeholder:"FILE" help:"The page (default: results/<profile>/report.html)."`
}

func (c *Report) Run(e *cli.Env) error {
	p, all, _, err := c.read()
	if err != nil {
		return err
	}
	page := report.Page{Profile: p.Name, Description: p.Description}
	// In the order of the paper; what no experiment of this program has made comes last.
	titles := map[string]string{}
	for _, x := range experiments.Experiments() {
		titles[x.Name] = x.Help
		for _, r := range all {
			if r.Experiment == x.Name {
				page.Experiments = append(page.Experiments, report.Experiment{Title: capital(x.Help), Results: r})
			}
		}
	}
	for _, r := range all {
		if titles[r.Experiment] == "" {
			page.Experiments = append(page.Experiments, report.Experiment{Title: capital(r.Experiment), Results: r})
		}
	}
	if p.Published() {
		if page.Verdict, err = c.judge(p, all); err != nil {
			return err
		}
	}
	var b bytes.Buffer
	if err := report.Write(&b, page); err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = filepath.Join(c.Results, p.Name, "report.html")
	}
	if err := atomicfile.WriteInFolder(c.Out, b.Bytes()); err != nil {
		return err
	}
	slog.Info("wrote", "page", c.Out, "size", printable.Bytes(int64(b.Len())))
	fmt.Fprintln(e.Out, c.Out)
	return nil
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
