#!/usr/bin/env bash
# Installs what notebooks need into bin/jupyter/: the kernel and, where Python is there,
# JupyterLab or what another requirements file names. Nothing outside the repository
# changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
home=$root/bin/jupyter
command -v go >/dev/null || { echo "jupyter: there is no go on PATH: install it from https://go.dev/dl" >&2; exit 1; }
mkdir -p "$home/tools" "$home/share/jupyter/kernels/contextmover"
echo "jupyter: building the kernel; the first time takes minutes" >&2
# The last is there so that the first cell need not build it.
(go -C tools build -o "$home/tools/" github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports && go build ./experiments/display) &
kernel=$!

# -raw_error because the notebook's own HTML of errors does not say more; -go_work because cells import the repository's
# packages.
path="$home/tools:$(dirname "$(command -v go)")"
flags=
for flag in ${GOFLAGS:-}; do
	case $flag in -mod=* | --mod=* | -ldflags=*) ;; *) flags="$flags $flag" ;; esac
done
cat >"$home/share/jupyter/kernels/contextmover/kernel.json" <<JSON
{
 "argv": ["$home/tools/gonb", "-kernel", "{connection_file}", "-raw_error", "-go_work", "$root"],
 "display_name": "Go (Context Mover)",
 "language": "go",
 "env": {
  "PATH": "$path:\${PATH}",
  "GOFLAGS": "${flags:+${flags# } }-ldflags=-s",
  "GOWORK": ""
 }
}
JSON

python=$(command -v python3 || true)
if [ -z "$python" ] || ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
	echo "jupyter: JupyterLab needs Python 3 with venv: install it (Debian: apt install python3-venv)," >&2
	echo "jupyter: or point an existing Jupyter at this kernel: JUPYTER_PATH=$home/share/jupyter jupyter lab" >&2
	wait $kernel
	exit 1
fi
# Not by the names of scripts, which know only the place where they were installed.
echo "jupyter: installing JupyterLab into bin/jupyter" >&2
if ! "$home/venv/bin/python" -c 'import pip' 2>/dev/null; then
	"$python" -m venv --clear "$home/venv"
fi
"$home/venv/bin/python" -m pip install --quiet --retries 10 --timeout 60 --disable-pip-version-check -r "${1:-tools/jupyter/requirements.txt}"
# The versions are pinned, so nobody needs to hear of newer ones.
mkdir -p "$home/venv/share/jupyter/lab/settings"
cat >"$home/venv/share/jupyter/lab/settings/overrides.json" <<JSON
{"@jupyterlab/apputils-extension:notification": {"checkForUpdates": false, "fetchNews": "false"}}
JSON
wait $kernel
