#!/usr/bin/env bash
# Builds the container image of the commit that is checked out, pushes it to IMAGE (registry/owner/name) under the name
# of its tag, or of its commit, and prints its digest. KO_DEFAULTBASEIMAGE is another base than that of .ko.yaml.
# With GITHUB_TOKEN it logs in and signs, as in the workflow of a release.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${IMAGE:?image: name where to push it: IMAGE=registry/owner/name}"
tag=$(git describe --tags --exact-match 2>/dev/null || git rev-parse --short=12 HEAD)
ko=$(go -C tools/release tool -n ko)
SOURCE_DATE_EPOCH=$(git show -s --format=%ct HEAD)
export SOURCE_DATE_EPOCH KO_DATA_DATE_EPOCH=$SOURCE_DATE_EPOCH KO_DOCKER_REPO=${IMAGE,,}
make -s notices >&2
data=experiments/repro/kodata # ko puts what is in it into the image
rm -rf "$data" && mkdir "$data"
cp LICENSE bin/NOTICES.txt "$data"
if [ -n "${GITHUB_TOKEN:-}" ]; then
	"$ko" login "${KO_DOCKER_REPO%%/*}" --username "${GITHUB_ACTOR:-token}" --password-stdin <<<"$GITHUB_TOKEN" >&2
fi
image=$("$ko" build --bare --tags "${tag#v}" ./experiments/repro)
[ -z "${GITHUB_TOKEN:-}" ] || cosign sign --yes "$image" >&2
echo "$image"
