#!/usr/bin/env bash
# Times the search for the largest inner products beside FAISS, in 8 bits: all rows, and an inverted file with as many
# lists and probes; with the recall of both against float32.
#
#     bench/mips.sh VECTORS.npy QUERIES.npy
#
# Both are N×D float32 of rows of length 1, as repro encode writes them. Variables: THREADS (1), LISTS (the library's
# default), PROBES (8,32,128), N (10), how many rows are found.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
venv=$here/bin/bench-mips
test -x "$venv/bin/python" || python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check faiss-cpu==1.15.1 numpy==2.4.6
go build -C "$here" -o bin/mips ./bench/mips
export GOMAXPROCS=${THREADS:-1} OMP_NUM_THREADS=${THREADS:-1} OPENBLAS_NUM_THREADS=${THREADS:-1}
exec "$venv/bin/python" "$here/bench/mips.py" "$here/bin/mips" "$1" "$2" "${LISTS:-0}" "${PROBES:-8,32,128}" "${N:-10}"
