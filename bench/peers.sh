#!/usr/bin/env bash
# Installs other libraries of optimal transport into bin/ and times them beside this one, on one processor.
#
#     bench/peers.sh [balanced] [beyond] [partial] [small] [texts] [exact] [converged]
#
# With GEOMLOSS=1 GeomLoss as well, which needs PyTorch: some gigabytes.
set -euo pipefail
cd "$(dirname "$0")/.."

# environment NAME PACKAGES… makes a Python environment in bin/NAME with these packages.
environment() {
	test -x "bin/$1/bin/python" || python3 -m venv "bin/$1"
	"bin/$1/bin/pip" install -q --retries 10 --timeout 60 "${@:2}"
}

environment bench-venv -r bench/requirements.txt
if test -n "${GEOMLOSS:-}"; then
	environment bench-venv torch==2.15.0 geomloss==0.3.1
fi
environment bench-venv-exact -r bench/exact.txt
go build -o bin/peers ./bench/peers

peers=() exact=()
for part in "${@:-balanced beyond partial small texts exact converged}"; do
	for name in $part; do
		case $name in
		exact | converged) exact+=("$name") ;;
		*) peers+=("$name") ;;
		esac
	done
done
if test ${#peers[@]} -gt 0; then bin/bench-venv/bin/python bench/peers.py bin/peers "${peers[@]}"; fi
if test ${#exact[@]} -gt 0; then bin/bench-venv-exact/bin/python bench/exact.py bin/peers "${exact[@]}"; fi
