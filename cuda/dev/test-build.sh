#!/usr/bin/env bash
# Checks all of the GPU engine that can be checked without a GPU: the committed PTX is
# what the kernels compile to and assembles for Ampere and Hopper; the tagged code
# compiles with the headers of CUDA 12 and 13, links, says clearly that there is no device, and
# passes with a driver that runs the kernels in emulation, with little memory too; the conformance
# suite passes on the kernels compiled for the CPU.
set -euo pipefail
cd "$(dirname "$0")/../.."
cuda/dev/tools.sh
nvidia=$(echo "$PWD"/bin/cuda-tools/lib/python*/site-packages/nvidia)
(
	export CGO_ENABLED=1
	go vet -tags cudaemulation ./cuda
	go test -timeout 30m -tags cudaemulation ./cuda
	cuda/dev/test-check.sh
) >bin/cuda-emulation.log 2>&1 &
emulation=$!
trap 'kill $emulation 2>/dev/null || true' EXIT
echo "== PTX"
bin/cuda-tools/bin/python cuda/dev/ptx.py --check
mkdir -p bin/cuda-driver
c++ -std=c++17 -O2 -w -shared -fPIC -Wl,-soname,libcuda.so.1 -I cuda/kernels cuda/dev/driver.cc -o bin/cuda-driver/libcuda.so.1
# binding NAME=VALUE… PATTERN runs tests of the binding with that driver.
binding() {
	env LD_LIBRARY_PATH="$PWD/bin/cuda-driver" "${@:1:$#-1}" bin/cuda.test -test.run "${!#}" -test.skip '/(SmallRegularisation|Batch)' 2>&1 | tee bin/cuda.log
	! grep -q 'NOT TESTED ON A DEVICE' bin/cuda.log
}
for headers in "$nvidia/cuda_runtime/include" "$nvidia/cu13/include"; do
	echo "== headers of CUDA $(awk '/define CUDA_VERSION/ { print int($3 / 1000) }' "$headers/cuda.h")"
	(
		export CUDA_HEADERS=$headers
		. cuda/dev/env.sh
		go vet -tags cuda ./cuda/...
		go test -c -tags cuda -o bin/cuda.test ./cuda
		# The real driver may be there; the stub must answer.
		LD_LIBRARY_PATH=$PWD/bin/cuda-tools/stub bin/cuda.test -test.v -test.run TestHarder | tee bin/cuda.log
		grep -q "the driver does not start" bin/cuda.log
		binding 'TestConformance$|TestHarder'
		binding STANDIN_KERNELS_OWN=1 'TestHarder$'
		binding STANDIN_MEMORY=2200000 'TestHarder$'
		grep -q "cuMemAlloc_v2 refused with 2" bin/cuda.log
	)
done
echo "== kernels on the CPU"
code=0
wait $emulation || code=$?
cat bin/cuda-emulation.log
exit $code
