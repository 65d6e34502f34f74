#!/usr/bin/env bash
# Checks README and docs by the prose rules of .vale.ini. Arguments, if any, are the files to check instead.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- README.md docs/*.md
"$(go -C tools/vale tool -n vale)" --output=line "$@"
