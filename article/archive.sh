#!/usr/bin/env bash
# Writes bin/contextmover-COMMIT.tar.gz: all files of the commit, the article, and SHA-256 sums of both. The same commit gives
# the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -z "$(git status --porcelain --untracked-files=no)" ] || { echo "archive: commit your changes first" >&2; exit 1; }
commit=$(git rev-parse --short=12 HEAD)
name=contextmover-$commit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git archive --prefix="$name/" HEAD | tar -x -C "$work"
cp bin/article/article.pdf "$work/$name/article/"
(cd "$work/$name" && find . -type f ! -name SHA256SUMS -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >SHA256SUMS)
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git show -s --format=%ct HEAD)" -C "$work" -cf - "$name" |
	gzip -9n >"bin/$name.tar.gz"
echo "bin/$name.tar.gz: $(wc -c <"bin/$name.tar.gz") bytes, $(wc -l <"$work/$name/SHA256SUMS") files"
