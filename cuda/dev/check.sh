#!/usr/bin/env bash
# Checks and times the GPU engine on this machine's GPU in one go, within ten minutes.
# Needs bin/cuda.test, which `make cuda` builds, here or elsewhere; no Go. What else is
# installed is used: compute-sanitizer, PyTorch, JAX. The report goes to standard
# output, and to $OUT/cuda-check.txt if OUT names a folder.
set -uo pipefail
cd "$(dirname "$0")/../.."
if [ -n "${OUT:-}" ]; then exec > >(tee "$OUT/cuda-check.txt") 2>&1; fi
test=$PWD/bin/cuda.test
[ -x "$test" ] || { echo "cuda-check: there is no bin/cuda.test; run make cuda where Go is, and carry it here" >&2; exit 1; }
PATH=$PATH:/usr/local/cuda/bin
failed=()
step() {
	local name=$1 limit=$2 log
	shift 2
	echo "== $name"
	log=$(mktemp)
	timeout "$limit" "$@" >"$log" 2>&1
	local code=$?
	grep -vE '^=== (RUN|PAUSE|CONT)' "$log" | tail -n "${LINES_SHOWN:-25}"
	if [ $code -ne 0 ] || grep -q 'NOT TESTED ON A DEVICE' "$log"; then
		echo "-- $name: FAILED (exit $code)"
		failed+=("$name")
	fi
	rm -f "$log"
}
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || { echo "cuda-check: no GPU answers" >&2; exit 1; }
step "conformance" 120 "$test" -test.v -test.run 'TestConformance|TestHarder'
if command -v compute-sanitizer >/dev/null; then
	small='TestConformance/(DistancesAgree|BarycentersAgree|Border|GroupShapes|Debiased)|TestHarder'
	step "compute-sanitizer memcheck" 90 compute-sanitizer --tool memcheck --error-exitcode 9 "$test" -test.run TestHarder
	step "compute-sanitizer racecheck" 90 compute-sanitizer --tool racecheck --error-exitcode 9 "$test" -test.run TestHarder
	step "compute-sanitizer memcheck, conformance" 90 compute-sanitizer --tool memcheck --error-exitcode 9 "$test" -test.run "$small"
else
	echo "== compute-sanitizer: not installed, not run"
fi
step "benchmarks" 120 "$test" -test.run '^$' -test.bench . -test.benchtime 1s
step "PyTorch and JAX" 120 python3 cuda/dev/peers.py
if [ ${#failed[@]} -gt 0 ]; then
	printf '== FAILED: %s\n' "${failed[@]}"
	exit 1
fi
echo "== all passed"
