"""Links to files that are no pages or pictures of the site become plain text, and those to README.md the first page."""

import pathlib
import re

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, files):
    root = pathlib.PurePosixPath(page.file.src_uri).parent

    def resolve(link):
        parts = []
        for part in (root / link).parts:
            if part == "..":
                if not parts:
                    return None
                parts.pop()
            elif part != ".":
                parts.append(part)
        return "/".join(parts)

    def replace(m):
        text, link, anchor = m[1], m[2], m[3] or ""
        if "://" in link or link.startswith("mailto:"):
            return m[0]
        target = resolve(link)
        if target == "README.md":
            up = "../" * len(root.parts)
            return f"[{text}]({up}index.md{anchor})"
        if target and files.get_file_from_path(target):
            return m[0]
        if target and files.get_file_from_path(target + "/README.md"):
            return f"[{text}]({link.rstrip('/')}/README.md{anchor})"
        return text

    return LINK.sub(replace, markdown)
