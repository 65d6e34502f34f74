#!/usr/bin/env bash
# Builds the container image onto an empty base, pushes it to a registry of its own on this machine, writes it to
# bin/dist/image as an OCI layout, lists its layers, and runs the program that is in them. Nothing is fetched.
set -euo pipefail
cd "$(dirname "$0")/../.."
crane=$(go -C tools/release tool -n crane)
work=$(mktemp -d)
"$crane" registry serve --address 127.0.0.1:0 2>"$work/said" &
registry=$!
trap 'kill "$registry"; rm -rf "$work"' EXIT
for _ in $(seq 100); do
	port=$(sed -n 's/.*serving on port //p' "$work/said")
	[ -z "$port" ] || break
	sleep 0.1
done
to=localhost:${port:?crane registry serve named no port}
tar -cf "$work/base.tar" -T /dev/null
manifests=()
for arch in amd64 arm64; do
	"$crane" append --oci-empty-base -f "$work/base.tar" -t "$to/base:$arch" >/dev/null 2>&1
	"$crane" mutate --set-platform "linux/$arch" -t "$to/base:$arch" "$to/base:$arch" >/dev/null
	manifests+=(-m "$to/base:$arch")
done
"$crane" index append "${manifests[@]}" -t "$to/base" >/dev/null 2>&1

image=$(KO_DEFAULTBASEIMAGE=$to/base IMAGE=$to/repro GITHUB_TOKEN='' tools/release/image.sh)
mkdir -p bin/dist
rm -rf bin/dist/image
"$crane" pull --format oci "$image" bin/dist/image
echo "bin/dist/image: ${image##*@}"
arch=$(go env GOARCH)
"$crane" config --platform "linux/$arch" "$image"
echo
"$crane" manifest --platform "linux/$arch" "$image" | grep -o '"layers".*' | grep -oE '"size":[0-9]+,"digest":"[^"]*"'
"$crane" export --platform "linux/$arch" "$image" "$work/files.tar"
tar -tvf "$work/files.tar"
mkdir "$work/root"
tar -xf "$work/files.tar" -C "$work/root"
for program in bin/dist/repro_linux_"$arch"_*/repro; do # of make release-check
	[ ! -e "$program" ] || cmp "$program" "$work/root/ko-app/repro"
done
env -i HOME="$work" PATH=/nonexistent "$work/root/ko-app/repro" version
env -i HOME="$work" PATH=/nonexistent "$work/root/ko-app/repro" neighbours elephant
grep -q 'CC BY-SA 3.0' "$work/root/var/run/ko/NOTICES.txt"
cmp LICENSE "$work/root/var/run/ko/LICENSE"
