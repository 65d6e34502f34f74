"""Uses display.Explore in a notebook in JupyterLab, as a person would: types, moves the slider, ends the cell."""

import os
import re
import sys

import nbformat
from playwright.sync_api import expect, sync_playwright

import lab

CELLS = [
    '!*rm -f go.work; go work init . "$(cd "$GONB_DIR"; GOWORK=off go list -m -f {{.Dir}})"\n%noautoget',
    'import "contextmover/experiments/display"\n\nvar (\n\tctx = display.Context()\n\tspace = display.Space(ctx, display.Open("mini"))\n)',
    "%%\ndisplay.Explore(ctx, space)",
]


def write(folder):
    """Writes the notebook and returns its name."""
    kernel = {"name": "contextmover", "display_name": lab.KERNEL, "language": "go"}
    name = "explore.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS], metadata={"kernelspec": kernel}), os.path.join(folder, name))
    return name


def use(chromium, folder, pictures):
    """Explores in a browser, in the light and the dark theme, and returns what is left in the notebook."""
    name = write(folder)
    with lab.server(folder, os.path.join(pictures, "explore.log")) as (address, get), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 1700})
        page.set_default_timeout(180_000)  # a busy machine is slow
        outside = []
        page.on("request", lambda r: re.match(r"(http|ws)://127\.0\.0\.1:|data:|blob:", r.url) or outside.append(r.url))
        try:
            page.goto(address(name))
            panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
            panel.locator(".jp-KernelName", has_text=lab.KERNEL).wait_for()
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
            view = panel.locator(".cm-explore")
            distance = view.locator("[data-distance]")

            def settled():
                page.wait_for_timeout(400)
                expect(view).to_have_attribute("aria-busy", "false", timeout=180_000)
                return distance.inner_text()

            view.wait_for()
            before = settled()
            view.get_by_label("First word or text").fill("the horse runs in the rain")
            typed = settled()
            slider = view.get_by_role("slider")
            slider.focus()
            for _ in range(4):
                page.keyboard.press("ArrowLeft")
            moved = settled()
            if len({before, typed, moved}) < 3:
                sys.exit(f"explore: distances {before}, {typed} after typing, {moved} after moving λ")
            for picture in ("sentences", "flow", "density"):
                expect(view.locator(f"[data-view={picture}] svg")).to_have_count(1)
            with page.expect_download() as download:
                view.get_by_role("button", name="Save Word by word as PDF").click()
            with open(download.value.path(), "rb") as f:
                if not f.read().startswith(b"%PDF"):
                    sys.exit("explore: the saved PDF is none")
            page.screenshot(path=os.path.join(pictures, "explore-light.png"))
            page.get_by_role("menuitem", name="Settings", exact=True).click()
            page.get_by_role("menuitem", name="Theme", exact=True).hover()
            page.get_by_role("menuitemcheckbox", name="JupyterLab Dark", exact=True).or_(page.get_by_role("menuitem", name="JupyterLab Dark", exact=True)).first.click()
            page.locator("body[data-jp-theme-light=false]").wait_for()
            page.screenshot(path=os.path.join(pictures, "explore-dark.png"))
            view.get_by_role("button", name="End this cell").click()
            still = panel.locator(".jp-OutputArea-output", has_text="Run the cell to explore")
            still.wait_for()
            expect(still).to_contain_text("the horse runs in the rain")
            page.screenshot(path=os.path.join(pictures, "explore-ended.png"))
            page.keyboard.press("Control+s")
            page.wait_for_timeout(2000)
            if outside:
                sys.exit(f"explore: requests to {outside}")
            return nbformat.from_dict(get(f"contents/{name}?type=notebook")["content"])
        except BaseException:
            page.screenshot(path=os.path.join(pictures, "explore-failed.png"))
            raise
        finally:
            browser.close()
