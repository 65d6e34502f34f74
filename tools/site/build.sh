#!/usr/bin/env bash
# Makes a static site of the README and the documents, in bin/site.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=bin/site-venv/bin/python
test -x "$python" || python3 -m venv bin/site-venv
"$python" -m pip install -q --disable-pip-version-check -r tools/site/requirements.txt
pages=bin/site-pages
rm -rf "$pages"
mkdir -p "$pages/figures" "$pages/tables/open"
cp README.md "$pages/index.md"
cp -r docs "$pages/docs"
cp -r figures/open "$pages/figures/open"
cp tables/open/*.md "$pages/tables/open"
"$python" -m mkdocs build --quiet --strict --config-file tools/site/mkdocs.yml
echo "bin/site/index.html"
