package render

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/template"
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

var document = template.Must(template.New("").Delims("<<", ">>").Funcs(template.FuncMap{
	"tex": latex.Escape, "sign": latexSigns.origin, "percent": latexPercent, "join": strings.Join,
}).Parse(`% needs \usepackage{array,booktabs,graphicx,longtable,pdflscape}
<<if .Long ->>
\begin{landscape}\scriptsize\setlength{\tabcolsep}{2pt}\renewcommand{\arraystretch}{1.3}
\begin{longtable}{@{}<<.Spec>>@{}}
\caption{<<tex .Title>>} \\
\toprule
<<template "header" .>>\endhead\noalign{\label{tab:<<.ID>>}}
<<template "body" .>>\end{longtable}
<<template "notes" .>>\end{landscape}
<<else ->>
\begin{table*}
\centering\small\setlength{\tabcolsep}{3pt}\setlength{\belowcaptionskip}{4pt}
\caption{<<tex .Title>>}\label{tab:<<.ID>>}
\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%
\begin{tabular}{@{}<<.Spec>>@{}}
\toprule
<<template "header" .>><<template "body" .>>\end{tabular}}
<<template "notes" .>>\end{table*}
<<end ->>

<<define "header">><<with .Rules>><<join $.Groups " & ">> \\
<<join . " ">>
<<end>><<join .Names " & ">> \\
<<end ->>

<<define "body">><<range .Blocks>>\midrule
<<with .Title>>\multicolumn{<<$.Total>>}{@{}l@{}}{\emph{<<tex .>>}} \\
<<end>><<range .Rows>><<tex .Label>><<sign .Origin "">><<range $k, $c := .Cells>> & <<$.Cell $k $c>><<end>> \\
<<end>><<end>><<with .Coverage>>\midrule
\emph{coverage}<<range $k, $c := .>> & \multicolumn{<<$.Parts $k>>}{r}{<<percent $c>>}<<end>> \\
<<end>>\bottomrule
<<end ->>

<<define "notes">><<with .Lines>>
\medskip\noindent
\begin{minipage}{\linewidth}\footnotesize
<<join . "\n">>
\end{minipage}
<<end>><<end>>`))

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
	return document.Execute(w, newLatexTable(v))
}

// latexTable is a table as the template gets it.
type latexTable struct {
	*view
	Long bool // whether it breaks over pages

	columns              []latexColumn
	Spec                 string   // of all columns of LaTeX
	Total                int      // of these
	Groups, Rules, Names []string // the header
	Lines                []string // below the table
}

// latexColumn says which columns of LaTeX a column takes next to that of our number. An unusual coverage stands
// with the printed number.
type latexColumn struct {
	limits, printed bool
}

func newLatexTable(v *view) *latexTable {
	x := &latexTable{
		view: v, columns: make([]latexColumn, len(v.Columns)), Total: 1,
		Groups: []string{""}, Names: []string{latex.Escape(v.Label)},
	}
	// Long texts share three fifths of the width, and none has more than half of that.
	texts := make([][]string, 1+len(v.Columns)) // of the labels, and of each column of text
	for _, block := range v.Blocks {
		for _, r := range block.Rows {
			texts[0] = append(texts[0], r.Label)
			for k, cell := range r.Cells {
				if !v.Numeric[k] {
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
		long[i] = slices.ContainsFunc(column, func(text string) bool { return utf8.RuneCountInString(text) > broken })
		if long[i] {
			wide++
		}
	}
	x.Long = len(texts[0]) > longest || len(texts[0]) > longest/2 && wide > 0

	for i := range texts {
		switch {
		case long[i]:
			x.Spec += fmt.Sprintf(`>{\raggedright\arraybackslash}p{%.2f\linewidth}`, min(0.3, 0.6/float64(wide)))
		case i == 0 || !v.Numeric[i-1]:
			x.Spec += "l"
		default:
			x.Spec += "r"
			if x.columns[i-1].limits {
				x.Spec += `@{\,}l`
			}
			if x.columns[i-1].printed {
				x.Spec += "@{ }r"
			}
		}
	}
	for _, s := range spans(v.Columns) {
		n := 0
		for k := s.lo; k < s.hi; k++ {
			name := latex.Escape(v.Columns[k].Shown())
			if v.Numeric[k] {
				name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, x.Parts(k), name)
			}
			x.Names = append(x.Names, name)
			n += x.Parts(k)
		}
		if s.Group == "" {
			x.Groups = append(x.Groups, make([]string, n)...)
		} else {
			x.Groups = append(x.Groups, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, latex.Escape(s.Group)))
			x.Rules = append(x.Rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, x.Total+1, x.Total+n))
		}
		x.Total += n
	}
	for _, line := range v.legend(latexSigns) {
		x.Lines = append(x.Lines, latexPercent(line))
	}
	for _, note := range v.Notes {
		x.Lines = append(x.Lines, latex.Escape(note))
	}
	return x
}

// Parts is the number of columns of LaTeX that a column takes.
func (x *latexTable) Parts(k int) int {
	n := 1
	for _, has := range []bool{x.columns[k].limits, x.columns[k].printed} {
		if has {
			n++
		}
	}
	return n
}

// Cell returns the parts of a cell of a column.
func (x *latexTable) Cell(k int, cell viewCell) string {
	value := latex.Escape(cell.value)
	switch cell.mark {
	case best:
		value = `\textbf{` + value + `}`
	case second:
		value = `\underline{` + value + `}`
	}
	if value == "" && cell.printed == "" && x.Numeric[k] {
		value = "--"
	}
	parts := []string{value}
	if x.columns[k].limits {
		limits := ""
		if cell.low != "" {
			limits = strings.ReplaceAll(fmt.Sprintf(`$_{%s}^{%s}$`, cell.low, cell.high), "−", "-")
		}
		parts = append(parts, limits)
	}
	if x.columns[k].printed {
		var beside []string
		if cell.printed != "" {
			beside = append(beside, "("+latex.Escape(cell.printed)+")")
		}
		if cell.coverage != "" {
			beside = append(beside, "{["+latexPercent(cell.coverage)+"]}")
		}
		parts = append(parts, strings.Join(beside, " "))
	}
	return strings.Join(parts, " & ")
}

func latexPercent(s string) string { return strings.Replace(s, " %", `\,\%`, 1) }
