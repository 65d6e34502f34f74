#!/usr/bin/env bash
# Installs POT, OTT-JAX and gensim into bin/bench-venv and times them beside this library.
#
#     bench/peers.sh [balanced] [beyond] [partial] [small] [texts]
#
# With GEOMLOSS=1 GeomLoss as well, which needs PyTorch: some gigabytes.
set -euo pipefail
cd "$(dirname "$0")/.."
test -x bin/bench-venv/bin/python || python3 -m venv bin/bench-venv
bin/bench-venv/bin/pip install -q --retries 10 --timeout 60 -r bench/requirements.txt
if test -n "${GEOMLOSS:-}"; then
	bin/bench-venv/bin/pip install -q --retries 10 --timeout 60 torch==2.15.0 geomloss==0.3.1
fi
go build -o bin/peers ./bench/peers
exec bin/bench-venv/bin/python bench/peers.py bin/peers "$@"
