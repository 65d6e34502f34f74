#!/usr/bin/env bash
# Makes a static site of the README and the documents, in bin/site, with a search box; fails if a link of it is dead.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=bin/site-venv/bin/python
test -x "$python" || python3 -m venv bin/site-venv
"$python" -m pip install -q --disable-pip-version-check -r tools/site/requirements.txt
pages=bin/site-pages
rm -rf "$pages"
mkdir -p "$pages/cmdlib/english"
cp README.md "$pages/index.md"
cp CONTRIBUTING.md CHANGELOG.md tools/site/search.js tools/site/search.css "$pages"
cp cmdlib/english/README.md "$pages/cmdlib/english"
cp -r docs figures "$pages"
rm -rf "$pages/docs/example"
find tables -name '*.md' | while read -r table; do
	mkdir -p "$pages/$(dirname "$table")"
	cp "$table" "$pages/$table"
done
"$python" -m mkdocs build --quiet --strict --config-file tools/site/mkdocs.yml
"$python" tools/site/check.py bin/site
echo "bin/site/index.html"
