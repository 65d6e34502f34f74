#!/usr/bin/env bash
# Publishes the tag that is checked out as a draft of a release, if CITATION.cff and CHANGELOG.md have its version.
set -euo pipefail
cd "$(dirname "$0")/../.."
tag=$(git describe --tags --exact-match) || { echo "release: this commit has no tag" >&2; exit 1; }
version=${tag#v}
has() { grep -q "$@" || { echo "release: $tag, but $3 does not have its version" >&2; exit 1; }; }
has -xF "version: $version" CITATION.cff
has -F "## $version" CHANGELOG.md
tools/release/run.sh release --clean
