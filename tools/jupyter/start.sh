#!/usr/bin/env bash
# Opens copies of the notebooks in JupyterLab: those in notebooks/ show a recorded run and stay as they are. A copy that
# is there stays as well, as somebody may have worked in it.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/jupyter/install.sh
tools/jupyter/gopls.sh &
export JUPYTER_PATH=$PWD/bin/jupyter/share/jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}
python=bin/jupyter/venv/bin/python
mkdir -p my-notebooks
for notebook in notebooks/*.ipynb; do
	copy=my-notebooks/${notebook##*/}
	[ -e "$copy" ] || cp "$notebook" "$copy"
done
# JupyterLab hides figures of notebooks that it does not trust until they are run.
$python bin/jupyter/venv/bin/jupyter-trust my-notebooks/*.ipynb >/dev/null
root=
[ "$(id -u)" != 0 ] || root=--allow-root
exec $python -m jupyterlab $root --LabApp.default_url=/lab/tree/my-notebooks/quickstart.ipynb
