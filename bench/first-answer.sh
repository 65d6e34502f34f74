#!/usr/bin/env bash
# The time from a clone to the first answer: of the repository in the first argument (default: this one), cloned to an empty folder.
# warm: with the user's caches of Go; cold: with empty ones, so that all modules are fetched and compiled.
set -euo pipefail
from=$(cd "${1:-$(dirname "$0")/..}" && pwd)
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
echo "$(nproc) processors, $(sed -n 's/^model name\t: //p' /proc/cpuinfo | head -1), load $(cut -d' ' -f1 /proc/loadavg)"
since() { awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f s", to - from }'; }
first() {
	local begin=$EPOCHREALTIME
	git clone -q "$from" "$work/$1"
	local cloned=$EPOCHREALTIME
	(cd "$work/$1" && go build -o bin/repro ./experiments/repro)
	local built=$EPOCHREALTIME
	(cd "$work/$1" && bin/repro distance violin guitar > /dev/null)
	echo "$1: $(since "$begin") in all; from the clone on $(since "$cloned"), the answer $(since "$built")"
}
first warm
export GOCACHE=$work/cache GOMODCACHE=$work/modules
first cold
