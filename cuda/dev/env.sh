# Sourced in the repository's root: sets what cgo needs to compile with the tag cuda, from
# the toolkit in $CUDA_HOME (/usr/local/cuda), or else from bin/cuda-tools.
headers=${CUDA_HEADERS:-}
stub=$PWD/bin/cuda-tools/stub
toolkit=${CUDA_HOME:-/usr/local/cuda}
if [ -z "$headers" ]; then
	if [ -e "$toolkit/include/cuda.h" ]; then
		headers=$toolkit/include
	else
		cuda/dev/tools.sh
		headers=$(echo "$PWD"/bin/cuda-tools/lib/python*/site-packages/nvidia/cuda_runtime/include)
	fi
fi
if [ -e "$toolkit/lib64/stubs/libcuda.so" ]; then stub=$toolkit/lib64/stubs; fi
export CGO_ENABLED=1
export CGO_CFLAGS="-O2 -w -I$PWD/cuda/compat -I$headers"
export CGO_LDFLAGS="-L$stub"
