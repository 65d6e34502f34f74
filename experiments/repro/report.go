package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"contextmover/experiments/report"
	"contextmover/experiments/verdict"
)

type reportCmd struct {
	resultsFlags
	Out string `short:"o" placeholder:"FILE" help:"The page (default: results/<profile>/report.html)."`
}

func (c *reportCmd) Run(e *env) error {
	p, all, err := c.read()
	if err != nil {
		return err
	}
	page := report.Page{Profile: p.Name, Description: p.Description, Results: all}
	if p.Published() {
		page.Verdict = verdict.Judge(p.Name, all)
	}
	var b bytes.Buffer
	if err := report.Write(&b, page); err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = filepath.Join(c.Results, p.Name, "report.html")
	}
	if err := os.WriteFile(c.Out+".new", b.Bytes(), 0o644); err != nil {
		return err
	}
	if err := os.Rename(c.Out+".new", c.Out); err != nil {
		return err
	}
	slog.Info("wrote", "page", c.Out, "size", size(int64(b.Len())))
	fmt.Fprintln(e.out, c.Out)
	return nil
}
