package notebook

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Options are those of Execute.
type Options struct {
	// Timeout is the time a cell may take; 0 for any. A cell that takes longer is
	// interrupted, and the kernel killed if the cell then goes on.
	Timeout time.Duration
	// Cell, if not nil, is called after each code cell.
	Cell func(Done)
}

// Done says that a code cell was executed.
type Done struct {
	Cell    int // position in the notebook, from 1
	Cells   int // in the notebook
	Elapsed time.Duration
	Err     error // a *CellError, or nil
}

// CellError says why a cell failed.
type CellError struct {
	Path  string
	Cell  int // position in the notebook, from 1
	Count int // the number in In [ ], 0 if the kernel gave none
	Line  string
	Err   error
}

func (e *CellError) Error() string {
	in := ""
	if e.Count > 0 {
		in = fmt.Sprintf(" (In [%d])", e.Count)
	}
	return fmt.Sprintf("notebook: %s: cell %d%s, %q: %v", e.Path, e.Cell, in, e.Line, e.Err)
}

func (e *CellError) Unwrap() error { return e.Err }

// ErrKernel is the error of a notebook that is not for the kernel at hand.
var ErrKernel = errors.New("notebook: it is written for another kernel")

// Execute runs all code cells in order in a kernel of their own, in the notebook's
// folder, and puts the outputs into n. It stops at the first cell that fails, which
// is a *CellError; the cells after it have no outputs then.
//
// Two tags of cells are those of nbclient: one with the tag skip-execution is left out, and one with raises-exception
// may fail, unless it takes too long or the kernel dies.
//
// A cell fails if the kernel says so, and also where GoNB calls it a success although
// a shell command failed or a % command does not exist.
func (n *Notebook) Execute(ctx context.Context, spec Spec, o Options) error {
	if n.Language != "" && n.Language != spec.Language {
		return fmt.Errorf("%w: %s wants %q (language %s), and only %s can be executed here",
			ErrKernel, n.Path, n.Kernel, n.Language, spec.Language)
	}
	n.Clear()
	dir, err := filepath.Abs(filepath.Dir(n.Path))
	if err != nil {
		return fmt.Errorf("notebook: %w", err)
	}
	k, err := start(ctx, spec, dir)
	if err != nil {
		return fmt.Errorf("notebook: %s: %w", n.Path, err)
	}
	defer k.stop()
	displays := make(map[string][]*Output)
	for i, c := range n.Cells {
		if c.Kind != "code" || strings.TrimSpace(c.Source) == "" || slices.Contains(c.Tags, "skip-execution") {
			continue
		}
		began := time.Now()
		err := k.run(ctx, c, o.Timeout, displays)
		c.dropEmpty()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.As(err, new(raised)) && slices.Contains(c.Tags, "raises-exception") {
			err = nil // as announced; what it raised stays in its outputs
		}
		if err != nil {
			err = &CellError{n.Path, i + 1, c.Count, firstLine(c.Source), err}
		}
		if o.Cell != nil {
			o.Cell(Done{i + 1, len(n.Cells), time.Since(began), err})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropEmpty removes displays that were updated to nothing, such as a bar of progress
// at its end.
func (c *Cell) dropEmpty() {
	c.Outputs = slices.DeleteFunc(c.Outputs, func(o *Output) bool {
		for _, form := range o.Data {
			if form != "" {
				return false
			}
		}
		return len(o.Data) > 0
	})
}

// pretended is the line at the end of stderr by which GoNB says that something failed that it calls a success.
var pretended = regexp.MustCompile(`(?:^|\n)(exit status \d+|signal: .+|"%.*" unknown or not implemented yet\.)\n?$`)

// raised is why the code of a cell failed, in a kernel that goes on.
type raised string

func (e raised) Error() string { return string(e) }

// run executes one cell.
func (k *kernel) run(ctx context.Context, c *Cell, timeout time.Duration, displays map[string][]*Output) error {
	if reader := keyboard(c.Source); reader != "" {
		err := raised(reader + " reads standard input, and nobody types while a notebook is executed without " +
			"Jupyter; assign the value in the cell, or give the cell the tag skip-execution")
		c.fail("StdinNotImplementedError", err.Error())
		return err
	}

	out := &outputs{cell: c, displays: displays}
	answer, err := k.execute(ctx, c.Source, timeout, out.add)
	said := pretended.FindStringSubmatch(c.stderr())
	name := "CellFailed"
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		if name = "CellTimeout"; errors.Is(err, errDied) {
			name = "DeadKernel"
		}
	case answer.Status != "ok":
		err = raised(c.reason(answer))
	case said != nil:
		err = raised(said[1])
	default:
		return nil
	}
	c.fail(name, err.Error())
	return err
}

// ending are the lines that GoNB adds to what a program that failed wrote.
var ending = regexp.MustCompile(`(?m)^(?:\^C|exit status \d+|signal: .+)\n?`)

// reason says in a few words why a cell failed: what it wrote to stderr, which says more than
// the kernel's message, if there is any; of a panic its first line and the lines of cells.
func (c *Cell) reason(answer *reply) string {
	message := strings.TrimSpace(answer.Message)
	if message == "" {
		message = answer.Error
	}
	said := strings.TrimSpace(ending.ReplaceAllString(c.stderr(), ""))
	if said == "" {
		return message
	}
	lines := strings.Split(said, "\n")
	if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic: ") }); i >= 0 {
		return strings.Join(slices.DeleteFunc(lines[i:], func(l string) bool {
			return !strings.HasPrefix(l, "panic: ") && !strings.Contains(l, "Cell[")
		}), "\n")
	}
	const few = 8
	return strings.Join(lines[max(0, len(lines)-few):], "\n")
}

// stderr is what was written to it last.
func (c *Cell) stderr() (text string) {
	for _, o := range c.Outputs {
		if o.Type == "stream" && o.Name == "stderr" {
			text = o.Text()
		}
	}
	return text
}

// fail leaves one error in the outputs: what the program wrote to stderr stays next to it only if it says more.
func (c *Cell) fail(name, message string) {
	c.Outputs = slices.DeleteFunc(c.Outputs, func(o *Output) bool {
		if o.Type == "error" {
			return true
		}
		if o.Type != "stream" || o.Name != "stderr" {
			return false
		}
		said := strings.TrimSpace(ending.ReplaceAllString(o.Text(), ""))
		return said == "" || said == message
	})
	c.Outputs = append(c.Outputs, &Output{Type: "error", Error: name, Message: message, Traceback: []string{message}})
}

// firstLine returns the first line of a cell's source that says something.
func firstLine(source string) string {
	for line := range strings.Lines(source) {
		if line = strings.TrimSpace(line); line != "" && line != "%%" && !strings.HasPrefix(line, "//") {
			return line
		}
	}
	return ""
}
