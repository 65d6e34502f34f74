#!/usr/bin/env bash
# Checks README, docs, the text of notebooks, the article, the doc comments of all that our packages export, and what the
# programs print (help, messages, labels and legends: texts of four words or more) by the prose rules of .vale.ini.
# Arguments, if any, are the files to check instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ $# -eq 0 ]; then
	comments=$(mktemp -d)
	trap 'rm -rf "$comments"' EXIT
	tools/vale/doccomments.sh "$comments"
	git ls-files '*.go' 'experiments/*.toml' | grep -Ev '_test\.go|testdata|^(bench|tools)/' | xargs grep -hvE '^note = ' | grep -oE '"([^"\\]|\\.)*"' |
		grep -E '( [^ ]+){3}' | sed 's/^"//; s/"$/\n/' >"$comments/printed.md"
	awk '/^\\begin{document}/ { on = 1 } /^\\begin{thebibliography}/ { on = 0 } on' article/article.tex |
		sed -E 's/%.*//; s/[$]-[$]/−/g; s/\\[a-zA-Z]+\*?(\[[^]]*\])?//g; s/[{}$]//g' >"$comments/article.md"
	for notebook in notebooks/*.ipynb; do
		awk '
			/^   "cell_type":/ { text = /markdown/ }
			/^   \]/ { source = 0; print "" }
			text && source { gsub(/^    "|(\\n)?",?$/, ""); gsub(/\\"/, "\""); print }
			/^   "source": \[/ { source = 1 }
		' "$notebook" >"$comments/$(basename "$notebook").md"
	done
	set -- README.md ARTIFACT.md CONTRIBUTING.md SECURITY.md cmdlib/english/README.md experiments/harness/published/data/README.md \
		docs/*.md docs/report/*.md docs/dev/*.md "$comments"/*.md
fi
vale=$(go -C tools/vale tool -n vale)
# The rules see one fault of each kind in every paragraph of planted.md, which begins with a heading.
planted=tools/vale/testdata/planted.md
seen=$("$vale" --config="$PWD/.vale.ini" --output=line --no-exit "$planted" | cut -d: -f2 | sort -u | wc -l)
if [ "$seen" -ne "$(grep -c '^[^#]' "$planted")" ]; then
	echo "tools/vale: faults were found in $seen paragraphs of $planted, which has $(grep -c '^[^#]' "$planted")" >&2
	exit 1
fi
"$vale" --config="$PWD/.vale.ini" --output=line "$@"
