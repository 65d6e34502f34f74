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
# What follows from the path: the program by go install, here from a folder that is laid out as Go's proxies are, and the
# formula of Homebrew.
module=example.org/someone/context.mover
grep -q "go install $module/experiments/repro@latest" README.md
git init -q && git add -A
git -c user.name=test -c user.email=test@example.org commit -qm copy && git tag v1.2.3
versions=$copy/bin/proxy/$module/@v
mkdir -p "$versions"
echo v1.2.3 >"$versions/list"
echo '{"Version": "v1.2.3"}' >"$versions/v1.2.3.info"
cp go.mod "$versions/v1.2.3.mod"
# A module ends where another go.mod is, and has no symbolic links.
git archive --format=zip --prefix="$module@v1.2.3/" -o "$versions/v1.2.3.zip" v1.2.3 -- . \
	$(git ls-files '*/go.mod' | sed 's|\(.*\)/go.mod|:(exclude)\1|')
# Modules come from where Go keeps them, which is laid out so, too.
(
	cd /
	GOPROXY="file://$copy/bin/proxy,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)" GOSUMDB=off \
		GOMODCACHE=$copy/bin/modules GOBIN=$copy/bin GOFLAGS="$GOFLAGS -modcacherw -trimpath" \
		go install "$module/experiments/repro@latest"
)
bin/repro --version | grep -x 'repro v1.2.3'
bin/repro neighbours elephant | grep rhinoceros
tools/release/formula.sh v1.2.3 >bin/repro.rb
grep -F "url \"https://$module.git\", tag: \"v1.2.3\", revision: \"$(git rev-parse HEAD)\"" bin/repro.rb
! command -v ruby >/dev/null || ruby -c bin/repro.rb
# The cells import the packages by their new path.
go run ./experiments/repro notebooks quickstart --store "$copy/bin/store"
