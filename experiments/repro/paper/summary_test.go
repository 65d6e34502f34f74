package paper

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"contextmover/experiments"
	"contextmover/experiments/harness/pipeline"
	"contextmover/experiments/harness/profile"
	"contextmover/experiments/repro/cli"
	"contextmover/experiments/show/figure"
	"contextmover/experiments/show/render"
)

// A run ends with one page, however many tables it made.
func TestSummaryIsOnePage(t *testing.T) {
	var all []made
	value := 48.3
	for e := range 8 {
		table := &render.Table{ID: fmt.Sprintf("table%d", e), Title: fmt.Sprintf("Title %d", e), Label: "method", Notes: []string{"a long note"}, Columns: []render.Column{{Name: "score", Digits: 1}}}
		for b := range 5 {
			block := render.Block{Title: fmt.Sprintf("block %d", b)}
			for r := range 10 {
				block.Rows = append(block.Rows, render.Row{Label: fmt.Sprintf("row %d of %d", r, b), Cells: []render.Cell{{Value: &value, Interval: &render.Interval{Low: 1.25, High: 99.75}}}})
			}
			table.Blocks = append(table.Blocks, block)
		}
		all = append(all, made{experiments.Experiment{Name: fmt.Sprintf("part%d", e), Help: "what it is"}, &pipeline.Output{Tables: []*render.Table{table, table}, Figures: []*figure.Figure{nil}}, 1500 * time.Millisecond})
	}
	var out bytes.Buffer
	e := cli.NewEnv(t.Context(), &out, &cli.Progress{})
	if err := summary(e, &profile.Profile{Name: "own", Description: "of two\nlines"}, all, time.Minute); err != nil {
		t.Fatal(err)
	}
	if err := e.Out.Flush(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	if lines := strings.Count(text, "\n"); lines > 60 {
		t.Errorf("%d lines:\n%s", lines, text)
	}
	for _, want := range []string{"Profile own: of two\\nlines", "part7             2       1      1.5  what it is", "60.0", "Title 0", "row 3 of 2", "26 more rows", "table0.md", "tables/own", "repro explore --profile own"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, not := range []string{"Title 1", "row 4 of 2", "99.8", "a long note"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is on the page", not)
		}
	}
	// The tables themselves are as they were.
	if first := all[0].output.Tables[0]; len(first.Blocks) != 5 || len(first.Blocks[4].Rows) != 10 || first.Blocks[0].Rows[0].Cells[0].Interval == nil {
		t.Error("the headline changed its table")
	}
}
