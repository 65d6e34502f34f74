#!/usr/bin/env bash
# Runs goreleaser, whose version tools/release/go.mod names, with the program that makes bills of materials.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH=$(dirname "$(go -C tools/release tool -n cyclonedx-gomod)"):$PATH
exec "$(go -C tools/release tool -n goreleaser)" "$@"
