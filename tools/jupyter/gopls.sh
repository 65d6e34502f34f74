#!/usr/bin/env bash
# Builds gopls, which Tab and Shift-Tab in cells ask, into bin/jupyter/: a matter of minutes. Without it cells run. A kernel
# that was started before it was there completes nothing until it is restarted.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools=$PWD/bin/jupyter/tools
gopls=v0.23.0
[ "$(cat "$tools/gopls.version" 2>/dev/null)" != "$gopls" ] || exit 0
echo "jupyter: building gopls, with which Tab completes words in kernels that are started then" >&2
if GOFLAGS= GOWORK=off GOBIN="$tools" nice go install "golang.org/x/tools/gopls@$gopls"; then
	echo "$gopls" >"$tools/gopls.version"
else
	echo "jupyter: gopls cannot be had now: cells run, but Tab completes nothing" >&2
fi
