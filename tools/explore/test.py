"""Uses the page of repro explore as a person would: types, moves the slider, saves, on a narrow screen, with the
keyboard, in the dark, and with mistakes."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import xml.etree.ElementTree as xml

from playwright.sync_api import expect, sync_playwright

import report
from page import REPRO, RUN, Page, fail


@contextlib.contextmanager
def explore(*flags):
    """Starts repro explore; yields its address and the process. Ctrl-C ends it without complaint."""
    process = subprocess.Popen([REPRO, "explore", *flags], cwd=RUN, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        yield line.split("\t")[0], process
        process.send_signal(signal.SIGINT)
        if process.wait(60) != 0:
            fail(f"after Ctrl-C repro explore ended with code {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


class Explored(Page):
    """The page of repro explore."""

    def __init__(self, browser, address, **settings):
        super().__init__(browser, address, **settings)
        self.settled()

    def settled(self):
        """Waits until all is computed."""
        expect(self.page.locator(".cm-explore")).to_have_attribute("aria-busy", "false", timeout=120_000)

    def distance(self):
        return float(self.page.locator("[data-distance]").inner_text())

    def fill(self, label, text):
        self.page.get_by_label(label).fill(text)
        self.settled()


def save(view, kind):
    with view.page.expect_download() as download:
        view.page.get_by_role("button", name=f"Save Word by word as {kind}").click()
    path = os.path.join(RUN, download.value.suggested_filename)
    download.value.save_as(path)
    with open(path, "rb") as f:
        return f.read()


def command(*args):
    done = subprocess.run([REPRO, *args], cwd=RUN, text=True, capture_output=True)
    if done.returncode != 0:
        fail(f"{args}: {done.stderr}")
    return done.stdout


def wide(browser, address):
    v = Explored(browser, address, viewport={"width": 1280, "height": 1000})
    v.fill("First word or text", "the dog sleeps in the barn")
    v.fill("Second word or text", "a cat runs to the house zzyzx")
    expect(v.page.locator("[data-unknown]")).to_have_text("Unknown words, left out: zzyzx")
    before = v.distance()
    said = float(command("distance", "the dog sleeps in the barn", "a cat runs to the house zzyzx").split()[0])
    if abs(before - said) > 1e-4:
        fail(f"the page says {before}, the command {said}")
    expect(v.page.locator("[data-standing]")).to_contain_text("random pairs of texts")
    for name in ("sentences", "flow", "density"):
        expect(v.page.locator(f"[data-view={name}] svg")).to_have_count(1)
    v.picture("wide-light")
    v.accessible("light")

    # The slider, with the keyboard.
    slider = v.page.get_by_role("slider")
    slider.focus()
    for _ in range(6):
        v.page.keyboard.press("ArrowLeft")
    v.settled()
    if slider.get_attribute("aria-valuetext") != "λ 0.05" or v.distance() == before:
        fail(f"{slider.get_attribute('aria-valuetext')}: distance {v.distance()}")
    v.page.get_by_label("debiased barycenter").check()
    v.settled()

    # What is saved is what is seen, and the command makes the same.
    svg = save(v, "SVG")
    texts = [e.text for e in xml.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]
    if "dog" not in texts or "zzyzx" not in texts:
        fail(f"the saved picture has the words {texts}")
    if not save(v, "PDF").startswith(b"%PDF") or not save(v, "PNG").startswith(b"\x89PNG"):
        fail("PDF or PNG is none")
    line = v.page.locator("[data-view=sentences] code").inner_text()
    shutil.move(os.path.join(RUN, "sentences.svg"), os.path.join(RUN, "saved.svg"))
    command(*shlex.split(line)[1:])
    made = open(os.path.join(RUN, "sentences.svg"), "rb").read()
    # The file of the command names the profile or folder as commands do.
    if texts != [e.text for e in xml.fromstring(made).iter("{http://www.w3.org/2000/svg}text")]:
        fail(f"{line}\nmakes another picture")
    explained = v.page.locator("[data-command]").inner_text()
    if f"{v.distance():.4g}" not in command(*shlex.split(explained)[1:]):
        fail(f"{explained}\ntells another distance than {v.distance()}")

    # The pointer is told numbers.
    titles = v.page.locator("[data-view=sentences] svg g > title").all_text_contents()
    if not any(re.search(r"dog: brings [\d.]+ % of the mass", t) for t in titles):
        fail(f"titles {titles}")

    # Mistakes, in plain words.
    for text, says in [("", "empty"), ("qqqq zzzz", "No word of the text"), ("dog " * 101, "has 101 words: expected at most 100"), ("eleefant", "Unknown word")]:
        v.fill("First word or text", text)
        expect(v.page.locator("[data-mistake=from]")).to_contain_text(says)
        expect(v.page.get_by_label("First word or text")).to_have_attribute("aria-invalid", "true")
        if text.startswith("qqqq"):
            v.accessible("a mistake")
            v.picture("mistake")
    v.fill("First word or text", "dog")
    v.fill("Second word or text", "cat")
    expect(v.page.locator("[data-mistake=from]")).to_have_text("")
    expect(v.page.locator("[data-standing]")).to_contain_text("of the words nearest to")
    # A neighbour becomes the text; fast typing ends with the last answer.
    v.page.locator("[data-side=from] .cm-near button").first.click()
    v.settled()
    if v.page.get_by_label("First word or text").input_value() == "dog":
        fail("a neighbour is not taken")
    box = v.page.get_by_label("First word or text")
    box.fill("")
    box.press_sequentially("the dog and the horse", delay=15)
    v.settled()
    expect(v.page.locator("[data-side=from] h2")).to_have_text("the dog and the horse")
    v.close()


def keyboard(browser, address):
    """All can be reached by Tab, in the order of the page."""
    v = Explored(browser, address, viewport={"width": 1280, "height": 1000})
    seen = []
    for _ in range(40):
        v.page.keyboard.press("Tab")
        seen.append(v.page.evaluate("document.activeElement.name || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 30)"))
    for name in ["from", "Exchange the two texts", "to", "reg", "sentences", "Save Word by word as SVG", "Copy the command for The plan between contexts"]:
        if name not in seen:
            fail(f"Tab does not reach {name}: {seen}")
    if seen[0] != "from":
        fail(f"Tab begins with {seen[0]}")
    v.close()


def dark(browser, address):
    v = Explored(browser, address, viewport={"width": 1280, "height": 1000}, color_scheme="dark")
    v.picture("wide-dark")
    v.accessible("dark")
    v.close()


def narrow(browser, address):
    v = Explored(browser, address, viewport={"width": 360, "height": 740}, device_scale_factor=2, is_mobile=True, has_touch=True)
    width = v.page.evaluate("document.documentElement.scrollWidth")
    if width > 360:
        fail(f"on a phone the page is {width} points wide")
    v.picture("phone")
    v.accessible("phone")
    v.close()


def main():
    shutil.rmtree(RUN, ignore_errors=True)
    os.makedirs(RUN)
    with explore() as (address, process), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        port = address.rstrip("/").rpartition(":")[2]
        again = subprocess.run([REPRO, "explore", "--port", port], cwd=RUN, text=True, capture_output=True)
        if again.returncode != 2 or "another program has this port" not in again.stderr:
            fail(f"a port in use: code {again.returncode}, {again.stderr}")
        for part in (wide, keyboard, dark, narrow):
            part(browser, address)
        # A page that outlives the program says so.
        v = Explored(browser, address)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        v.page.get_by_label("First word or text").fill("horse")
        expect(v.page.locator("[data-mistake='']")).to_contain_text("repro explore has ended")
        report.use(browser)
        browser.close()
    print("look at bin/explore/run")


main()
