package main

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"contextmover/experiments/repro/cli"
	"contextmover/internal/atomicfile"
	"contextmover/internal/disk"
)

type manCmd struct {
	Out string `arg:"" help:"The folder for the pages."`
}

// Run writes the page repro.1 and one for each command, as repro-ot-distance.1.
func (c *manCmd) Run(e *cli.Env, app *kong.Kong) error {
	if err := disk.MkdirAll(c.Out); err != nil {
		return err
	}
	root := app.Model.Node
	commands := root.Leaves(true)
	write := func(node *kong.Node, body func(*roff)) error {
		return atomicfile.Write(filepath.Join(c.Out, manName(node)+".1"), func(w *bufio.Writer) error {
			r := &roff{w}
			r.line(".TH", strings.ToUpper(manName(node)), "1", "", "Context Mover", "User Commands")
			r.line(".SH", "NAME")
			r.text(manName(node) + " - " + node.Help)
			body(r)
			return nil
		})
	}
	err := write(root, func(r *roff) {
		r.line(".SH", "SYNOPSIS")
		r.line(".B", "repro")
		r.text("COMMAND [flags]")
		r.line(".SH", "COMMANDS")
		for _, command := range commands {
			r.line(".TP")
			r.line(".BR", manName(command), "(1)")
			r.text(command.Help)
		}
		r.line(".SH", "EXIT STATUS")
		for _, s := range exitStatus {
			r.line(".TP")
			r.line(".B", fmt.Sprint(s.code))
			r.text(s.meaning)
		}
	})
	if err != nil {
		return err
	}
	for _, command := range commands {
		if err := write(command, func(r *roff) { r.command(command) }); err != nil {
			return err
		}
	}
	return nil
}

var exitStatus = []struct {
	code    int
	meaning string
}{
	{0, "Done."}, {cli.ExitFailed, "Failed."}, {cli.ExitUsage, "Wrong usage."},
	{cli.ExitRegression, "Worse than the recorded run."},
	{cli.ExitData, "Data missing or damaged."}, {cli.ExitNotebook, "A notebook failed."},
	{cli.ExitDefect, "A defect of the program: please report what it says."}, {cli.ExitInterrupted, "Interrupted."},
}

func manName(node *kong.Node) string {
	if node.Type == kong.ApplicationNode {
		return node.Name
	}
	return manName(node.Parent) + "-" + node.Name
}

// roff writes the source of a manual page. Errors are w's, which keeps them.
type roff struct{ w *bufio.Writer }

// command writes what is particular to a command.
func (r *roff) command(node *kong.Node) {
	r.line(".SH", "SYNOPSIS")
	r.line(".B", strings.ReplaceAll(manName(node), "-", " "))
	usage := "[flags]"
	for _, p := range node.Positional {
		usage += " " + p.Summary()
	}
	r.text(usage)
	if node.Detail != "" {
		r.line(".SH", "DESCRIPTION")
		r.text(node.Detail)
	}
	if len(node.Positional) > 0 {
		r.line(".SH", "ARGUMENTS")
		for _, p := range node.Positional {
			r.line(".TP")
			r.line(".I", p.Summary())
			r.text(p.Help)
		}
	}
	r.line(".SH", "OPTIONS")
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			r.line(".TP")
			r.line(".B", f.String())
			r.text(f.Help)
		}
	}
	r.line(".SH", "SEE ALSO")
	r.line(".BR", "repro", "(1)")
}

var special = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`, `'`, `\(aq`)

// escape writes text in ASCII, without what roff takes for its own.
func escape(s string) string {
	var b strings.Builder
	for _, r := range special.Replace(s) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

// line writes a request and its arguments.
func (r *roff) line(request string, args ...string) {
	r.w.WriteString(request)
	for _, a := range args {
		r.w.WriteString(` "` + escape(a) + `"`)
	}
	r.w.WriteByte('\n')
}

// text writes paragraphs; what is indented in them stays as it is.
func (r *roff) text(s string) {
	verbatim := false
	for line := range strings.SplitSeq(s, "\n") {
		if indented := strings.HasPrefix(line, " "); indented != verbatim && line != "" {
			if verbatim = indented; verbatim {
				r.line(".nf")
			} else {
				r.line(".fi")
			}
		}
		switch line = escape(line); {
		case line == "":
			r.line(".PP")
			continue
		case line[0] == '.':
			line = `\&` + line
		}
		r.w.WriteString(line + "\n")
	}
	if verbatim {
		r.line(".fi")
	}
}
