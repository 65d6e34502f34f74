#!/usr/bin/env bash
# Installs what notebooks need into bin/jupyter/: the kernel and, where Python is there,
# JupyterLab. Nothing outside the repository changes.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
home=$root/bin/jupyter
command -v go >/dev/null || { echo "jupyter: there is no go on PATH: install it from https://go.dev/dl" >&2; exit 1; }
mkdir -p "$home/tools" "$home/share/jupyter/kernels/contextmover"
go -C tools build -o "$home/tools/" github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
go build ./... # so that the first cell need not

# Completion works where gopls is there; -raw_error because the notebook's own HTML of
# errors does not say more.
path="$home/tools:$(dirname "$(command -v go)")"
gopls=$(command -v gopls || true)
[ -z "$gopls" ] || path="$path:$(dirname "$gopls")"
flags=
for flag in ${GOFLAGS:-}; do
	case $flag in -mod=* | --mod=* | -ldflags=*) ;; *) flags="$flags $flag" ;; esac
done
cat >"$home/share/jupyter/kernels/contextmover/kernel.json" <<JSON
{
 "argv": ["$home/tools/gonb", "-kernel", "{connection_file}", "-raw_error"],
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
	exit 1
fi
if ! cmp -s tools/jupyter/requirements.txt "$home/installed.txt"; then
	"$python" -m venv "$home/venv"
	"$home/venv/bin/pip" install --quiet --disable-pip-version-check -r tools/jupyter/requirements.txt
	cp tools/jupyter/requirements.txt "$home/installed.txt"
fi
