package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"contextmover/internal/latex"
)

// Macros writes the numbers of tables as macros of LaTeX, so that a text has them from the run instead of by hand:
//
//	\cmours{table}{row}{column}	our number as the table shows it, or the cell's text
//	\cminterval{…}{…}{…}	its 95 % interval, [low, high]
//	\cmlow, \cmhigh, \cmprinted	a limit of it, or the paper's number
//
// row is the row's key and column Group/Name, as in CSV, without the signs \ { } # % ~ ^, which LaTeX takes in no name.
// A name that no table has is an error of LaTeX when it is used. Two names that only differ in such signs are an error.
func Macros(w io.Writer, tables []*Table) error {
	var out bytes.Buffer
	out.WriteString(`% Numbers of a run, for \input in the preamble: \cmours{table}{row}{column}, and so \cminterval, \cmlow, \cmhigh, \cmprinted.
\makeatletter
\newcommand*\cm@set[7]{%
  \@namedef{cm@ours@#1@#2@#3}{#4}%
  \@namedef{cm@low@#1@#2@#3}{#5}%
  \@namedef{cm@high@#1@#2@#3}{#6}%
  \@namedef{cm@printed@#1@#2@#3}{#7}}
\newcommand*\cm@get[4]{%
  \@ifundefined{cm@#1@#2@#3@#4}%
    {\@latex@error{The run has no cell {#2}{#3}{#4}}{Look it up in the table's CSV.}}%
    {\expandafter\ifx\csname cm@#1@#2@#3@#4\endcsname\@empty
      \@latex@error{The cell {#2}{#3}{#4} has no number of this kind (#1)}{Look it up in the table's CSV.}%
    \else\@nameuse{cm@#1@#2@#3@#4}\fi}}
\newcommand*\cmours{\cm@get{ours}}
\newcommand*\cmlow{\cm@get{low}}
\newcommand*\cmhigh{\cm@get{high}}
\newcommand*\cmprinted{\cm@get{printed}}
\newcommand*\cminterval[3]{[\cmlow{#1}{#2}{#3}, \cmhigh{#1}{#2}{#3}]}
`)
	seen := map[string]string{}
	for _, t := range tables {
		v, err := newView(t)
		if err != nil {
			return err
		}
		for _, block := range v.Blocks {
			for _, r := range block.Rows {
				for k, c := range r.Cells {
					column := v.Columns[k].Address()
					if c.value == "" && c.printed == "" {
						continue
					}
					name := fmt.Sprintf("{%s}{%s}{%s}", macroName(t.ID), macroName(r.Key), macroName(column))
					full := fmt.Sprintf("table %s, row %q, column %q", t.ID, r.Key, column)
					if other, twice := seen[name]; twice {
						return fmt.Errorf("render: %s and %s have the same name in LaTeX", other, full)
					}
					seen[name] = full
					fmt.Fprintf(&out, "\\cm@set%s{%s}{%s}{%s}{%s}\n", name, latex.Escape(c.value), latex.Escape(c.low),
						latex.Escape(c.high), latex.Escape(c.printed))
				}
			}
		}
	}
	out.WriteString("\\makeatother\n")
	_, err := out.WriteTo(w)
	return err
}

var macroNames = strings.NewReplacer(`\`, "", "{", "", "}", "", "#", "", "%", "", "~", "", "^", "")

// macroName is what a name becomes in the name of a macro.
func macroName(s string) string { return strings.Join(strings.Fields(macroNames.Replace(s)), " ") }
