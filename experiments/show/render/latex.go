package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"contextmover/internal/latex"
)

// longest is the number of rows above which a table breaks over pages, as a longtable: half of it where cells have
// lines of text.
const longest = 40

// broken is the number of letters above which a cell of text is broken into lines.
const broken = 40

var latexSigns = signs{
	best: `\textbf{Bold}:`, second: `\underline{underlined}:`, quoted: `$^{\dagger}$`, notStated: `$^{\ddagger}$`,
	interval: "Limits next to a number",
}

// LaTeX writes t as one tabular in a table* float, or as a longtable across the page where it has more than 40 rows.
// The document needs the packages array, booktabs, graphicx, longtable and pdflscape, and a LaTeX that reads UTF-8
// (any since 2018). The label is tab:<id>.
//
// A tabular that is wider than the text is scaled down to it. Our number, its interval (as limits) and the printed
// number stand in columns of LaTeX of their own, so that decimal points are below each other.
func LaTeX(w io.Writer, t *Table) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	rows := 0
	for _, block := range v.blocks {
		rows += len(block)
	}
	x := newLatexTable(v)
	caption, label := `\caption{`+latex.Escape(v.Title)+`}`, `\label{tab:`+v.ID+`}`

	fmt.Fprintln(&x.out, `% needs \usepackage{array,booktabs,graphicx,longtable,pdflscape}`)
	if rows > longest || rows > longest/2 && strings.Contains(x.spec, "p{") {
		x.line(`\begin{landscape}\scriptsize\setlength{\tabcolsep}{2pt}\renewcommand{\arraystretch}{1.3}`)
		x.line(`\begin{longtable}{@{}%s@{}}`, x.spec)
		x.line(`%s \\`, caption)
		x.line(`\toprule`)
		x.header()
		x.line(`\endhead\noalign{%s}`, label)
		x.body()
		x.line(`\bottomrule`)
		x.line(`\end{longtable}`)
		x.notes()
		x.line(`\end{landscape}`)
	} else {
		x.line(`\begin{table*}`)
		x.line(`\centering\small\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}`)
		x.line("%s", caption+label)
		x.line(`\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%%`)
		x.line(`\begin{tabular}{@{}%s@{}}`, x.spec)
		x.line(`\toprule`)
		x.header()
		x.body()
		x.line(`\bottomrule`)
		x.line(`\end{tabular}}`)
		x.notes()
		x.line(`\end{table*}`)
	}

	_, err = x.out.WriteTo(w)
	return err
}

// latexTable is a table as LaTeX gets it.
type latexTable struct {
	*view
	out     bytes.Buffer
	columns []latexColumn
	total   int    // the columns of LaTeX, with that of the labels
	spec    string // of all of them
}

// latexColumn says which columns of LaTeX a column takes next to that of our number. An unusual coverage stands
// with the printed number.
type latexColumn struct {
	limits, printed bool
}

func newLatexTable(v *view) *latexTable {
	x := &latexTable{view: v, columns: make([]latexColumn, len(v.Columns)), total: 1}

	// Long texts share three fifths of the width, and none has more than half of that.
	texts := make([][]string, 1+len(v.Columns)) // of the labels, and of each column of text
	for _, block := range v.blocks {
		for _, r := range block {
			texts[0] = append(texts[0], r.Label)
			for k, cell := range r.cells {
				if !v.numeric[k] {
					texts[1+k] = append(texts[1+k], cell.value)
					continue
				}
				x.columns[k].limits = x.columns[k].limits || cell.low != ""
				x.columns[k].printed = x.columns[k].printed || cell.printed != "" || cell.coverage != ""
			}
		}
	}
	long := make([]bool, len(texts))
	wide := 0
	for i, column := range texts {
		for _, text := range column {
			long[i] = long[i] || utf8.RuneCountInString(text) > broken
		}
		if long[i] {
			wide++
		}
	}

	for i := range texts {
		switch {
		case long[i]:
			x.spec += fmt.Sprintf(`>{\raggedright\arraybackslash}p{%.2f\linewidth}`, min(0.3, 0.6/float64(wide)))
		case i == 0 || !v.numeric[i-1]:
			x.spec += "l"
		default:
			x.spec += "r"
			if x.columns[i-1].limits {
				x.spec += `@{\,}l`
			}
			if x.columns[i-1].printed {
				x.spec += "@{ }r"
			}
		}
		if i > 0 {
			x.total += x.columns[i-1].parts()
		}
	}
	return x
}

