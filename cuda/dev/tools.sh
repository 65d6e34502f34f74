#!/usr/bin/env bash
# Installs the pinned CUDA tools and headers into bin/cuda-tools and makes a libcuda to
# link with where there is no driver: every call of it fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=bin/cuda-tools
if ! cmp -s cuda/dev/requirements.txt "$tools/requirements.txt"; then
	python3 -m venv --clear "$tools"
	"$tools/bin/pip" install -q --no-deps --disable-pip-version-check -r cuda/dev/requirements.txt
	cp cuda/dev/requirements.txt "$tools/"
fi
if [ ! -e "$tools/stub/libcuda.so" ]; then
	mkdir -p "$tools/stub"
	find "$tools"/lib/python*/site-packages/nvidia -name cuda.h -exec grep -ohE '\bcu[A-Z][A-Za-z0-9_]*' {} + |
		sort -u | sed 's/.*/int &() { return 100; }/' >"$tools/stub/stub.c"
	cc -w -shared -Wl,-soname,libcuda.so.1 -o "$tools/stub/libcuda.so.1" "$tools/stub/stub.c"
	ln -sf libcuda.so.1 "$tools/stub/libcuda.so"
fi
