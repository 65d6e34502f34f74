#!/usr/bin/env bash
# Prints what search finds for some queries by the context mover's distance and by vectors, to be read by eye.
#
#     bench/beside.sh INDEX [QUERIES]
#
# INDEX is a folder that repro index has made; QUERIES has a query a line (bench/queries.txt). Variables: N (5),
# how many sentences; WIDTH (110), the most characters of each that are shown.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
index=${1:?usage: bench/beside.sh INDEX [QUERIES]}
queries=${2:-$here/bench/queries.txt}
go build -C "$here" -o bin/repro ./experiments/repro
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
for method in cmd sif; do
	"$here/bin/repro" search --in "$index" --texts "$queries" --out "$work/$method" -n "${N:-5}" --method "$method"
done
line=0
while read -r query; do
	line=$((line + 1))
	printf '\n%d. %s\n' "$line" "$query"
	for method in cmd sif; do
		awk -F '\t' -v l="$line" -v m="$method" -v w="${WIDTH:-110}" \
			'$1 == l { printf "    %s  %.3f  %s%s\n", m, $2, substr($4, 1, w), $5 ? " (" $5 ")" : "" }' \
			"$work/$method/nearest.tsv"
	done
done < "$queries"
