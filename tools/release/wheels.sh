#!/usr/bin/env bash
# Packs the program for each platform into a wheel in bin/wheels, or with PLATFORM=linux/amd64 for that platform alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(git describe --tags --exact-match 2>/dev/null || :)
version=${version#v}
version=${version:-0.dev0+$(git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)}
tools/release/files.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
programs=()
for platform in ${PLATFORM:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}; do
	program=$work/${platform/\//_}
	CGO_ENABLED=0 GOOS=${platform%/*} GOARCH=${platform#*/} go build -trimpath -ldflags '-s -w' -o "$program" ./experiments/repro
	programs+=("$platform=$program")
done
rm -rf bin/wheels
mkdir -p bin/wheels
python3 tools/release/wheel.py "$version" bin/wheels "${programs[@]}"
