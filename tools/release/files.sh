#!/usr/bin/env bash
# Writes what a release has besides the program: manual pages into bin/man/man1, completions into bin/completions, and
# into bin/NOTICES.txt the licences of all that is linked and where the built-in words come from.
set -euo pipefail
cd "$(dirname "$0")/../.."
make -s build
bin/repro man bin/man/man1
mkdir -p bin/completions
for shell in bash zsh fish; do
	bin/repro completion "$shell" >"bin/completions/repro.$shell"
done
go -C tools run ./licences notices >bin/NOTICES.txt
