package main

import (
	"bytes"
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

// Run writes the page repro.1 and one for each command, as repro-ot-distance.1: what --help prints.
func (c *manCmd) Run(e *cli.Env, app *kong.Kong) error {
	if err := disk.MkdirAll(c.Out); err != nil {
		return err
	}
	for _, node := range append([]*kong.Node{app.Model.Node}, app.Model.Leaves(true)...) {
		name := manName(node)
		command, err := kong.Trace(app, strings.Split(name, "-")[1:])
		if err != nil {
			return err
		}
		var help bytes.Buffer
		command.Stdout = &help
		if err := command.PrintUsage(false); err != nil {
			return err
		}
		page := fmt.Sprintf(".TH %s 1 \"\" \"Context Mover\" \"User Commands\"\n.SH NAME\n%s \\- %s\n"+
			".SH DESCRIPTION\n.nf\n%s.fi\n",
			escape(strings.ToUpper(name)), escape(name), escape(node.Help), escape(help.String()))
		if err := atomicfile.WriteBytes(filepath.Join(c.Out, name+".1"), []byte(page)); err != nil {
			return err
		}
	}
	return nil
}

func manName(node *kong.Node) string {
	if node.Type == kong.ApplicationNode {
		return node.Name
	}
	return manName(node.Parent) + "-" + node.Name
}

var special = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "\n.", "\n\\&.")

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
