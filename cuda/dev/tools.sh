#!/usr/bin/env bash
# Installs the pinned CUDA tools and headers into bin/cuda-tools and makes a libcuda to
# link with where there is no driver: every call of it fails. Installs the compilers and
# Python's venv first where they are missing and apt-get may be used.
set -euo pipefail
cd "$(dirname "$0")/../.."
missing=()
command -v cc >/dev/null || missing+=(gcc libc6-dev)
command -v c++ >/dev/null || missing+=(g++)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
if [ ${#missing[@]} -gt 0 ]; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "cuda/dev/tools.sh: needs a C and a C++ compiler (cc, c++) and Python 3 with venv; install ${missing[*]}, or run as root where apt-get is" >&2
		exit 1
	fi
	apt-get -o Acquire::Retries=5 update -qq
	DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
tools=bin/cuda-tools
if ! cmp -s cuda/dev/requirements.txt "$tools/requirements.txt"; then
	python3 -m venv --clear "$tools"
	"$tools/bin/pip" install -q --retries 10 --timeout 60 --no-deps --disable-pip-version-check -r cuda/dev/requirements.txt
	mkdir -p "$tools/stub"
	find "$tools"/lib/python*/site-packages/nvidia -name cuda.h -exec grep -ohE '\bcu[A-Z][A-Za-z0-9_]*' {} + |
		sort -u | sed 's/.*/int &() { return 100; }/' >"$tools/stub/stub.c"
	cc -w -shared -Wl,-soname,libcuda.so.1 -o "$tools/stub/libcuda.so.1" "$tools/stub/stub.c"
	ln -sf libcuda.so.1 "$tools/stub/libcuda.so"
	cp cuda/dev/requirements.txt "$tools/" # last: what was interrupted is done again
fi
