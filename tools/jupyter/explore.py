"""Uses display.Explore in a notebook in JupyterLab, as a person would: types, searches, waits, ends the cell; also where
GoNB's channel is lost."""

import os
import re
import subprocess
import sys
import time

import nbformat
from playwright.sync_api import expect, sync_playwright

import lab

CELLS = [
    "%noautoget",
    'import "contextmover/experiments/display"\n\nvar (\n\tctx = display.Context()\n\tspace = display.Space(ctx, "english")\n)',
    "%%\ndisplay.Explore(ctx, space)",
    '!echo "the next cell"',
]
FROM, TO = "First word or text", "Second word or text"


def use(chromium, folder, pictures, repro):
    """Explores in the light and the dark theme; returns the number of answers that were compared with the command's."""
    kernel = {"name": "contextmover", "display_name": lab.KERNEL, "language": "go"}
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in CELLS], metadata={"kernelspec": kernel}), os.path.join(folder, "explore.ipynb"))

    def fail(what):
        sys.exit(f"test-jupyter: explore: {what}")

    with lab.server(folder, os.path.join(pictures, "explore.log")) as (address, get), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 2100})
        page.set_default_timeout(300_000)  # a busy machine is slow
        page.set_default_navigation_timeout(300_000)
        outside, problems, compared = [], [], 0
        page.on("request", lambda r: re.match(r"(http|ws)://127\.0\.0\.1:|data:|blob:", r.url) or outside.append(r.url))
        page.on("pageerror", lambda e: problems.append(str(e)))
        try:
            page.goto(address("explore.ipynb"))
            panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
            panel.locator(".jp-KernelName", has_text=lab.KERNEL).wait_for()
            # A kernel that is not ready yet runs nothing of what it is told.
            deadline = time.monotonic() + 180
            while not any(k["execution_state"] == "idle" for k in get("kernels")):
                if time.monotonic() > deadline:
                    fail("the kernel is not ready after three minutes")
                page.wait_for_timeout(200)
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
            view = panel.locator(".cm-explore")
            view.wait_for()
            # Not before it has begun, which it tells by its first answer.
            expect(view.locator("[data-command]")).not_to_be_empty(timeout=300_000)

            def settled():
                expect(view).to_have_attribute("aria-busy", "false", timeout=300_000)
                return view.locator("[data-distance]").inner_text()

            def command():
                """What the command that the page names says."""
                line = view.locator("[data-command]").inner_text().removeprefix("repro ")
                done = subprocess.run(f"'{repro}' {line}", shell=True, text=True, capture_output=True)
                if done.returncode != 0:
                    fail(f"{line}: {done.stderr}")
                return done.stdout

            def ask(label, text, wait):
                nonlocal compared
                page.wait_for_timeout(wait)
                view.get_by_label(label).fill(text)
                page.wait_for_timeout(300)  # what is typed is asked a little later
                distance = settled()
                if distance not in command():
                    fail(f"after {wait} ms: {text!r}: distance {distance}, but\n{command()}")
                compared += 1
                return distance

            if view.locator(".cm-distance").is_visible():
                fail("one word has a distance")
            view.get_by_label(TO).fill("a song")
            before = ask(FROM, "the man plays the guitar", 0)
            # GoNB asks whether its channel lives where it has heard nothing for a second.
            for i, wait in enumerate((0, 1500, 4000, 0, 9000)):
                ask(TO, ["a musician makes music", "dogs sleep in the garden", "zebra", "a song", "the musician makes music at night"][i], wait)
            # Neither does it matter that the browser is busy for a while, nor that the channel is gone.
            page.evaluate("() => { const end = Date.now() + 3000; while (Date.now() < end); }")
            ask(TO, "rain and snow", 0)
            page.evaluate("() => globalThis.gonb_comm?.close(1000, 'test')")
            ask(TO, "a musician makes music", 1500)
            ask(FROM, "the man plays the guitar in the garden", 1500)

            view.get_by_label("by contexts").check()
            page.wait_for_timeout(300)
            if settled() == before or settled() not in command():
                fail(f"by contexts the distance is {settled()}, and the command says\n{command()}")
            view.get_by_role("button", name="Take an example").click()
            page.wait_for_timeout(300)
            settled()
            expect(view.locator(".cm-found tbody tr")).to_have_count(6)
            for picture in ("sentences", "flow", "density"):
                expect(view.locator(f"[data-view={picture}] svg")).to_have_count(1)
            for side in ("from", "to"):
                expect(view.locator(f"[data-side={side}] .cm-near button")).to_have_count(10)
            with page.expect_download() as download:
                view.get_by_role("button", name="Save Word by word as PDF").click()
            with open(download.value.path(), "rb") as f:
                if not f.read().startswith(b"%PDF"):
                    fail("the saved PDF is none")
            view.get_by_label(FROM).fill("qqqq zzzz")
            expect(view.locator("[data-mistake=from]")).to_contain_text("No word of the text", timeout=300_000)
            ask(FROM, "the man plays the guitar", 0)
            # An earlier run may have left the dark one.
            page.evaluate("() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Light'})")
            page.locator("body[data-jp-theme-light=true]").wait_for(state="attached")
            page.wait_for_timeout(1000)
            page.screenshot(path=os.path.join(pictures, "explore-light.png"))

            page.evaluate("() => jupyterapp.commands.execute('apputils:change-theme', {theme: 'JupyterLab Dark'})")
            page.locator("body[data-jp-theme-light=false]").wait_for(state="attached")
            page.wait_for_timeout(1000)
            page.screenshot(path=os.path.join(pictures, "explore-dark.png"))

            last = settled()
            end = view.get_by_role("button", name="End this cell")
            if end.bounding_box()["y"] > view.get_by_label(FROM).bounding_box()["y"]:
                fail("the button that ends the cell is below what it ends")
            page.set_viewport_size({"width": 1300, "height": 900})
            end.scroll_into_view_if_needed()
            end.click()
            panel.locator(".jp-OutputArea-output", has_text="nearest to the man plays the guitar").wait_for()
            expect(panel).to_contain_text(last)
            expect(panel.locator(".jp-OutputArea-output", has_text="the next cell")).to_have_count(1)
            if view.count():
                fail("the page stays after its end")
            page.wait_for_timeout(2000)
            page.screenshot(path=os.path.join(pictures, "explore-ended.png"))
            # The notebook shows what stays, not where the page was.
            kept = panel.locator(".jp-OutputArea-output", has_text="nearest to the man plays the guitar").bounding_box()
            if not kept or not -200 < kept["y"] < 700:
                fail(f"what stays is out of sight: {kept}")
            page.keyboard.press("Control+s")
            page.wait_for_timeout(2000)
            kept = str(nbformat.from_dict(get("contents/explore.ipynb?type=notebook")["content"]).cells[2].outputs)
            if "<script" in kept or last not in kept:
                fail(f"the notebook keeps {kept[:2000]}")
            if outside or problems:
                fail(f"requests to {outside}; errors {problems}")

            # Whoever leaves the page ends the cell: the kernel waits for nobody.
            panel.locator(".jp-CodeCell").nth(2).locator(".cm-content").click()
            page.keyboard.press("Control+Enter")
            expect(panel.locator(".cm-explore [data-command]")).not_to_be_empty(timeout=300_000)
            if all(k["execution_state"] == "idle" for k in get("kernels")):
                fail("the kernel is idle while the page is there")
            page.close()
            deadline = time.monotonic() + 60
            while any(k["execution_state"] != "idle" for k in get("kernels")):
                if time.monotonic() > deadline:
                    fail("the kernel is still busy a minute after the page was left")
                time.sleep(1)
            return compared
        except BaseException:
            if not page.is_closed():
                page.screenshot(path=os.path.join(pictures, "explore-failed.png"))
            raise
        finally:
            browser.close()


if __name__ == "__main__":  # this part of the test alone: explore.py FOLDER
    os.makedirs(sys.argv[1], exist_ok=True)
    print(use(os.environ["CHROMIUM"], os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[1]), os.path.abspath("bin/repro")))
