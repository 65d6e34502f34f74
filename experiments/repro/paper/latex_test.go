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

	"contextmover/experiments/figure"
	"contextmover/experiments/render"
	"contextmover/experiments/results"
)

// Tables and figures of the recorded run are set with LaTeX, where it is: all tables at the
// widths that they are made for, with nothing scaled down, and ten in an article of two columns.
// Nothing may stick out. What was set is left in the folder CONTEXTMOVER_LATEX, to be looked at.
func TestLaTeX(t *testing.T) {
	out := os.Getenv("CONTEXTMOVER_LATEX")
	if out == "" {
		t.Skip("CONTEXTMOVER_LATEX names no folder for what LaTeX sets")
	}
	all, err := results.ReadProfile("../../verdict/reference", "open")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range all {
		for _, table := range r.Tables {
			names = append(names, table.ID)
			for prefix, fit := range map[string]render.Fit{"column-": {Width: 3.25 * 72.27}, "page-": render.FitText} {
				var b bytes.Buffer
				if err := render.LaTeX(&b, table, fit); err != nil {
					t.Fatal(err)
				}
				writeFile(t, filepath.Join(out, prefix+table.ID+".tex"), b.Bytes())
			}
		}
	}
	if len(names) < 30 {
		t.Fatalf("%d tables", len(names))
	}
	prefixed := func(prefix string, names []string) (all []string) {
		for _, name := range names {
			all = append(all, `\input{`+prefix+name+`}\clearpage`)
		}
		return all
	}
	// What scales down where a document is narrower is switched off here.
	const plain = `\renewcommand\resizebox[3]{#3}`
	article(t, out, "columns", "twocolumn", `\usepackage[letterpaper,textwidth=6.25in,textheight=9in,columnsep=0.25in]{geometry}`+plain, prefixed("column-", names))
	article(t, out, "pages", "10pt", `\usepackage[letterpaper,textwidth=5.5in,textheight=9in]{geometry}`+plain, prefixed("page-", names))
	ten := []string{
		"table1_sts_summary", "table2_hypernymy_main", "table3_word_similarity", "tableS1a_sts12_detail", "tableS5_sts_hyperparameters",
		"tableS7_qual_sts14_news", "tableS11_nearest_neighbours", "tableS12_hypernymy_full_AP", "figureS1_num_clusters", "timings",
	}
	article(t, out, "ten", "twocolumn", "", append(prefixed("column-", ten), prefixed("page-", ten)...))

	var macros bytes.Buffer
	var tables []*render.Table
	var figures []string
	for _, r := range all {
		tables = append(tables, r.Tables...)
		for _, f := range r.Figures {
			drawn, err := figure.Decode(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := figure.PGF(&b, drawn); err != nil {
				t.Fatal(err)
			}
			writeFile(t, filepath.Join(out, f.ID+".pgf"), b.Bytes())
			figures = append(figures, `\noindent\input{`+f.ID+`.pgf}\clearpage`)
		}
	}
	if len(figures) < 5 {
		t.Fatalf("%d figures", len(figures))
	}
	if err := render.Macros(&macros, tables); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(out, "numbers.tex"), macros.Bytes())
	figures = append(figures, `CoMB has \cmours{table1_sts_summary}{glove-comb}{STS14} \cminterval{table1_sts_summary}{glove-comb}{STS14}, and the paper \cmprinted{table1_sts_summary}{glove-comb}{STS14}.`)
	article(t, out, "figures", "10pt", `\usepackage[letterpaper,textwidth=6.75in,textheight=9in]{geometry}\usepackage{mathptmx}\input{numbers}`, figures)
}

var sticksOut = regexp.MustCompile(`Overfull|Float too large|multiply-defined|Missing character`)

// article sets a document of the parts, and looks for what sticks out in its log.
func article(t *testing.T, dir, name, options, preamble string, parts []string) {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "\\documentclass[%s]{article}\n\\usepackage{array,booktabs,graphicx,pgf}\n%s\n\\begin{document}\n", options, preamble)
	for i, part := range parts {
		fmt.Fprintf(&b, "\\typeout{=== part %d}%s\n", i, part)
	}
	b.WriteString("\\end{document}\n")
	writeFile(t, filepath.Join(dir, name+".tex"), []byte(b.String()))
	latex := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", name+".tex")
	latex.Dir = dir
	text, err := latex.CombinedOutput()
	if err != nil {
		t.Fatalf("%s.tex: %v\n%s", name, err, text[max(0, len(text)-2000):])
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
