#!/usr/bin/env bash
# Times search by vectors in a large index beside FAISS on the same rows: all rows, and the same lists.
#
#     bench/lists.sh INDEX QUERIES
#
# INDEX is a folder that repro index has made with the built-in space, of one segment with lists; QUERIES has a query a
# line. Variables: THREADS (2), N (10), how many sentences are found.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
index=${1:?usage: bench/lists.sh INDEX QUERIES} queries=${2:?usage: bench/lists.sh INDEX QUERIES}
venv=$here/bin/bench-mips
test -x "$venv/bin/python" || python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check faiss-cpu==1.15.1 numpy==2.4.6
go build -C "$here" -o bin/lists ./bench/lists
export GOMAXPROCS=${THREADS:-2} OMP_NUM_THREADS=${THREADS:-2} OPENBLAS_NUM_THREADS=${THREADS:-2}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
"$here/bin/lists" -index "$index" -queries "$queries" -n "${N:-10}" -out "$work/queries.npy" > "$work/ours.json"
exec "$venv/bin/python" "$here/bench/lists.py" "$index" "$work/ours.json" "$work/queries.npy" "${N:-10}"
