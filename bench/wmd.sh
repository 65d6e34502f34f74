#!/usr/bin/env bash
# Times gensim's word mover's distance beside this library's.
#
#     bench/wmd.sh VECTORS PAIRS
#
# VECTORS are in word2vec's text format, PAIRS a set: score, sentence, sentence, with tabs between and tokens with blanks between.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
venv=$here/bin/bench-wmd
test -x "$venv/bin/python" || python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check gensim==4.4.0 POT==0.9.6.post1
go build -C "$here" -o bin/wmd ./bench/wmd
exec "$venv/bin/python" "$here/bench/wmd.py" "$here/bin/wmd" "$@"
