#!/usr/bin/env bash
# Compares exact barycenters of sentences, by linear programming, with entropic ones and with means. Further arguments go to bench/exact,
# such as -data DIR and -store DIR.
set -euo pipefail
cd "$(dirname "$0")/.."
test -x bin/bench-venv/bin/python || python3 -m venv bin/bench-venv
bin/bench-venv/bin/pip install -q --retries 10 --timeout 60 -r bench/requirements.txt
go build -o bin/exact ./bench/exact
bin/exact "$@" > bin/exact.json
bin/bench-venv/bin/python bench/exact.py < bin/exact.json
