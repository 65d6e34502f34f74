#!/usr/bin/env bash
# Checks and times the GPU engine on this machine's GPU in one go, within ten minutes:
# conformance, two runs with the same bits, compute-sanitizer, all versions of all kernels, the
# card's peaks, distances and barycenters with and without transfers, the same problems in
# PyTorch and JAX, and the transport of all STS sets and hypernymy pairs.
#
# Needs bin/cuda.test and bin/replay, which `make cuda` builds, here or elsewhere; no Go.
# What else there is is used: nvcc (or bin/ladder, built elsewhere), compute-sanitizer,
# PyTorch, JAX, bin/work.zst (see docs/dev/cuda.md). The report goes to standard output and, as
# cuda-check.txt and cuda-check.json, into $OUT, or else bin/check.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
out=${OUT:-bin/check}
mkdir -p "$out"
exec > >(tee "$out/cuda-check.txt") 2>&1
tee=$!
logs=$(mktemp -d)
# Whoever started this may end what still runs after it: let tee write all it has.
trap 'code=$?; rm -rf "$logs"; exec >&- 2>&-; wait "$tee"; exit "$code"' EXIT
[ -x bin/cuda.test ] || { echo "cuda-check: there is no bin/cuda.test; run make cuda where Go is, and carry it here" >&2; exit 1; }
export PATH=$PATH:/usr/local/cuda/bin XLA_PYTHON_CLIENT_PREALLOCATE=false PYTHONUNBUFFERED=1
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}/usr/local/nvidia/lib64 # containers' drivers
end=$((SECONDS + ${CUDA_CHECK_SECONDS:-570}))

# step NAME LIMIT COMMAND… runs a command for at most so many seconds, and shows and keeps
# what it printed.
step() {
	local name=$1 limit=$2 log began=$SECONDS code
	shift 2
	log=$logs/$(printf %02d "$(find "$logs" -name '*.log' | wc -l)").log
	if [ $((end - SECONDS)) -lt "$limit" ]; then limit=$((end - SECONDS)); fi
	echo "== $name"
	if [ "$limit" -lt 5 ]; then
		echo "no time left" >"$log"
		code=124
	else
		timeout -k 5 "$limit" "$@" >"$log" 2>&1
		code=$?
	fi
	if [ $code -eq 0 ] && grep -q 'NOT TESTED ON A DEVICE' "$log"; then code=1; fi
	printf '%s\t%s\t%s\t%s\n' "$name" "$code" "$((SECONDS - began))" "$log" >>"$logs/steps"
	grep -vE '^=== (RUN|PAUSE|CONT)' "$log" | tail -n 40
	if [ $code -ne 0 ]; then echo "-- FAILED: $name (exit $code)"; fi
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader >"$logs/gpu" || { echo "cuda-check: no GPU answers" >&2; exit 1; }
cat "$logs/gpu"
if command -v nvcc >/dev/null && [ ! -x bin/ladder/distance ]; then step "compile the ladders" 120 cuda/dev/ladder.sh build; fi
# Some gigabytes of Python packages, read from the disk before they are waited for.
timeout 100 python3 -c 'import torch, jax' >/dev/null 2>&1 &
step "conformance" 120 bin/cuda.test -test.v -test.run 'TestConformance|TestHarder'
step "benchmarks" 120 bin/cuda.test -test.run '^$' -test.bench . -test.benchtime 1s
for ladder in peak distance barycenter logdomain; do
	if [ -x bin/ladder/$ladder ]; then step "ladder $ladder" 120 bin/ladder/$ladder; fi
done
step "PyTorch" 130 python3 cuda/dev/peers.py PyTorch
step "JAX" 90 python3 cuda/dev/peers.py JAX
if [ -e bin/work.zst ]; then step "STS and hypernymy" 90 bin/replay bin/work.zst; fi
if command -v compute-sanitizer >/dev/null; then
	for tool in memcheck racecheck; do
		step "compute-sanitizer $tool" 60 compute-sanitizer --tool $tool --error-exitcode 9 bin/cuda.test -test.run TestHarder
		for ladder in distance barycenter logdomain; do
			if [ -x bin/ladder/$ladder ]; then step "compute-sanitizer $tool, ladder $ladder" 30 compute-sanitizer --tool $tool --error-exitcode 9 bin/ladder/$ladder small; fi
		done
	done
	small='TestConformance/(DistancesAgree|BarycentersAgree|Border|GroupShapes|Debiased)'
	step "compute-sanitizer memcheck, conformance" 90 compute-sanitizer --tool memcheck --error-exitcode 9 bin/cuda.test -test.run "$small"
else
	echo "== compute-sanitizer: not installed, not run"
fi
python3 cuda/dev/report.py "$logs" "$out/cuda-check.json"
