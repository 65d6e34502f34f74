#!/usr/bin/env bash
# Runs check.sh with stand-ins for the device's programs, the ladders in emulation and
# peers.py without its packages, to see that the script itself has no errors.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/cuda" "$root/bin/ladder" "$root/path"
cp -r cuda/dev "$root/cuda/"
for ladder in peak distance barycenter logdomain; do cp "bin/ladder/emulated/$ladder" "$root/bin/ladder/"; done
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
touch "$root/bin/work.zst"
PATH=$root/path:$PATH OUT=$root/out "$root/cuda/dev/check.sh" >"$root/log" || { cat "$root/log" >&2; exit 1; }
grep -q '^all .* steps passed' "$root/log"
python3 - "$root/out/cuda-check.json" <<'CHECK'
import json, sys
report = json.load(open(sys.argv[1]))
assert len(report["ladders"]) > 100 and len(report["peaks"]) >= 3 and report["experiments"] and report["engine"][0]["problems/s"] == 6.25e6, report
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
