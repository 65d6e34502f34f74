#!/usr/bin/env bash
# Gives a copy of the repository another module path, twice, and builds, vets and tests it.
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$copy"
cd "$copy"
# A copy is no repository: nothing is known of its version.
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"
make publish-as MODULE=localhost 2>/dev/null && { echo "publish: a path without a host was taken" >&2; exit 1; }
make publish-as MODULE=example.org/someone/first
make publish-as MODULE=example.org/someone/context.mover
if grep -rnE '(^|[^[:alnum:]_./-])(contextmover|example.org/someone/first)/(bench|cmdlib|cuda|experiments|internal|tools)\b' --include='*.*' .; then
	echo "publish: the lines above name the old path" >&2
	exit 1
fi
test -z "$(gofmt -l .)"
go vet ./...
go test ./internal/... ./cmdlib ./experiments/profile
go test -run 'TestScripts|TestNotebooksOfRepository' ./experiments/repro
# The cells import the packages by their new path.
go run ./experiments/repro notebooks quickstart --store "$copy/bin/store"
