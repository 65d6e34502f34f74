"""Reads the page of repro report in a browser, that of the recorded run: filters, sorts, follows links, on a phone and in
the dark."""

import os
import pathlib
import subprocess

from playwright.sync_api import expect

from page import REPRO, ROOT, RUN, Page, fail

WIDE, PHONE = {"width": 1280, "height": 1000}, {"width": 360, "height": 740}


def shown(page):
    """The cells that are on the page: table, verdict."""
    return page.evaluate("""() => [...document.querySelectorAll("#cells tbody tr")].filter((r) => r.checkVisibility()).map((r) => [r.closest("details").id.slice(2), r.dataset.v])""")


def filters(v):
    page = v.page
    if shown(page):
        fail("cells are open before they are asked for")
    verdicts = page.locator("#by-verdict option").all_inner_texts()[1:]
    tables = page.locator("#by-table option").evaluate_all("all => all.slice(1).map((o) => o.value)")
    whole = page.locator("#cells tbody tr").count()
    if len(tables) < 20 or len(verdicts) < 3 or whole < 500:
        fail(f"{len(tables)} tables, verdicts {verdicts}, {whole} cells")
    counts = {}
    for verdict in verdicts:
        page.locator("#by-verdict").select_option(verdict)
        rows = shown(page)
        counts[verdict] = len(rows)
        if {r[1] for r in rows} - {verdict} or page.locator("#shown").inner_text() != f"{len(rows)} cells":
            fail(f"the filter {verdict} shows {set(r[1] for r in rows)}: {page.locator('#shown').inner_text()}")
    if sum(counts.values()) != whole:
        fail(f"the verdicts have {counts} of {whole} cells")
    most = max(counts, key=counts.get)
    page.locator("#by-verdict").select_option(most)
    page.locator("#by-table").select_option("table1_sts_summary")
    both = shown(page)
    if not both or {tuple(r) for r in both} != {("table1_sts_summary", most)}:
        fail(f"Table 1 and {most} show {both[:3]}")
    v.picture("report-filtered")
    page.get_by_role("button", name="Show all").click()
    expect(page.locator("#shown")).to_have_text("")


def sorts(v):
    page = v.page
    page.locator("#by-table").select_option("table1_sts_summary")
    table = page.locator("#t-table1_sts_summary")
    column = lambda k: table.locator(f"tbody tr td:nth-child({k})").all_inner_texts()
    order = column(3)
    for direction, reverse in (("ascending", False), ("descending", True)):
        table.get_by_role("button", name="printed").click()
        if table.locator("th:nth-child(3)").get_attribute("aria-sort") != direction:
            fail(f"no {direction} order is told")
        numbers = [float(t) for t in column(3)]
        if numbers != sorted(numbers, reverse=reverse):
            fail(f"{direction}: {numbers[:10]}")
    table.get_by_role("button", name="printed").click()
    if column(3) != order:
        fail("the third click is not the order of the paper")
    page.get_by_role("button", name="Show all").click()


def links(v):
    """Every link leads somewhere; one from a claim opens and shows its cell, in the window."""
    page = v.page
    dead = page.evaluate("""() => [...document.querySelectorAll("a[href^='#']")].filter((a) => !document.getElementById(decodeURIComponent(a.getAttribute("href").slice(1)))).map((a) => a.getAttribute("href"))""")
    if dead:
        fail(f"links that lead nowhere: {dead[:5]}")
    cells = page.locator(".claim a")
    if cells.count() < 20:
        fail(f"{cells.count()} links from claims to cells")
    for i in (0, cells.count() - 1):
        link = cells.nth(i)
        link.click()
        row = page.locator(f"tr[id='{link.get_attribute('href')[1:]}']")
        if not row.is_visible() or not row.evaluate("r => { const b = r.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight }"):
            fail(f"{link.get_attribute('href')} is not shown")


def readable(v, width):
    """Nothing is printed over something else, or cut."""
    page = v.page
    over = page.evaluate("""() => [...document.querySelectorAll(".claim")].filter((c) => {
      const mark = c.querySelector(":scope > .mark"), text = c.querySelector(":scope > div").getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(mark);
      const m = range.getBoundingClientRect();
      return m.right > text.left && m.bottom > text.top;
    }).map((c) => c.id)""")
    if over:
        fail(f"at {width} points the verdicts of {over} lie over the claims")
    cut = page.evaluate("""() => [...document.querySelectorAll(".axis .track span")].filter((s) => {
      const b = s.getBoundingClientRect();
      return b.right > document.documentElement.clientWidth || b.height > 24;
    }).map((s) => s.textContent)""")
    if cut:
        fail(f"at {width} points numbers of the axis are cut: {cut}")
    hidden = page.evaluate("""() => [...document.querySelectorAll("nav a")].filter((a) => a.getBoundingClientRect().right > innerWidth).map((a) => a.textContent)""")
    if hidden:
        fail(f"at {width} points these links are out of sight: {hidden}")


def heads(v):
    """The head of a long table stays in sight, also for links to its last row."""
    page = v.page
    page.locator("#by-table").select_option("table1_sts_summary")
    table = page.locator("#t-table1_sts_summary")
    table.locator("tbody tr").last.scroll_into_view_if_needed()
    tops = table.evaluate("""(t) => { const s = t.querySelector(".scroll"); s.scrollTop = s.scrollHeight;
      return [s.getBoundingClientRect().top, t.querySelector("thead th").getBoundingClientRect().top, s.scrollTop]; }""")
    if tops[2] <= 0 or abs(tops[0] - tops[1]) > 3:
        fail(f"the head of a long table scrolls away: {tops}")
    page.get_by_role("button", name="Show all").click()


def use(browser):
    path = os.path.join(RUN, "report.html")
    made = subprocess.run([REPRO, "report", "--profile", "open", "--results", os.path.join(RUN, "none"), "--out", path], cwd=ROOT, text=True, capture_output=True)
    if made.returncode != 0:
        fail(made.stderr)
    address = pathlib.Path(path).as_uri()
    v = Page(browser, address, viewport=WIDE)
    for part in (filters, sorts, heads, links):
        part(v)
    for width in (1280, 1440, 1920):
        v.page.set_viewport_size({"width": width, "height": 1000})
        readable(v, width)
    v.accessible("report, light")
    v.close()
    v = Page(browser, address, viewport=WIDE, color_scheme="dark")
    v.page.screenshot(path=os.path.join(RUN, "report-dark.png"))
    v.accessible("report, dark")
    v.close()
    v = Page(browser, address, viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)
    height = v.page.evaluate("document.documentElement.scrollHeight")
    if height > 8000:
        fail(f"on a phone the report is {height} points high before anything is opened")
    v.page.screenshot(path=os.path.join(RUN, "report-phone-closed.png"), full_page=True)
    v.page.locator("nav a[href='#claims']").click()
    expect(v.page.locator("#C01")).to_be_visible()
    for where in ("closed", "open"):
        width = v.page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            fail(f"with its parts {where} the report is {width} points wide on a phone")
        v.page.evaluate("() => { for (const d of document.querySelectorAll('details')) d.open = true; }")
    readable(v, PHONE["width"])
    v.page.screenshot(path=os.path.join(RUN, "report-phone.png"))
    v.close()
