#!/usr/bin/env bash
# Makes vectors of all sentences of the sets by published encoders, and of words, for the profile "encoders".
#
#     bench/encoders.sh DATA [NAME…]
#
# Reads DATA/sts and writes DATA/encoders, all of bench/encoders.txt or those named. Vectors of words are made for the words of the
# sets and of VOCABULARY: clusters of contexts need those of the whole text, STORE/vocabulary/KEY/vocab.txt. With TIME=N nothing is
# written: every Nth sentence is encoded on two threads, to see what that costs. The weights come as packages of Maven and npm,
# what runs them from PyPI; none of it is a part of the product, which runs no network.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
data=${1:?usage: bench/encoders.sh DATA [NAME…], the data folder and names of bench/encoders.txt}
shift
build=$here/bin/bench-encoders
mkdir -p "$build"
for name in "$@"; do
	grep -q "^$name " "$here/bench/encoders.txt" || { echo "bench/encoders.txt has no $name" >&2; exit 2; }
done
if ! test -x "$build/bin/python"; then
	python3 -m venv "$build"
	"$build/bin/pip" install -q onnxruntime==1.22.1 tokenizers==0.21.4 numpy==1.26.4 tensorflow-cpu==2.15.1
fi
while read -r name from package version sha256; do
	if (($#)) && ! [[ " $* " == *" $name "* ]]; then continue; fi
	case $from in
	maven)
		artefact=${package#*:}-$version.jar
		test -f "$build/$artefact" || mvn -q dependency:copy -Dartifact="$package:$version" -DoutputDirectory="$build" </dev/null
		;;
	npm)
		artefact=${package#@}
		artefact=${artefact/\//-}-$version.tgz
		test -f "$build/$artefact" || npm pack --silent --pack-destination "$build" "$package@$version" </dev/null >&2
		;;
	esac
	echo "$sha256  $build/$artefact" | sha256sum --check --quiet
	if test -n "${TIME:-}"; then
		case $name in GloVe-6B-100d | *-words) continue ;; esac
		printf '%s, %d MB: ' "$name" $(($(stat -c %s "$build/$artefact") / 1000000))
		OMP_NUM_THREADS=2 taskset -c 0,1 "$build/bin/python" "$here/bench/encoders.py" --archive "$build/$artefact" --name "$name" --sts "$data/sts" --out "$data/encoders" --time "$TIME"
	else
		"$build/bin/python" "$here/bench/encoders.py" --archive "$build/$artefact" --name "$name" --sts "$data/sts" --out "$data/encoders" ${VOCABULARY:+--vocabulary "$VOCABULARY"}
	fi
done < <(grep -v "^#" "$here/bench/encoders.txt")
