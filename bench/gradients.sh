#!/usr/bin/env bash
# Installs OTT-JAX into bin/bench-venv and prints how far this library's gradients are from its, and from finite
# differences.
set -euo pipefail
cd "$(dirname "$0")/.."
test -x bin/bench-venv/bin/python || python3 -m venv bin/bench-venv
bin/bench-venv/bin/pip install -q --retries 10 --timeout 60 -r bench/requirements.txt
go build -o bin/peers ./bench/peers
exec bin/bench-venv/bin/python bench/gradients.py bin/peers
