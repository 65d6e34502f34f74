#!/usr/bin/env bash
# Checks and times the GPU engine on this machine's GPU in one go, within ten minutes:
# conformance, two runs with the same bits, compute-sanitizer, the card's peaks, distances and barycenters with and
# without transfers, the same problems in PyTorch and JAX, the transport of all STS sets and hypernymy pairs, and
# commands that take about a second on the CPU.
#
# Needs bin/cuda.test, which `make cuda` builds, here or elsewhere; no Go. What else there is is used:
# bin/replay with bin/work.zst (see docs/dev/cuda.md), bin/repro-cuda, compute-sanitizer, PyTorch, JAX. The report goes
# to standard output and, as cuda-check.txt and cuda-check.json, into $OUT, or else bin/check.
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
		if [ "$(type -t "$1")" = function ]; then "$@" >"$log" 2>&1; else timeout -k 5 "$limit" "$@" >"$log" 2>&1; fi
		code=$?
	fi
	if [ $code -eq 0 ] && grep -q 'NOT TESTED ON A DEVICE' "$log"; then code=1; fi
	printf '%s\t%s\t%s\t%s\n' "$name" "$code" "$((SECONDS - began))" "$log" >>"$logs/steps"
	grep -vE '^=== (RUN|PAUSE|CONT)' "$log" | tail -n 40
	if [ $code -ne 0 ]; then echo "-- FAILED: $name (exit $code)"; fi
}

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader >"$logs/gpu" || { echo "cuda-check: no GPU answers" >&2; exit 1; }
cat "$logs/gpu"
# cells times commands on both engines, twice each: the first time kernels may have to be compiled.
cells() {
	local dir command engine turn began
	dir=$(mktemp -d)
	awk 'BEGIN { srand(1); n = split("man woman dog cat house car tree river city street child music food water book school doctor train boat market bank game team war law king garden kitchen table door paper letter story film picture light night morning winter rain snow fire", w, " ")
		for (i = 0; i < 4000; i++) for (side = 0; side < 2; side++) { for (k = 0; k < 8; k++) printf "%s ", w[1 + int(rand() * n)]; printf side ? "\n" : "\t" } }' >"$dir/pairs.tsv"
	for command in "score --method average --pairs $dir/pairs.tsv" "neighbours --method average the_man_plays_music" "run sts --profile mini --store $dir/store"; do
		for engine in cpu cuda cuda; do
			rm -rf "$dir/store"
			began=$(date +%s%N)
			# shellcheck disable=SC2086
			timeout 60 bin/repro-cuda $command --engine "$engine" >"$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
			printf '{"cell": "%s", "engine": "%s", "seconds": %d.%03d}\n' "${command//"$dir\/"/}" "$engine" \
				$((($(date +%s%N) - began) / 1000000000)) $((($(date +%s%N) - began) / 1000000 % 1000))
		done
	done
	rm -rf "$dir"
}
# Some gigabytes of Python packages, read from the disk before they are waited for.
timeout 100 python3 -c 'import torch, jax' >/dev/null 2>&1 &
if [ -x bin/repro-cuda ]; then step "commands" 120 cells; fi
step "conformance" 120 bin/cuda.test -test.v -test.run 'TestConformance|TestHarder|TestTensorKernels'
step "benchmarks" 120 bin/cuda.test -test.run '^$' -test.bench . -test.benchtime 1s
step "CuPy" 60 python3 cuda/dev/peers.py CuPy
step "PyTorch" 130 python3 cuda/dev/peers.py PyTorch
step "JAX" 90 python3 cuda/dev/peers.py JAX
if [ -e bin/work.zst ]; then
	step "STS and hypernymy" 90 bin/replay bin/work.zst
	step "STS and hypernymy, CPU" 180 bin/replay bin/work.zst cpu
fi
if command -v compute-sanitizer >/dev/null; then
	step "compute-sanitizer memcheck" 90 compute-sanitizer --tool memcheck --error-exitcode 9 bin/cuda.test -test.run 'TestHarder|TestTensorKernels'
	step "compute-sanitizer racecheck" 60 compute-sanitizer --tool racecheck --error-exitcode 9 bin/cuda.test -test.run TestHarder
	step "compute-sanitizer racecheck, tensor kernels" 90 compute-sanitizer --tool racecheck --error-exitcode 9 bin/cuda.test -test.run 'TestTensorKernels/K=(40|130),'
	small='TestConformance/(Agreement|Border|GroupShapes|Debiased)'
	step "compute-sanitizer memcheck, conformance" 90 compute-sanitizer --tool memcheck --error-exitcode 9 bin/cuda.test -test.run "$small"
else
	echo "== compute-sanitizer: not installed, not run"
fi
python3 cuda/dev/report.py "$logs" "$out/cuda-check.json"
