#!/usr/bin/env bash
# Holds the executor against Jupyter: the same outputs, valid documents, and a real
# JupyterLab in a real browser that runs the notebook. Leaves bin/jupyter/run/lab.png to
# look at.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/jupyter/install.sh
go build -o bin/repro ./experiments/repro

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || { echo "test-jupyter: it needs Chromium (Debian: apt install chromium)" >&2; exit 1; }
command -v npm >/dev/null || { echo "test-jupyter: it needs Node with npm (Debian: apt install nodejs npm)" >&2; exit 1; }
npm install --silent --no-audit --no-fund --prefix bin/jupyter/node playwright-core@1.65.1

export CHROMIUM=$chromium
export JUPYTER_PATH=$PWD/bin/jupyter/share/jupyter
# Neither what this person has configured nor what earlier tests left takes part.
export JUPYTER_CONFIG_DIR=$PWD/bin/jupyter/config JUPYTER_DATA_DIR=$PWD/bin/jupyter/data
export IPYTHONDIR=$PWD/bin/jupyter/ipython
bin/jupyter/venv/bin/python tools/jupyter/test.py
