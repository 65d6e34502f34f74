#!/usr/bin/env bash
# Checks README, docs, the text of notebooks, the help of flags and commands, and the doc comments of all that our
# packages export by the prose rules of .vale.ini.
# Arguments, if any, are the files to check instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ $# -eq 0 ]; then
	comments=$(mktemp -d)
	trap 'rm -rf "$comments"' EXIT
	tools/vale/doccomments.sh "$comments"
	find experiments/repro -name '*.go' -exec sed -n 's/.*help:"\([^"]*\)".*/\1\n/p' {} + >"$comments/help.md"
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
"$(go -C tools/vale tool -n vale)" --config="$PWD/.vale.ini" --output=line "$@"
