#!/usr/bin/env bash
# Installs POT and OTT-JAX into bin/bench-venv and times them beside this library.
set -euo pipefail
cd "$(dirname "$0")/.."
test -x bin/bench-venv/bin/python || python3 -m venv bin/bench-venv
bin/bench-venv/bin/pip install -q --retries 10 --timeout 60 -r bench/requirements.txt
go build -o bin/peers ./bench/peers
exec bin/bench-venv/bin/python bench/peers.py bin/peers
