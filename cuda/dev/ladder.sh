#!/usr/bin/env bash
# Compiles the ladders, and runs them on the CPU.
#   ladder.sh build      into bin/ladder, for Hopper, with the toolkit's nvcc or that of bin/cuda-tools
#   ladder.sh emulate    with the C++ compiler, and checks every version against its reference
set -euo pipefail
cd "$(dirname "$0")/../.."
ladders=(peak distance barycenter logdomain)
running=()
case ${1:-} in
build)
	options=(-gencode=arch=compute_90a,code=sm_90a -O3 -std=c++17 -diag-suppress 1556) # shared memory has one name in all kernels
	nvcc=$(PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin command -v nvcc || true)
	if [ -z "$nvcc" ]; then
		cuda/dev/tools.sh
		toolkit=$(echo "$PWD"/bin/cuda-tools/lib/python*/site-packages/nvidia/cu13)
		nvcc=$toolkit/bin/nvcc
		options+=(-L"$toolkit/lib")
	fi
	mkdir -p bin/ladder
	for ladder in "${ladders[@]}"; do
		changed=
		for source in "cuda/dev/$ladder.cu" cuda/dev/ladder.h cuda/dev/warpgroup.cuh cuda/kernels/*; do
			if [ "$source" -nt "bin/ladder/$ladder" ]; then changed=$source; fi
		done
		if [ -z "$changed" ]; then continue; fi
		"$nvcc" "${options[@]}" "cuda/dev/$ladder.cu" -o "bin/ladder/$ladder" &
		running+=($!)
	done
	for job in ${running[@]+"${running[@]}"}; do wait "$job"; done
	;;
emulate)
	mkdir -p bin/ladder/emulated
	for ladder in "${ladders[@]}"; do
		(
			c++ -std=c++17 -O1 -w -x c++ "cuda/dev/$ladder.cu" -o "bin/ladder/emulated/$ladder"
			"bin/ladder/emulated/$ladder" >"bin/ladder/emulated/$ladder.jsonl"
			echo "$ladder: $(grep -c '"ok": true' "bin/ladder/emulated/$ladder.jsonl") checks passed"
		) &
		running+=($!)
	done
	failed=0
	for job in "${running[@]}"; do wait "$job" || failed=1; done
	if [ $failed -ne 0 ]; then
		grep -hv '"ok": true' bin/ladder/emulated/*.jsonl >&2 || true
		exit 1
	fi
	;;
*)
	echo "usage: cuda/dev/ladder.sh build | emulate" >&2
	exit 2
	;;
esac
