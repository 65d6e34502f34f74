#!/usr/bin/env bash
# Uses the pages of repro explore and repro report in a real browser, as a person would. Leaves pictures to look at in bin/explore/run.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tools/jupyter/need.sh
need chromium browser
need python3-venv environments

# The one of make test-jupyter, which has most of it.
venv=$PWD/bin/jupyter/venv
if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
	python3 -m venv --clear "$venv"
fi
"$venv/bin/python" -m pip install --quiet --retries 10 --timeout 60 --disable-pip-version-check -r tools/explore/requirements.txt
go build -o bin/repro ./experiments/repro

CHROMIUM=$(browser)
export CHROMIUM
"$venv/bin/python" tools/explore/test.py
