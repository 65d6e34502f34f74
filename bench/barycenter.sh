#!/usr/bin/env bash
# Shows what POT's default barycenter makes of unequal weights, in each version that is named, or in a few.
set -euo pipefail
cd "$(dirname "$0")/.."
test $# -gt 0 || set -- 0.9.6.post1 0.9.7.post1
for v in "$@"; do
	venv="bin/pot-$v"
	test -x "$venv/bin/python" || python3 -m venv "$venv"
	"$venv/bin/pip" install -q --retries 10 --timeout 60 "pot==$v"
	"$venv/bin/python" bench/barycenter.py
done
