// Package cli is what the commands of repro share: the streams they write to, progress, exit codes,
// and the flags that more than one group of them has.
package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/vbauerster/mpb/v8/cwriter"

	"contextmover/experiments/show/render"
	"contextmover/internal/printable"
	"contextmover/internal/system"
)

// Env is what a command may touch of the world. Commands write their results to
// Out, which is buffered and whose errors end the program at the end.
type Env struct {
	context.Context
	Out      *bufio.Writer
	Progress *Progress
	// Columns is the width of what shows Out, or that of files where no terminal does.
	Columns int
	// Verbose asks for all that is logged, and all tables of a run.
	Verbose bool
}

// NewEnv returns the environment of a command that writes its results to stdout.
func NewEnv(ctx context.Context, stdout io.Writer, p *Progress) *Env {
	e := &Env{Context: ctx, Out: bufio.NewWriter(p.output(stdout)), Progress: p, Columns: render.Terminal}
	if f, ok := stdout.(*os.File); ok && cwriter.IsTerminal(int(f.Fd())) {
		if columns, _, err := cwriter.GetSize(int(f.Fd())); err == nil && columns > 0 {
			e.Columns = columns
		}
	}
	return e
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

// ErrNoTerminal is the error of Confirm where there is nobody to ask.
var ErrNoTerminal = errors.New("there is no terminal to ask on")

// Confirm asks a question on stderr, after what was written to Out so far, where stdin is a terminal, and
// returns whether the answer begins with y. The error is ErrNoTerminal, the context's, or one of Out.
func (e *Env) Confirm(question string) (bool, error) {
	if !cwriter.IsTerminal(int(os.Stdin.Fd())) {
		return false, ErrNoTerminal
	}
	if err := e.Out.Flush(); err != nil {
		return false, err
	}
	fmt.Fprintf(os.Stderr, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(os.Stdin).ReadString('\n') // an end without an answer is none
		answer <- line
	}()
	select {
	case <-e.Done():
		return false, e.Err()
	case line := <-answer:
		return strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y"), nil
	}
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

// LogFinished logs the end of a long command with what attrs, as those of slog.Info, say of it, and
// the largest memory that the process took, where the system tells.
func LogFinished(attrs ...any) {
	if peak, ok := system.PeakMemory(); ok {
		attrs = append(attrs, "peak_memory", printable.Bytes(peak))
	}
	slog.Info("finished", attrs...)
}

// Percent writes part of whole in per cent with one decimal, that of nothing as 0.0.
func Percent(part, whole int64) string {
	return strconv.FormatFloat(100*float64(part)/float64(max(whole, 1)), 'f', 1, 64)
}
