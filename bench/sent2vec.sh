#!/usr/bin/env bash
# Trains the authors' Sent2vec beside this library's on the same text, and scores both.
#
#     bench/sent2vec.sh -text FILE -sts FOLDER [-runs N] …
#
# The source is fetched and built below bin, or taken from the checkout that SENT2VEC names.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/bin/bench-sent2vec
if ! test -x "$build/fasttext"; then
	mkdir -p "$here/bin"
	git clone -q "${SENT2VEC:-https://github.com/epfml/sent2vec}" "$build"
	git -C "$build" checkout -q 9efbc2dd69f6c737c3a752c9dc5fbb4843d578b6
	make -s -C "$build"
fi
go build -C "$here" -o bin/peers ./bench/peers
exec "$here/bin/peers" sent2vec -original "$build/fasttext" "$@"
