#!/usr/bin/env bash
# Measures search: the index of a text, queries a second, the share of sentences that are solved; and gensim's index of the word mover's distance
# beside it on some sentences of the text.
#
#     bench/search.sh QUERIES VECTORS TEXT…
#
# QUERIES has a query a line, tokens with blanks between; VECTORS are gensim's, in the text format of word2vec or GloVe; TEXT is tokenised, a sentence a line, plain or
# zstd. Variables: SPACE (english), SENTENCES (2000) and SOME (5), the sentences and queries that gensim gets and that are solved without bounds; INDEX, a folder to
# keep the index in, which a second run then need not make.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
queries=$1 vectors=$2
shift 2
venv=$here/bin/bench-wmd
test -x "$venv/bin/python" || python3 -m venv "$venv"
"$venv/bin/pip" install -q --disable-pip-version-check gensim==4.4.0 POT==0.9.6.post1
go build -C "$here" -o bin/search ./bench/search
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
space=${SPACE:-english}
echo "# all sentences"
"$here/bin/search" -space "$space" -index "${INDEX:-$work/index}" -queries "$queries" "$@"
for file; do case $file in *.zst) zstdcat "$file" ;; *) cat "$file" ;; esac; done > "$work/all"
total=$(wc -l < "$work/all")
awk -v n="${SENTENCES:-2000}" -v t="$total" 'int(NR*n/t) > int((NR-1)*n/t)' "$work/all" > "$work/some"
rm "$work/all"
head -n "${SOME:-5}" "$queries" > "$work/queries"
echo "# $(wc -l < "$work/some") sentences"
"$here/bin/search" -space "$space" -index "$work/few" -queries "$work/queries" -all "$work/some"
"$venv/bin/python" "$here/bench/search.py" "$vectors" "$work/queries" "$work/some"
