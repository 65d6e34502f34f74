#!/usr/bin/env bash
# Opens the notebooks in JupyterLab.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/jupyter/install.sh
export JUPYTER_PATH=$PWD/bin/jupyter/share/jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}
python=bin/jupyter/venv/bin/python
# JupyterLab hides figures of notebooks that it does not trust until they are run.
$python bin/jupyter/venv/bin/jupyter-trust notebooks/*.ipynb >/dev/null
root=
[ "$(id -u)" != 0 ] || root=--allow-root
exec $python -m jupyterlab $root --LabApp.default_url=/lab/tree/notebooks/quickstart.ipynb
