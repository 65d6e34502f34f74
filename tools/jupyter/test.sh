#!/usr/bin/env bash
# Holds the executor against Jupyter: the same outputs, valid documents, how long both
# take, and a real JupyterLab in a real browser that runs a notebook. Leaves pictures to
# look at in bin/jupyter/run/pictures.
set -euo pipefail
cd "$(dirname "$0")/../.."

browser() { command -v chromium || command -v chromium-browser || command -v google-chrome; }
environments() { python3 -c 'import venv, ensurepip'; }

# Installs a package of Debian, where it may, if a command fails.
need() {
	local package=$1 works=$2
	if $works >/dev/null 2>&1; then return; fi
	if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
		echo "test-jupyter: installing $package" >&2
		apt-get -o Acquire::Retries=5 update -qq || true
		DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=5 install -qq -y --no-install-recommends "$package" >/dev/null || true
		if $works >/dev/null 2>&1; then return; fi
	fi
	echo "test-jupyter: it needs $package: install it (Debian: apt install $package)" >&2
	exit 1
}
need chromium browser
need python3-venv environments

tools/jupyter/install.sh tools/jupyter/test-requirements.txt
go build -o bin/repro ./experiments/repro

CHROMIUM=$(browser)
export CHROMIUM
export JUPYTER_PATH=$PWD/bin/jupyter/share/jupyter
# Neither what this person has configured nor what earlier tests left takes part.
export JUPYTER_CONFIG_DIR=$PWD/bin/jupyter/config JUPYTER_DATA_DIR=$PWD/bin/jupyter/data
export IPYTHONDIR=$PWD/bin/jupyter/ipython
bin/jupyter/venv/bin/python tools/jupyter/test.py
