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


def use(browser):
    path = os.path.join(RUN, "report.html")
    made = subprocess.run([REPRO, "report", "--profile", "open", "--results", os.path.join(RUN, "none"), "--out", path], cwd=ROOT, text=True, capture_output=True)
    if made.returncode != 0:
        fail(made.stderr)
    address = pathlib.Path(path).as_uri()
    v = Page(browser, address, viewport=WIDE)
    for part in (filters, sorts, links):
        part(v)
    v.accessible("report, light")
    v.close()
    v = Page(browser, address, viewport=WIDE, color_scheme="dark")
    v.page.screenshot(path=os.path.join(RUN, "report-dark.png"))
    v.accessible("report, dark")
    v.close()
    v = Page(browser, address, viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)
    for where in ("closed", "open"):
        width = v.page.evaluate("document.documentElement.scrollWidth")
        if width > PHONE["width"]:
            fail(f"with its parts {where} the report is {width} points wide on a phone")
        v.page.evaluate("() => { for (const d of document.querySelectorAll('details')) d.open = true; }")
    v.page.screenshot(path=os.path.join(RUN, "report-phone.png"))
    v.close()
