#!/usr/bin/env bash
# Holds the executor against Jupyter: the same outputs, valid documents, how long both
# take, and a real JupyterLab in a real browser that runs a notebook. Leaves pictures to
# look at in bin/jupyter/run/pictures. With the argument "explore", display.Explore in JupyterLab instead.
set -euo pipefail
cd "$(dirname "$0")/../.."

. tools/jupyter/need.sh
need chromium browser
need python3-venv environments

tools/jupyter/install.sh tools/jupyter/test-requirements.txt
tools/jupyter/gopls.sh
go build -o bin/repro ./experiments/repro

CHROMIUM=$(browser)
export CHROMIUM
export JUPYTER_PATH=$PWD/bin/jupyter/share/jupyter
# Neither what this person has configured nor what earlier tests left takes part.
export JUPYTER_CONFIG_DIR=$PWD/bin/jupyter/config JUPYTER_DATA_DIR=$PWD/bin/jupyter/data
export IPYTHONDIR=$PWD/bin/jupyter/ipython
if [ "${1:-}" = explore ]; then
	exec bin/jupyter/venv/bin/python tools/jupyter/explore.py bin/jupyter/explore
fi
bin/jupyter/venv/bin/python tools/jupyter/test.py