func (x *latexTable) line(format string, args ...any) { fmt.Fprintf(&x.out, format+"\n", args...) }

func (x *latexTable) row(cells []string) { x.line(`%s \\`, strings.Join(cells, " & ")) }

// header writes the names of the columns, below those of their groups.
func (x *latexTable) header() {
	groups, names := []string{""}, []string{latex.Escape(x.Label)}
	var rules []string
	at := 2
	for _, s := range spans(x.Columns) {
		n := 0
		for k := s.lo; k < s.hi; k++ {
			name, parts := latex.Escape(x.Columns[k].title()), x.columns[k].parts()
			if x.numeric[k] {
				name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, parts, name)
			}
			names = append(names, name)
			n += parts
		}
		if s.group == "" {
			groups = append(groups, make([]string, n)...)
		} else {
			groups = append(groups, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, latex.Escape(s.group)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, at, at+n-1))
		}
		at += n
	}
	if rules != nil {
		x.row(groups)
		x.line("%s", strings.Join(rules, " "))
	}
	x.row(names)
}

// body writes the rows, each block below a rule and its title, and the coverage.
func (x *latexTable) body() {
	for b, block := range x.blocks {
		x.line(`\midrule`)
		if title := x.Blocks[b].Title; title != "" {
			x.line(`\multicolumn{%d}{@{}l@{}}{\emph{%s}} \\`, x.total, latex.Escape(title))
		}
		for _, r := range block {
			cells := []string{latex.Escape(r.Label) + latexSigns.origin(r.Origin, "")}
			for k, cell := range r.cells {
				cells = append(cells, x.columns[k].cells(cell, x.numeric[k])...)
			}
			x.row(cells)
		}
	}
	if x.coverage == nil {
		return
	}
	x.line(`\midrule`)
	cells := []string{`\emph{coverage}`}
	for k, c := range x.columns {
		cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{r}{%s}`, c.parts(), latexPercent(x.coverage[k])))
	}
	x.row(cells)
}

// notes writes what the signs mean and the table's notes, below it.
func (x *latexTable) notes() {
	lines := x.legend(latexSigns)
	for _, note := range x.Notes {
		lines = append(lines, latex.Escape(note))
	}
	if lines != nil {
		x.line("\n\\medskip\\noindent\n\\begin{minipage}{\\linewidth}\\footnotesize\n%s\n\\end{minipage}",
			strings.ReplaceAll(strings.Join(lines, "\n"), "95 %", `95\,\%`))
	}
}

// parts is the number of columns of LaTeX that the column takes.
func (c *latexColumn) parts() int {
	n := 1
	for _, has := range []bool{c.limits, c.printed} {
		if has {
			n++
		}
	}
	return n
}

// cells returns the parts of a cell.
func (c *latexColumn) cells(cell viewCell, numeric bool) []string {
	value := latex.Escape(cell.value)
	switch cell.mark {
	case best:
		value = `\textbf{` + value + `}`
	case second:
		value = `\underline{` + value + `}`
	}
	if value == "" && cell.printed == "" && numeric {
		value = "--"
	}
	parts := []string{value}
	if c.limits {
		limits := ""
		if cell.low != "" {
			limits = strings.ReplaceAll(fmt.Sprintf(`$_{%s}^{%s}$`, cell.low, cell.high), "−", "-")
		}
		parts = append(parts, limits)
	}
	if c.printed {
		var beside []string
		if cell.printed != "" {
			beside = append(beside, "("+latex.Escape(cell.printed)+")")
		}
		if cell.coverage != "" {
			beside = append(beside, "{["+latexPercent(cell.coverage)+"]}")
		}
		parts = append(parts, strings.Join(beside, " "))
	}
	return parts
}

func latexPercent(s string) string { return strings.Replace(s, " %", `\,\%`, 1) }
