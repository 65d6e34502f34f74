#!/usr/bin/env bash
# Holds the executor against Jupyter: the same outputs, valid documents, how long both
# take, and a real JupyterLab in a real browser that runs a notebook. Leaves pictures to
# look at in bin/jupyter/run/pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Installs packages of Debian where it may, and says elsewhere what is needed.
need() {
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "test-jupyter: it needs $*: install it (Debian: apt install $*)" >&2
		exit 1
	fi
	echo "test-jupyter: installing $*" >&2
	local install=(env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@")
	"${install[@]}" >/dev/null || { apt-get update -qq && "${install[@]}" >/dev/null; }
}
browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
browser >/dev/null || need chromium
python3 -c 'import venv, ensurepip' 2>/dev/null || need python3-venv

tools/jupyter/install.sh tools/jupyter/test-requirements.txt
go build -o bin/repro ./experiments/repro

CHROMIUM=$(browser)
export CHROMIUM
export JUPYTER_PATH=$PWD/bin/jupyter/share/jupyter
# Neither what this person has configured nor what earlier tests left takes part.
export JUPYTER_CONFIG_DIR=$PWD/bin/jupyter/config JUPYTER_DATA_DIR=$PWD/bin/jupyter/data
export IPYTHONDIR=$PWD/bin/jupyter/ipython
bin/jupyter/venv/bin/python tools/jupyter/test.py
