#!/usr/bin/env bash
# Makes a snapshot of a release in bin/dist, of the commit that is checked out. Tries the archive for this system in an
# empty folder without Go, and compares programs with those of a build in another folder. With PLATFORM=linux/amd64 it
# makes files for that platform alone. Signatures need the workflow of a tag: none are made.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
arch=$(go env GOARCH)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A clone has the commit alone, and the remote that goreleaser asks for.
git clone -q . "$work/a"
cd "$work/a"
config=.goreleaser.yaml
if [ -n "${PLATFORM:-}" ]; then
	config=$work/goreleaser.yaml
	sed "s|goos: \[.*|goos: [${PLATFORM%/*}]|; s|goarch: \[.*|goarch: [${PLATFORM#*/}]|" .goreleaser.yaml >"$config"
fi
tools/release/run.sh release --snapshot --clean --skip=sign --config "$config"
rm -rf "$root/bin/dist"
mkdir -p "$root/bin"
cp -r bin/dist "$root/bin/dist"
cd "$root"

echo "== what there is"
(cd bin/dist && sha256sum -c --quiet checksums.txt && wc -c contextmover_* && cat checksums.txt)
for sbom in bin/dist/*.cdx.json; do
	echo "$sbom: $(grep -c '"type": "library"' "$sbom") modules and packages"
done

echo "== notices: a text for each module that is linked"
cp "$work/a/bin/NOTICES.txt" "$work/notices"
for program in "$work"/a/bin/dist/repro_*/repro*; do
	go version -m "$program" | awk '$1 == "dep" { print $2, $3 }' >"$work/linked"
	while read -r module; do
		grep -qxF "$module" "$work/notices" || { echo "$program: no notice of $module" >&2; exit 1; }
	done <"$work/linked"
	echo "${program#"$work/a/"}: $(wc -l <"$work/linked") modules"
done

echo "== the archive, in an empty folder, without Go"
mkdir "$work/home"
tar -xzf bin/dist/contextmover_*_linux_"$arch".tar.gz -C "$work/home"
cd "$work/home"
find . -maxdepth 2 | LC_ALL=C sort | head -20
repro() {
	echo "\$ repro $*"
	env -i HOME="$PWD" PATH=/nonexistent ./repro "$@"
}
repro version
repro neighbours elephant
repro distance "the king gave the old soldier a piece of land" "the queen granted the brave officer an estate"
echo "\$ repro explore"
env -i HOME="$PWD" PATH=/nonexistent ./repro explore >said 2>&1 &
server=$!
for _ in $(seq 120); do
	address=$(grep -o 'http://[^[:space:]]*' said | head -1) && break
	sleep 0.5
done
curl --noproxy '*' -fsS "${address:?repro explore named no address}ask?from=king&to=queen" | cut -c 1-200
echo
kill -INT "$server"
status=0
wait "$server" || status=$?
[ "$status" = 130 ] || { echo "repro explore ended with $status: expected 130" >&2; exit 1; }
cd "$root"

echo "== the wheel, in an empty environment"
PLATFORM=linux/$arch tools/release/wheels.sh
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-index bin/wheels/contextmover-*.whl
(cd "$work/home" && env -i HOME="$PWD" PATH=/nonexistent "$work/venv/bin/repro" distance rock music)

echo "== two builds of the commit in two folders"
git clone -q "$work/a" "$work/another/folder"
cd "$work/another/folder"
for program in "$work"/a/bin/dist/repro_*/repro*; do
	folder=$(basename "$(dirname "$program")") # repro_linux_amd64_v1
	IFS=_ read -r _ os cpu _ <<<"$folder"
	CGO_ENABLED=0 GOOS=$os GOARCH=$cpu go build -trimpath -buildvcs=true -ldflags '-s -w' -o bin/again ./experiments/repro
	sha256sum "$program" bin/again
	cmp "$program" bin/again
done
echo "release-check: passed"
