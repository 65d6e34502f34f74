#!/usr/bin/env bash
# Fails where an article has a digit, or a count of claims or cells in words, that no macro of the run wrote: numbers.sh FILE. Looked at is the text between
# \begin{document} and the bibliography, without comments, mathematics of formulas, and arguments of the macros below.
set -euo pipefail
awk '/^\\begin{document}/ { on = 1 } /^\\begin{thebibliography}/ { on = 0 } { print on ? $0 : "" }' "$1" |
	perl -0777 -pe '
		s/(?<!\\)%.*//g;
		s/\\begin\{equation\*\}.*?\\end\{equation\*\}/"\n" x ($& =~ tr,\n,,)/gse;
		my $arg = qr/(?:\[[^\]]*\]|\{[^{}]*\})/;
		s/\\(?:cm[a-z]+|former|score|scoreci|printed|row|prow|pcell|georow|hyprow|hyp|basecells|baserow|gain|openrow|wordrow|ws|claimrow|cite[pt]?|ref|label|includegraphics|setlength|begin|vspace|sts|newcommand|gdef|texttt|multicolumn)\*?(?:$arg)*/ /g;
		s/\{?p\{[\d.]+\\textwidth\}//g; s/#\d//g; s/[\d.]+\\textwidth//g; s/STS\d\d(?:--\d\d)?|(?<![\w.])[A-Za-z][A-Za-z-]*\d[\w.-]*//g; s/\\times\$? ?100//g; s/95\\,\\%|5\\,\\%//g;
	' | grep -niE '[0-9]|\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]+teen|[a-z]+ty) (claims|cells|printed)\b' >&2 && {
	echo "$1: these numbers come from no macro of the run; write \\cmours{table}{row}{column} (repro table --help)" >&2
	exit 1
}
exit 0
