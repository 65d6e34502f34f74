#!/usr/bin/env bash
# Runs what the workflow ci.yml runs, in a clean clone of the commit that is checked out; it takes an hour.
set -euo pipefail
cd "$(dirname "$0")/../.."
clone=$(mktemp -d)
trap 'rm -rf "$clone"' EXIT
git clone -q . "$clone/contextmover"
cd "$clone/contextmover"
go -C tools run ./workflows ../.github/workflows/ci.yml | sort -u | while read -r command; do
	echo "== $command"
	$command </dev/null
done
