#!/usr/bin/env bash
# Judges the senses that repro senses finds for 20 homographs against tags that people gave their occurrences, and against WordNet.
#
#     bench/senses.sh [-space FOLDER] [-out FOLDER]
#     bench/senses.sh [-space FOLDER] -vectors FOLDER    # other ways to group, with the word vectors of a space that keeps them
#
# Tags are those of CoarseWSD-20, under CC BY-NC 4.0, WordNet is 3.0, as Debian packs it: both are fetched below bin, and
# are for this measurement alone. WORDNET and TAGGED name folders that are here already.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/bin/bench-senses
mkdir -p "$build"
if test -z "${WORDNET:-}"; then
	WORDNET=$build/wordnet/usr/share/wordnet
	test -d "$WORDNET" || (cd "$build" && apt-get download -q wordnet-base && dpkg-deb -x wordnet-base_*.deb wordnet)
fi
if test -z "${TAGGED:-}"; then
	TAGGED=$build/tagged/data/CoarseWSD-20
	if ! test -d "$TAGGED"; then
		git clone -q --no-checkout https://github.com/danlou/bert-disambiguation "$build/tagged"
		git -C "$build/tagged" checkout -q d8728bc5f0bbd2a14cdeb19aa71844fb89a31cb6 -- data/CoarseWSD-20
	fi
fi
go build -C "$here" -o bin/senses ./bench/senses
exec "$here/bin/senses" -wordnet "$WORDNET" -tagged "$TAGGED" "$@"
