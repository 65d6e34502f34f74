"""Runs a notebook in a JupyterLab of its own, in a browser."""

import contextlib
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request

import nbformat
from playwright.sync_api import sync_playwright

KERNEL = "Go (Context Mover)"


@contextlib.contextmanager
def server(folder, log):
    """Starts JupyterLab in a folder; yields the address of a notebook and what asks the API."""
    token = secrets.token_hex(16)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    url = f"http://127.0.0.1:{port}"

    def get(path):
        request = urllib.request.Request(f"{url}/api/{path}", headers={"Authorization": f"token {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    with open(log, "w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
             "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True"],
            cwd=folder, stdout=out, stderr=out)
        try:
            deadline = time.monotonic() + 180
            while True:
                if process.poll() is not None:
                    raise RuntimeError(f"JupyterLab does not start; see {log}")
                with contextlib.suppress(OSError):  # nobody listens yet, or answers too late
                    get("status")
                    break
                if time.monotonic() > deadline:
                    raise RuntimeError(f"JupyterLab does not answer; see {log}")
                time.sleep(0.2)
            yield lambda name: f"{url}/lab/tree/{name}?token={token}", get
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def run_all(chromium, folder, name, pictures):
    """Opens a notebook, runs all its cells, saves it and takes pictures from top to
    bottom. Returns what was saved, the seconds that the cells took, and whether Tab
    completes: None where there is no gopls."""
    with server(folder, os.path.join(pictures, "lab.log")) as (address, get), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 1000})
        page.set_default_timeout(180_000)  # a busy machine draws slowly
        page.set_default_navigation_timeout(180_000)
        problems = []
        page.on("pageerror", lambda e: problems.append(str(e)))
        try:
            page.goto(address(name))
            panel = page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")
            panel.locator(".jp-CodeCell").first.wait_for()
            # The kernel of the document is found by its name.
            panel.locator(".jp-KernelName", has_text=KERNEL).wait_for()

            def idle():
                return any(k["execution_state"] == "idle" for k in get("kernels"))

            def until(done, seconds, what):
                deadline = time.monotonic() + seconds
                while not done():
                    if time.monotonic() > deadline:
                        raise RuntimeError(f"{name} in JupyterLab: {what} after {seconds} s")
                    page.wait_for_timeout(100)

            until(idle, 180, "the kernel is not ready")
            page.get_by_role("menuitem", name="Run", exact=True).click()
            page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
            started = time.monotonic()

            # Cells beyond the window are not on the page, so ask the server what is saved.
            def saved():
                page.keyboard.press("Control+s")
                page.wait_for_timeout(500)
                return nbformat.from_dict(get(f"contents/{name}?type=notebook")["content"])

            def executed():
                code = [c for c in saved().cells if c.cell_type == "code"]
                errors = [o for c in code for o in c.outputs if o.output_type == "error"]
                if problems or errors:
                    raise RuntimeError(f"{name} in JupyterLab: {problems or errors}")
                return idle() and all(c.execution_count for c in code)

            until(executed, 500, "not all cells are executed")
            seconds = time.monotonic() - started
            photograph(page, panel, pictures)
            return saved(), seconds, complete(page, panel) if os.path.exists("bin/jupyter/tools/gopls") else None
        except BaseException:
            page.screenshot(path=os.path.join(pictures, "failed.png"))
            raise
        finally:
            browser.close()


def photograph(page, panel, pictures):
    """Takes pictures of the notebook, window by window."""
    view = panel.locator(".jp-WindowedPanel-outer")
    view.evaluate("e => e.scrollTop = 0")
    for i in range(1, 100):
        page.wait_for_timeout(500)  # it draws what scrolls into view
        page.screenshot(path=os.path.join(pictures, f"lab-{i:02}.png"))
        if view.evaluate("e => { const top = e.scrollTop; e.scrollTop += 0.9 * e.clientHeight; return e.scrollTop == top }"):
            return


def complete(page, panel):
    """Tells whether Tab in a new last cell completes the name of a function."""
    panel.locator(".jp-Cell").last.click()
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.type("%%\ndisplay.Explan")
    for _ in range(20):  # gopls has to load the workspace first
        page.keyboard.press("Tab")
        page.wait_for_timeout(1500)
        text = panel.locator(".jp-Cell.jp-mod-active .cm-content").inner_text()
        if "display.Explanation" in text:
            return True
    return False
