#!/usr/bin/env bash
# Writes the doc comments of all that our packages export to a folder, as Markdown: FOLDER/cmdlib.ot.md has those of
# contextmover/cmdlib/ot. Declarations and code are left out; each item of a list is a paragraph.
set -euo pipefail
out=$1
cd "$(dirname "$0")/../.."
go list -f '{{if .GoFiles}}{{.Dir}}{{end}}' ./cmdlib/... ./experiments/... ./cuda/... | grep . | while read -r dir; do
	name=${dir#"$PWD"/}
	# Comments of packages begin in the first column, all others in the fifth; those of fields stay with the code.
	go doc -all "./$name" | awk '
		/^(CONSTANTS|VARIABLES|FUNCTIONS|TYPES)$/ { declared = 1; item = 0 }
		{ indent = declared ? "    " : "" }
		declared && /^[^ ]/ || /^$/ || /^package / { print ""; item = 0; next }
		index($0, indent "  - ") == 1 { print "\n" substr($0, length(indent) + 5); item = 1; next }
		index($0, indent) == 1 && substr($0, length(indent) + 1, 1) !~ /[ \t]/ { print substr($0, length(indent) + 1); item = 0; next }
		item { sub(/^ +/, ""); print }
	' >"$out/${name//\//.}.md"
done
