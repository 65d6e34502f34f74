#!/usr/bin/env bash
# Builds article.pdf into bin/article from the recorded run. It fails on a number that no command wrote, on an unknown
# reference, and on a line that runs into the margin.
set -euo pipefail
cd "$(dirname "$0")/.."
command -v pdflatex >/dev/null || {
	echo "article: pdflatex is missing (Debian: apt install texlive-latex-recommended texlive-latex-extra" \
		"texlive-fonts-recommended texlive-pictures)" >&2
	exit 1
}
article/numbers.sh article/article.tex
out=bin/article
rm -rf "$out" && mkdir -p "$out"
# Each further profile's numbers have its name in front of the table's.
{
	bin/repro table --as macros --profile open
	for profile in systems best encoders patterns; do
		bin/repro table --as macros --profile "$profile" | grep '^\\cm@set{' | sed "s/^\\\\cm@set{/\\\\cm@set{$profile:/" |
			{ echo '\makeatletter'; cat; echo '\makeatother'; }
	done
} >"$out/numbers.tex" 2>"$out/repro.log"
cp article/article.tex "$out"
# Figures are drawn at the width at which they are printed, so that their letters have the size that they say.
draw() { bin/repro figure again "$1" --space open --width "$2" --out "$out/$1.pdf" >>"$out/repro.log" 2>&1; }
draw figure4_rock_music 250pt
draw sts_geometry 430pt
draw sts_scaling 450pt
for _ in 1 2 3; do
	(cd "$out" && SOURCE_DATE_EPOCH=$(git show -s --format=%ct HEAD) FORCE_SOURCE_DATE=1 pdflatex -interaction=nonstopmode -halt-on-error article.tex >pdflatex.log) || { tail -n 20 "$out/pdflatex.log" >&2; exit 1; }
done
if grep -E '^(Overfull|LaTeX Warning: (Reference|Citation))' "$out/article.log" >&2; then
	exit 1
fi
echo "$out/article.pdf: $(grep -o 'Output written.*' "$out/article.log")"
