package verdict

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"

	"contextmover/internal/latex"
)

// claimMacros defines \cmverdict, \cmdirection, \cmsize, \cmevidence, \cmdecided and \cmclaim, whose argument is a
// claim's id, and \cmtotal. A claim that the run does not have, or that has no evidence, is an error of LaTeX.
var claimMacros = template.Must(template.New("claims").Funcs(template.FuncMap{
	"latex": latexText, "totals": totals,
	"size": func(c Claim) string { return latexText(c.size()) },
}).Parse(
	`\makeatletter
\newcommand*\cm@claim[7]{%
  \@namedef{cm@text@#1}{#2}%
  \@namedef{cm@verdict@#1}{#3}%
  \@namedef{cm@evidence@#1}{#4}%
  \@namedef{cm@direction@#1}{#5}%
  \@namedef{cm@size@#1}{#6}%
  \@namedef{cm@decided@#1}{#7}}
\newcommand*\cm@of[2]{%
  \@ifundefined{cm@#1@#2}{\@latex@error{The run has no #1 of claim #2}{Look it up in verdict.md.}}{%
    \expandafter\ifx\csname cm@#1@#2\endcsname\@empty
      \@latex@error{Claim #2 has no #1}{Look it up in verdict.md.}%
    \else\@nameuse{cm@#1@#2}\fi}}
\newcommand*\cmclaim{\cm@of{text}}
\newcommand*\cmverdict{\cm@of{verdict}}
\newcommand*\cmevidence{\cm@of{evidence}}
\newcommand*\cmdirection[1]{\@nameuse{cm@direction@#1}}
\newcommand*\cmsize[1]{\@nameuse{cm@size@#1}}
\newcommand*\cmdecided[1]{\@nameuse{cm@decided@#1}}
{{range .Claims}}\cm@claim{ {{- .ID}}}{ {{- latex .Text}}}{ {{- latex .Verdict}}}{ {{- latex .Evidence}}}{ {{- .Direction}}}{ {{- size .}}}{ {{- .Profile}}}
{{end}}\newcommand*\cmtotals{ {{- latex .Totals.String}}}
\newcommand*\cmtotal[1]{\cm@of{total}{#1}}
{{range $name, $n := totals .}}\@namedef{cm@total@{{$name}}}{ {{- $n}}}
{{end}}\makeatother
`))

var minus = regexp.MustCompile(`(^|[ \[])-(\d)`)

// latexText escapes text, and sets the minus of a number as one.
func latexText(s string) string { return strings.ReplaceAll(latex.Escape(signs(s)), "−", "$-$") }

// totals names the numbers of the totals and of the agreement of all tables.
func totals(r *Report) map[string]string {
	t, a := r.Totals, r.Agreement[len(r.Agreement)-1]
	named := map[string]string{
		"cv": fmt.Sprintf("%.1f", a.CV), "cv unshifted": fmt.Sprintf("%.1f", a.Unshifted),
		"cells": thousands(t.Printed), "claims": fmt.Sprint(len(r.Claims)), "decided": fmt.Sprint(t.Hold + t.Fail),
	}
	for name, n := range map[string]int{
		"testable": t.Testable, "hold": t.Hold, "fail": t.Fail, "undecided": t.Undecided, "not testable": t.NotTestable,
		"lost": t.Lost, "within": t.Within, "scores": t.Scores, "near": t.Near,
	} {
		named[name] = fmt.Sprint(n)
	}
	for name, v := range map[string]*float64{"pearson": a.Pearson, "spearman": a.Spearman} {
		if v != nil {
			named[name] = fmt.Sprintf("%.2f", *v)
		}
	}
	return named
}

// Macros writes the claims as macros of LaTeX, for \input in a preamble: \cmclaim{C01} is what the paper claims,
// \cmverdict{C01} the verdict under its settings, \cmdirection{C01} and \cmsize{C01} that on its direction and size,
// \cmevidence{C01} the statistics with their 95 % intervals, and \cmdecided{C01} the profile that decides it. \cmtotals
// says what became of all claims and numbers, \cmtotal{hold} is one number of it.
func (r *Report) Macros(w io.Writer) error {
	var out bytes.Buffer
	if err := claimMacros.Execute(&out, r); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}
