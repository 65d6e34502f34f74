package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"contextmover/internal/latex"
)

// Fit is the room that LaTeX makes a table for.
type Fit struct {
	// Width is in points of TeX, 72.27 an inch.
	Width float64
	// Wide tables stand over both columns of a page that has two.
	Wide bool
}

// FitText is the text of NeurIPS and ICLR, 5.5 inches. It stands
// on the pages of all conferences that print papers like this one.
var FitText = Fit{Width: 5.5 * inch, Wide: true}

const inch = 72.27

var latexSigns = signs{
	best: `\textbf{Bold}:`, second: `\underline{underlined}:`, quoted: `$^{\dagger}$`, notStated: `$^{\ddagger}$`,
	interval: "Limits beside a number",
}

// LaTeX writes t so that it fits: floats that need the packages array, booktabs and graphicx and a LaTeX that
// reads UTF-8 (any since 2018). The label is tab:<id>.
//
// Letters become smaller, down to \scriptsize, until the columns stand side by side with labels of a readable
// width; words longer than their column are broken into lines. Columns that have no room even so follow in
// further panels below. What is higher than a page goes on in further floats: longtable, which breaks by itself,
// refuses a page of two columns. In a document that is narrower than the table was made for it is scaled down.
// Decimal points stand below each other; an interval is set as limits beside its number.
func LaTeX(w io.Writer, t *Table, fit Fit) error {
	v, err := newView(t)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	fmt.Fprintln(&out, `% needs \usepackage{array,booktabs,graphicx}`)
	environment := "table"
	if fit.Wide {
		environment = "table*"
	}
	x := v.arrange(fit)
	for i, float := range x.floats() {
		fmt.Fprintf(&out, "\\begin{%s}\n\\centering\n", environment)
		title := latex.Escape(v.Title)
		if i == 0 {
			fmt.Fprintf(&out, "\\caption{%s}\n\\label{tab:%s}\n", title, v.ID)
		} else {
			fmt.Fprintf(&out, "\\addtocounter{table}{-1}\n\\caption[]{%s (continued)}\n", title)
		}
		notes := false
		for j, p := range float {
			switch {
			case p.note != "" && !notes:
				notes = true
				if j > 0 {
					out.WriteString("\n\\medskip\n")
				}
				out.WriteString("\\begin{minipage}{\\linewidth}\\footnotesize\n" + p.note + "\n")
			case p.note != "":
				out.WriteString(p.note + "\n")
			default:
				if j == 0 {
					fmt.Fprintf(&out, "\\%s\n\\setlength{\\tabcolsep}{%dpt}\n\\renewcommand{\\arraystretch}{%g}\n",
						x.size.name, tabColSep, x.stretch())
				} else {
					out.WriteString("\n\\medskip\n")
				}
				x.tabular(&out, p)
			}
		}
		if notes {
			out.WriteString("\\end{minipage}\n")
		}
		fmt.Fprintf(&out, "\\end{%s}\n", environment)
	}
	_, err = out.WriteTo(w)
	return err
}

// tabular writes the rows of a piece. It is scaled down where the document is narrower than the table.
func (x *latexLayout) tabular(out *bytes.Buffer, p piece) {
	line := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	row := func(cells []string) { line(`%s \\`, strings.Join(cells, " & ")) }
	columns := x.panels[p.panel]

	spec := x.labels[p.panel].spec
	of := []int{1} // the columns of LaTeX that each column takes
	for _, k := range columns {
		spec += x.columns[k].spec
		of = append(of, x.columns[k].parts())
	}
	line(`\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%%`)
	line(`\begin{tabular}{@{}%s@{}}`, spec)
	line(`\toprule`)

	var groups, rules, header []string
	groups = append(groups, "")
	at := 2
	for _, s := range x.spans(columns) {
		n := 0
		for _, parts := range of[1+s.lo : 1+s.hi] {
			n += parts
		}
		if s.group != "" {
			groups = append(groups, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, stacked(x.group(columns, s), true)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, at, at+n-1))
		} else {
			groups = append(groups, make([]string, n)...)
		}
		at += n
	}
	if rules != nil {
		row(groups)
		line("%s", strings.Join(rules, " "))
	}
	header = append(header, latex.Escape(x.Label))
	for i, k := range columns {
		name := stacked(x.columns[k].header, x.numeric[k])
		if x.numeric[k] {
			name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, of[1+i], name)
		}
		header = append(header, name)
	}
	row(header)

	total := 0
	for _, n := range of {
		total += n
	}
	for _, it := range p.items {
		switch {
		case it.rule:
			line(`\midrule`)
		case it.title != "":
			line(`\multicolumn{%d}{@{}l@{}}{\emph{%s}} \\`, total, stacked(it.lines, false))
		case it.coverage:
			cells := []string{`\emph{coverage}`}
			for _, k := range columns {
				cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{%s}{%s}`,
					x.columns[k].parts(), side(x.numeric[k]), latexPercent(x.coverage[k])))
			}
			row(cells)
		default:
			cells := []string{latex.Escape(it.row.Label) + latexSigns.origin(it.row.Origin, "")}
			for _, k := range columns {
				cells = append(cells, x.columns[k].cells(it.row.cells[k], x.numeric[k])...)
			}
			row(cells)
		}
	}
	line(`\bottomrule`)
	line(`\end{tabular}}`)
}

func side(numeric bool) string {
	if numeric {
		return "r"
	}
	return "l"
}

// stacked sets lines above each other in one cell.
func stacked(lines []string, centred bool) string {
	escaped := make([]string, len(lines))
	for i, l := range lines {
		escaped[i] = latex.Escape(l)
	}
	if len(lines) == 1 {
		return escaped[0]
	}
	alignment := "l"
	if centred {
		alignment = "c"
	}
	return `\begin{tabular}[b]{@{}` + alignment + `@{}}` + strings.Join(escaped, `\\`) + `\end{tabular}`
}

// parts is the number of LaTeX's columns that the column takes: our number, its limits and the printed one stand in one
// each, so that each has its own alignment.
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
	if numeric {
		value = latexNumber(value)
	}
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
			limits = fmt.Sprintf(`$_{%s}^{%s}$`, cell.low, cell.high)
		}
		parts = append(parts, limits)
	}
	if c.printed {
		var beside []string
		if cell.printed != "" {
			beside = append(beside, "("+latexNumber(cell.printed)+")")
		}
		if cell.coverage != "" {
			beside = append(beside, "{["+latexPercent(cell.coverage)+"]}")
		}
		parts = append(parts, strings.Join(beside, " "))
	}
	return parts
}

// latexNotes are the notes below the table, one a line.
func (v *view) latexNotes() []string {
	notes := v.legend(latexSigns)
	for i := range notes {
		notes[i] = strings.ReplaceAll(notes[i], "95 %", `95\,\%`)
	}
	for _, n := range v.Notes {
		notes = append(notes, latex.Escape(n))
	}
	return slices.Clip(notes)
}

// latexNumber sets a minus sign instead of a hyphen before a digit.
func latexNumber(s string) string {
	if rest, ok := strings.CutPrefix(s, "-"); ok && !strings.HasPrefix(rest, "-") {
		return "$-$" + rest
	}
	return s
}

func latexPercent(s string) string { return strings.Replace(s, " %", `\,\%`, 1) }
