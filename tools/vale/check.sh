#!/usr/bin/env bash
# Checks README, docs, the help of flags and commands, and the doc comments of all that our packages export by the
# prose rules of .vale.ini.
# Arguments, if any, are the files to check instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ $# -eq 0 ]; then
	comments=$(mktemp -d)
	trap 'rm -rf "$comments"' EXIT
	tools/vale/doccomments.sh "$comments"
	find experiments/repro -name '*.go' -exec sed -n 's/.*help:"\([^"]*\)".*/\1\n/p' {} + >"$comments/help.md"
	set -- README.md docs/*.md "$comments"/*.md
fi
"$(go -C tools/vale tool -n vale)" --config="$PWD/.vale.ini" --output=line "$@"
