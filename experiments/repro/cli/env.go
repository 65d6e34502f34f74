// Package cli is what the commands of repro share: the streams they write to, progress, exit codes,
// and the flags that more than one group of them has.
package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"

	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
)

// Env is what a command may touch of the world. Commands write their results to
// Out, which is buffered and whose errors end the program at the end.
type Env struct {
	context.Context
	Out      *bufio.Writer
	Progress *Progress
	// Columns is the width of what shows Out, or that of files where no terminal does.
	Columns int
	// AsJSON asks for JSON in the place of text.
	AsJSON bool
	// Verbose asks for all that is logged, and all tables of a run.
	Verbose bool
}

// NewEnv returns the environment of a command that writes its results to stdout.
func NewEnv(ctx context.Context, stdout io.Writer, p *Progress) *Env {
	e := &Env{Context: ctx, Progress: p, Columns: render.Terminal}
	if isTerminal(stdout) {
		if columns, _, err := cwriter.GetSize(int(stdout.(*os.File).Fd())); err == nil && columns > 0 {
			e.Columns = columns
		}
		stdout = aboveBars{p, stdout}
	}
	e.Out = bufio.NewWriter(stdout)
	return e
}

// Show prints an answer: as JSON, or its table.
func (e *Env) Show(answer any, t *render.Table) error {
	if e.AsJSON {
		return e.JSON(answer)
	}
	return e.Table(t)
}

// Table writes a table to Out as it fits there, after what was written so far, and whole: no line of
// the log, which goes elsewhere, lands in the middle. Its errors are those of render.Text and of Out.
func (e *Env) Table(t *render.Table) error {
	var b bytes.Buffer
	if err := render.Text(&b, t, e.Columns); err != nil {
		return err
	}
	if err := e.Out.Flush(); err != nil {
		return err
	}
	if _, err := e.Out.Write(b.Bytes()); err != nil {
		return err
	}
	return e.Out.Flush()
}

// JSON prints v on a line, which a terminal can show too.
func (e *Env) JSON(v any) error {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := e.Out.Write(printable.JSON(line.Bytes()))
	return err
}

// Tabs returns what aligns columns of what goes to Out.
func (e *Env) Tabs() *tabwriter.Writer { return tabwriter.NewWriter(e.Out, 0, 0, 2, ' ', 0) }

// Moment writes when something was made.
func Moment(at time.Time) string {
	if at.IsZero() {
		return "unknown"
	}
	return at.Local().Format(time.DateTime)
}

// Took writes a number of seconds as a duration.
func Took(seconds float64) string {
	return time.Duration(seconds * float64(time.Second)).Round(10 * time.Millisecond).String()
}

// Percent writes part of whole in per cent with one decimal, that of nothing as 0.0.
func Percent(part, whole int64) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(whole, 1)), 'f', 1, 64)
}
