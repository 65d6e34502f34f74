package render

import (
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
	for _, block := range v.Blocks {
		rows += len(block.Rows)
	}
	x := &latexTable{view: v, columns: v.latexColumns()}
	spec := ""
	for _, c := range x.columns {
		spec += strings.Join(c.specs, "")
	}
	format := latexTabular
	if rows > longest || rows > longest/2 && strings.Contains(spec, "p{") {
		format = latexLongtable
	}
	header, body, notes := x.header(), x.body(), x.notes()
	_, err = fmt.Fprintf(w, latexPackages+format, spec, `\caption{`+latex.Escape(v.Title)+`}`, `\label{tab:`+v.ID+`}`,
		header, body, notes)
	return err
}

// These take the specification of the columns, the caption, the label, the header, the rows and the notes.
const (
	latexPackages = `%% needs \usepackage{array,booktabs,graphicx,longtable,pdflscape}
`
	latexTabular = `\begin{table*}
\centering\small\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}
%[2]s%[3]s
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%%
\begin{tabular}{@{}%[1]s@{}}
\toprule
%[4]s%[5]s\bottomrule
\end{tabular}}
%[6]s\end{table*}
`
	latexLongtable = `\begin{landscape}\scriptsize\setlength{\tabcolsep}{2pt}\renewcommand{\arraystretch}{1.3}
\begin{longtable}{@{}%[1]s@{}}
%[2]s \\
\toprule
%[4]s\endhead\noalign{%[3]s}
%[5]s\bottomrule
\end{longtable}
%[6]s\end{landscape}
`
)

// latexTable is a table as LaTeX gets it: the column of labels and those of the table.
type latexTable struct {
	*view
	columns []latexColumn
}

// latexColumn has the specifications of the columns of LaTeX that a column takes: next to that of our number those of
// the limits and of the printed number. An unusual coverage stands with the printed number.
type latexColumn struct {
	specs           []string
	limits, printed bool
}

func (v *view) latexColumns() []latexColumn {
	columns := make([]latexColumn, 1+len(v.Columns))
	// Long texts share three fifths of the width, and none has more than half of that.
	long := make(map[int]bool)
	note := func(i int, text string) {
		if utf8.RuneCountInString(text) > broken {
			long[i] = true
		}
	}
	for _, block := range v.Blocks {
		for _, r := range block.Rows {
			note(0, r.Label)
			for k, cell := range r.Cells {
				if c := &columns[1+k]; v.Numeric[k] {
					c.limits = c.limits || cell.low != ""
					c.printed = c.printed || cell.printed != "" || cell.coverage != ""
				} else {
					note(1+k, cell.value)
				}
			}
		}
	}
	for i := range columns {
		c := &columns[i]
		switch {
		case long[i]:
			share := min(0.3, 0.6/float64(len(long)))
			c.specs = []string{fmt.Sprintf(`>{\raggedright\arraybackslash}p{%.2f\linewidth}`, share)}
		case i == 0 || !v.Numeric[i-1]:
			c.specs = []string{"l"}
		default:
			c.specs = []string{"r"}
		}
		if c.limits {
			c.specs = append(c.specs, `@{\,}l`)
		}
		if c.printed {
			c.specs = append(c.specs, "@{ }r")
		}
	}
	return columns
}

func latexRow(cells []string) string { return strings.Join(cells, " & ") + " \\\\\n" }

// header returns the names of the columns, below those of their groups.
func (x *latexTable) header() string {
	groups, names := []string{""}, []string{latex.Escape(x.Label)}
	var rules []string
	at := 2
	for _, s := range spans(x.Columns) {
		n := 0
		for k, c := range s.Columns {
			name, parts := latex.Escape(c.title()), len(x.columns[1+s.First+k].specs)
			if x.Numeric[s.First+k] {
				name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, parts, name)
			}
			names = append(names, name)
			n += parts
		}
		if s.Group == "" {
			groups = append(groups, make([]string, n)...)
		} else {
			groups = append(groups, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, latex.Escape(s.Group)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, at, at+n-1))
		}
		at += n
	}
	if rules == nil {
		return latexRow(names)
	}
	return latexRow(groups) + strings.Join(rules, " ") + "\n" + latexRow(names)
}

// body returns the rows, each block below a rule and its title, and the coverage.
func (x *latexTable) body() string {
	var out strings.Builder
	total := 0
	for _, c := range x.columns {
		total += len(c.specs)
	}
	for _, block := range x.Blocks {
		out.WriteString("\\midrule\n")
		if block.Title != "" {
			fmt.Fprintf(&out, "\\multicolumn{%d}{@{}l@{}}{\\emph{%s}} \\\\\n", total, latex.Escape(block.Title))
		}
		for _, r := range block.Rows {
			cells := []string{latex.Escape(r.Label) + latexSigns.origin(r.Origin, "")}
			for k, cell := range r.Cells {
				cells = append(cells, x.columns[1+k].cells(cell, x.Numeric[k])...)
			}
			out.WriteString(latexRow(cells))
		}
	}
	if x.Coverage != nil {
		cells := []string{`\emph{coverage}`}
		for k, c := range x.Coverage {
			cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{r}{%s}`, len(x.columns[1+k].specs), latexPercent(c)))
		}
		out.WriteString("\\midrule\n" + latexRow(cells))
	}
	return out.String()
}

// notes returns what the signs mean and the table's notes, to stand below it.
func (x *latexTable) notes() string {
	lines := x.legend(latexSigns)
	for _, note := range x.Notes {
		lines = append(lines, latex.Escape(note))
	}
	if lines == nil {
		return ""
	}
	return "\n\\medskip\\noindent\n\\begin{minipage}{\\linewidth}\\footnotesize\n" +
		strings.ReplaceAll(strings.Join(lines, "\n"), "95 %", `95\,\%`) + "\n\\end{minipage}\n"
}

// cells returns the parts of a cell.
func (c latexColumn) cells(cell viewCell, numeric bool) []string {
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
