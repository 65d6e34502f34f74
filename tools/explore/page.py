"""What tests of pages in a real browser share."""

import os
import sys

from axe_playwright_python.sync_playwright import Axe

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
REPRO = os.path.join(ROOT, "bin", "repro")
RUN = os.path.join(ROOT, "bin", "explore", "run")


def fail(what):
    sys.exit(f"test-explore: {what}")


class Page:
    """A page, and what a test asks of it."""

    def __init__(self, browser, address, **settings):
        self.context = browser.new_context(accept_downloads=True, **settings)
        self.page = self.context.new_page()
        self.page.set_default_timeout(120_000)  # a busy machine is slow
        self.problems, self.outside = [], []
        self.page.on("pageerror", lambda e: self.problems.append(str(e)))
        self.page.on("console", lambda m: m.type == "error" and "422" not in m.text and self.problems.append(m.text))
        self.page.on("request", lambda r: r.url.startswith((address, "data:", "blob:")) or self.outside.append(r.url))
        self.page.goto(address)

    def picture(self, name):
        self.page.screenshot(path=os.path.join(RUN, name + ".png"), full_page=True)

    def accessible(self, what):
        found = Axe().run(self.page).response["violations"]
        serious = [f"{v['id']}: {v['help']}: {[n['html'][:150] for n in v['nodes']][:3]}" for v in found if v["impact"] in ("serious", "critical")]
        if serious:
            fail(f"{what}: " + "\n".join(serious))
        print(f"axe-core, {what}: no serious finding, {len(found)} others" + "".join(f"; {v['id']}" for v in found))

    def close(self):
        if self.problems:
            fail(f"the page complains: {self.problems}")
        if self.outside:
            fail(f"the page asks elsewhere: {self.outside}")
        self.context.close()
