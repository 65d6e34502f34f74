"""Makes the index of the search box, and ends with an error if a link or picture of the site leads nowhere.

Arguments: the folder of the site. Links to other sites are not followed.
"""

import html.parser
import json
import pathlib
import sys
import urllib.parse

HEADINGS = {"h1", "h2", "h3"}
SILENT = {"script", "style", "nav"}


class Page(html.parser.HTMLParser):
    """The ids, links and sections of a page; sections are those of its main part."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.sections = {""}, [], []
        self.silent, self.main, self.heading = 0, 0, False

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ("id", "name"):
            if attrs.get(name):
                self.ids.add(attrs[name])
        for name in ("href", "src"):
            if name in attrs:
                self.links.append(attrs[name] or "")
        if tag in SILENT:
            self.silent += 1
        if tag == "div" and (self.main or attrs.get("role") == "main"):
            self.main += 1
        if tag in HEADINGS and self.main:
            self.sections.append([attrs.get("id", ""), "", []])
            self.heading = True

    def handle_endtag(self, tag):
        if tag in SILENT:
            self.silent -= 1
        if tag == "div" and self.main:
            self.main -= 1
        if tag in HEADINGS:
            self.heading = False

    def handle_data(self, data):
        if self.silent or not self.main or not self.sections:
            return
        if self.heading:
            self.sections[-1][1] += data
        else:
            self.sections[-1][2].append(data)


def main(site):
    pages = {}
    for path in sorted(site.rglob("*.html")):
        page = Page()
        page.feed(path.read_text(encoding="utf-8"))
        pages[path.resolve()] = page

    index = []
    for path, page in pages.items():
        if path.name == "404.html" or not page.sections:
            continue
        first = page.sections[0][1].strip()
        for number, (anchor, title, text) in enumerate(page.sections):
            title = title.strip()
            index.append({
                "url": str(path.relative_to(site)) + (f"#{anchor}" if anchor and number else ""),
                "title": title if number == 0 else f"{first}: {title}",
                "text": " ".join(" ".join(text).split()),
            })
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (site / "search-index.js").write_text("window.searchIndex=" + text.replace("</", "<\\/") + ";\n", encoding="utf-8")

    dead = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links begin at the root of a server
            continue
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path
            if parts.path:
                target = (path.parent / urllib.parse.unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            fragment = urllib.parse.unquote(parts.fragment)
            if not target.is_file():
                dead.append(f"{path.relative_to(site)}: no file {link}")
            elif fragment and target in pages and fragment not in pages[target].ids:
                dead.append(f"{path.relative_to(site)}: no place {link}")
    if dead:
        sys.exit("dead links; mend the page, or let tools/site/build.sh copy the file:\n" + "\n".join(sorted(set(dead))))
    print(f"{len(pages)} pages, {len(index)} sections to search, no dead link")


main(pathlib.Path(sys.argv[1]).resolve())
