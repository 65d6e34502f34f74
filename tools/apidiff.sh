#!/usr/bin/env bash
# Writes bin/apidiff.txt: how what cmdlib exports differs from that of a revision, the last tag unless one is named.
set -euo pipefail
cd "$(dirname "$0")/.."
base=${1:-$(git describe --tags --abbrev=0 2>/dev/null)} || {
	echo "apidiff: there is no tag yet: name a revision: make apidiff BASE=REVISION" >&2
	exit 2
}
apidiff=$(go -C tools tool -n apidiff)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p bin "$work/base"
git archive "$base" | tar -x -C "$work/base"
(cd "$work/base" && "$apidiff" -m -w "$work/old" "$(go list -m)")
"$apidiff" -m -w "$work/new" "$(go list -m)"
{
	echo "cmdlib since $(git rev-parse --short=12 "$base")"
	"$apidiff" -m "$work/old" "$work/new" | grep -E '^(Incompatible|Compatible)|^- (\./)?cmdlib' || true
} >bin/apidiff.txt
cat bin/apidiff.txt
