#!/usr/bin/env bash
# Runs check.sh with stand-ins for the device's programs and peers.py without its packages, to see
# that the script itself has no errors.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/cuda" "$root/bin" "$root/path"
cp -r cuda/dev "$root/cuda/"
stub() { # PATH LINE…: a program that prints the lines
	local path=$1
	shift
	{
		echo '#!/bin/sh'
		printf "echo '%s'\n" "$@"
	} >"$path"
	chmod +x "$path"
}
stub "$root/path/nvidia-smi" 'stand-in, 0, 0 MiB'
stub "$root/path/compute-sanitizer" 'stand-in'
stub "$root/bin/cuda.test" '=== RUN   Test' 'BenchmarkDistances/K=100/border=false-16   5   21 ns/op   6.25e+06 problems/s   25.0 TFLOP/s' PASS
stub "$root/bin/replay" '{"What":"sts","Engine":"cuda","Pairs":1,"Groups":2,"Seconds":3,"LargestDifference":0,"SameBits":true}'
stub "$root/bin/repro-cuda" 'repro'
touch "$root/bin/work.zst"
PATH=$root/path:$PATH OUT=$root/out "$root/cuda/dev/check.sh" >"$root/log" || { cat "$root/log" >&2; exit 1; }
grep -q '^all .* steps passed' "$root/log"
python3 - "$root/out/cuda-check.json" <<'CHECK'
import json, sys
report = json.load(open(sys.argv[1]))
assert len(report["commands"]) == 9 and len(report["experiments"]) == 2 and report["engine"][0]["problems/s"] == 6.25e6, report
CHECK
# A step that fails must make the whole fail.
stub "$root/bin/replay" 'broken'
echo 'exit 3' >>"$root/bin/replay"
if PATH=$root/path:$PATH OUT=$root/out "$root/cuda/dev/check.sh" >"$root/log"; then
	echo "test-check: a failed step went unnoticed" >&2
	exit 1
fi
grep -q '^FAILED: STS and hypernymy' "$root/log"
echo "check.sh: passed"
