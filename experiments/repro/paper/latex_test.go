package paper

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"contextmover/experiments/harness/results"
	"contextmover/experiments/show/render"
)

// The tables of the recorded run are set with LaTeX, where it is, all in one article with the macros of their numbers.
// Nothing may stick out. What was set is left in the folder CONTEXTMOVER_LATEX, to be looked at.
func TestLaTeX(t *testing.T) {
	out := os.Getenv("CONTEXTMOVER_LATEX")
	if out == "" {
		t.Skip("CONTEXTMOVER_LATEX names no folder for what LaTeX sets")
	}
	all, err := results.ReadProfile("../../judge/verdict/reference", "open")
	if err != nil {
		t.Fatal(err)
	}
	var parts []string
	var tables []*render.Table
	for _, r := range all {
		for _, table := range r.Tables {
			var b bytes.Buffer
			if err := render.LaTeX(&b, table); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(out, table.ID+".tex"), b.Bytes())
			tables, parts = append(tables, table), append(parts, `\input{`+table.ID+`}\clearpage`)
		}
	}
	if len(parts) < 30 {
		t.Fatalf("%d tables", len(parts))
	}
	var macros bytes.Buffer
	if err := render.Macros(&macros, tables); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(out, "numbers.tex"), macros.Bytes())
	parts = append(parts, `CoMB has \cmours{table1_sts_summary}{glove-comb}{STS14} \cminterval{table1_sts_summary}{glove-comb}{STS14}, and the paper \cmprinted{table1_sts_summary}{glove-comb}{STS14}.`)
	article(t, out, "pages", "10pt", `\usepackage[letterpaper,textwidth=6.75in,textheight=9in]{geometry}\input{numbers}`, parts)
}

var sticksOut = regexp.MustCompile(`Overfull|Float too large|multiply-defined|Missing character`)

// article sets a document of the parts, and looks for what sticks out in its log.
func article(t *testing.T, dir, name, options, preamble string, parts []string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "\\documentclass[%s]{article}\n\\usepackage{array,booktabs,graphicx,longtable,pdflscape}\n%s\n\\begin{document}\n", options, preamble)
	for i, part := range parts {
		fmt.Fprintf(&b, "\\typeout{=== part %d}%s\n", i, part)
	}
	b.WriteString("\\end{document}\n")
	writeFile(t, filepath.Join(dir, name+".tex"), []byte(b.String()))
	var text []byte
	for range 3 { // until the widths of long tables have settled
		latex := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", name+".tex")
		latex.Dir = dir
		var err error
		if text, err = latex.CombinedOutput(); err != nil {
			t.Fatalf("%s.tex: %v\n%s", name, err, text[max(0, len(text)-2000):])
		}
	}
	part := ""
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "=== part "); ok {
			fmt.Sscan(rest, &part)
		}
		if sticksOut.MatchString(line) {
			at := 0
			fmt.Sscan(part, &at)
			t.Errorf("%s.tex, %s: %s", name, parts[at], line)
		}
	}
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
}
