package verdict

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"text/template"

	"contextmover/internal/latex"
)

// claimMacros defines \cmverdict, \cmevidence and \cmclaim, whose argument is a claim's
// id. A claim that the run does not have, or that has no evidence, is an error of LaTeX.
var claimMacros = template.Must(template.New("claims").Funcs(template.FuncMap{"latex": latexText}).Parse(
	`\makeatletter
\newcommand*\cm@claim[4]{%
  \@namedef{cm@text@#1}{#2}%
  \@namedef{cm@verdict@#1}{#3}%
  \@namedef{cm@evidence@#1}{#4}}
\newcommand*\cm@of[2]{%
  \@ifundefined{cm@#1@#2}{\@latex@error{The run has no #1 of claim #2}{Look it up in claims.md.}}{%
    \expandafter\ifx\csname cm@#1@#2\endcsname\@empty
      \@latex@error{Claim #2 has no #1}{Look it up in claims.md.}%
    \else\@nameuse{cm@#1@#2}\fi}}
\newcommand*\cmclaim{\cm@of{text}}
\newcommand*\cmverdict{\cm@of{verdict}}
\newcommand*\cmevidence{\cm@of{evidence}}
{{range .Claims}}\cm@claim{ {{- .ID}}}{ {{- latex .Text}}}{ {{- latex .Verdict}}}{ {{- latex .Evidence}}}
{{end}}\makeatother
`))

var minus = regexp.MustCompile(`(^|[ \[])-(\d)`)

// latexText escapes text, and sets the minus of a number as one.
func latexText(s string) string {
	return strings.ReplaceAll(latex.Escape(minus.ReplaceAllString(s, "$1−$2")), "−", "$-$")
}

// Macros writes the claims as macros of LaTeX, for \input in a preamble: \cmclaim{C01} is what the paper claims,
// \cmverdict{C01} the verdict under its settings, \cmevidence{C01} the statistics with their 95 % intervals.
func (r *Report) Macros(w io.Writer) error {
	var out bytes.Buffer
	if err := claimMacros.Execute(&out, r); err != nil {
		return err
	}
	_, err := out.WriteTo(w)
	return err
}
