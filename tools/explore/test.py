"""Uses the page of repro explore as a person would: types a word, two, and texts, saves, searches, on a narrow screen,
with the keyboard, in the dark, and with mistakes."""

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import time
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
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        if process.wait(60) != 130:
            fail(f"after Ctrl-C repro explore ended with code {process.returncode}")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


class Explored(Page):
    """The page of repro explore."""

    def __init__(self, browser, address, by="by contexts", **settings):
        super().__init__(browser, address, **settings)
        self.settled()
        if by:
            self.page.get_by_label(by).check()
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
    said = float(command("distance", "--method", "average", "the dog sleeps in the barn", "a cat runs to the house zzyzx").split()[0])
    if abs(before - said) > 1e-4:
        fail(f"the page says {before}, the command {said}")
    expect(v.page.locator("[data-standing]")).to_contain_text("random pairs of texts")
    for name in ("sentences", "flow", "density"):
        expect(v.page.locator(f"[data-view={name}] svg")).to_have_count(1)
    v.picture("wide-light")
    v.accessible("light")

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
    if not any(re.search(r"dog: [\d.]+ % of the mass", t) for t in titles):
        fail(f"titles {titles}")

    # Mistakes, in plain words.
    for text, says in [("", "empty"), ("qqqq zzzz", "No word of the text"), ("dog " * 101, "has 101 words: expected at most 100"), ("eleefant", "Unknown word")]:
        v.fill("First word or text", text)
        expect(v.page.locator("[data-mistake=from]")).to_contain_text(says)
        expect(v.page.get_by_label("First word or text")).to_have_attribute("aria-invalid", "true")
        # Nothing of an earlier question is left, and nothing to copy.
        stale = v.page.locator(".cm-picture, [data-side] h2, .cm-command, .cm-shared").filter(visible=True).count()
        if stale or v.page.locator("[data-distance]").inner_text() != "–":
            fail(f"after the mistake {text!r} {stale} parts of an earlier answer are shown")
        if text.startswith("qqqq"):
            v.accessible("a mistake")
            v.picture("mistake")
    v.fill("First word or text", "dog")
    v.fill("Second word or text", "cat")
    expect(v.page.locator("[data-mistake=from]")).to_have_text("")
    expect(v.page.locator("[data-standing]")).to_contain_text("of the words nearest to")
    words(v)
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


def vectors(browser, address):
    """The page begins with one word and the method that scored best, and shows the similarity as the sum that it is."""
    v = Explored(browser, address, by=None, viewport={"width": 1280, "height": 1000})
    one(v)
    # Two words fill both halves: their contexts, and a map. Their one pair explains nothing.
    expect(v.page.locator(".cm-shared tbody tr")).to_have_count(12)
    expect(v.page.locator("[data-view=density] svg")).to_have_count(1)
    expect(v.page.locator("[data-sum]")).to_be_hidden()
    if not v.page.get_by_label("by vectors").is_checked():
        fail("the page does not begin with vectors")
    texts = ("the dog sleeps in the barn", "a cat runs to the house zzyzx")
    v.fill("First word or text", texts[0])
    v.fill("Second word or text", texts[1])
    said = float(command("distance", *texts).split()[0])
    if abs(v.distance() - said) > 1e-4:
        fail(f"the page says {v.distance()}, the command {said}")
    standing = v.page.locator("[data-standing]")
    for says in ("random pairs of texts", "negation and opposites are not seen", "vectors of their own", "zzyzx"):
        expect(standing).to_contain_text(says)
    rows = v.page.locator(".cm-sum tbody tr, .cm-sum tfoot tr").all_inner_texts()
    numbers = [float(row.split("\t")[2].replace("−", "-")) for row in rows]
    if "sum: the similarity" not in rows[-1] or abs(sum(numbers[:-1]) - numbers[-1]) > 0.001:
        fail(f"the parts do not add up: {rows}")
    explained = command(*shlex.split(v.page.locator("[data-command]").inner_text())[1:])
    for row in rows[:3]:
        if row.split("\t")[2] not in explained:
            fail(f"{row!r} is not in\n{explained}")
    expect(v.page.locator("[data-view=sentences] svg")).to_have_count(1)
    for hidden in ("[data-view=flow]", ".cm-shared"):
        expect(v.page.locator(hidden)).to_be_hidden()
    expect(v.page.locator("[data-side=to] .cm-near button")).to_have_count(10)
    v.picture("vectors-light")
    v.accessible("vectors")
    # Texts that no pair of words brings together have a sum all the same.
    v.fill("First word or text", "the man plays the guitar")
    v.fill("Second word or text", "zebra")
    expect(v.page.locator(".cm-sum tfoot tr")).to_have_count(2)
    v.fill("First word or text", texts[0])
    v.fill("Second word or text", texts[1])
    # Contexts are one choice away, and back; and what they are good for is said.
    v.page.get_by_label("by contexts").check()
    v.settled()
    expect(v.page.locator("[data-by=contexts]")).to_contain_text("which have to move")
    expect(v.page.locator("[data-view=flow] svg")).to_have_count(1)
    expect(v.page.locator("[data-sum]")).to_be_hidden()
    v.page.get_by_label("by vectors").check()
    v.settled()
    if abs(v.distance() - said) > 1e-4:
        fail(f"back at vectors the page says {v.distance()}")
    v.close()


def one(v):
    """One word has its neighbours, contexts and place; a press on a neighbour compares the two."""
    expect(v.page.get_by_label("Second word or text")).to_have_value("")
    for hidden in (".cm-distance", "[data-side=to]", ".cm-shared", "[data-sum]"):
        expect(v.page.locator(hidden)).to_be_hidden()
    expect(v.page.locator("[data-side=from] tbody tr")).to_have_count(5)
    expect(v.page.locator("[data-view=density] svg")).to_have_count(1)
    near = v.page.locator("[data-side=from] .cm-near button")
    told = command(*shlex.split(v.page.locator("[data-command]").inner_text())[1:])
    if near.all_inner_texts() != [line.split("\t")[1] for line in told.splitlines()]:
        fail(f"the page has the neighbours {near.all_inner_texts()}, the command\n{told}")
    v.picture("one")
    v.accessible("one word")
    name = near.first.inner_text()
    near.first.click()
    v.settled()
    expect(v.page.get_by_label("Second word or text")).to_have_value(name)
    expect(v.page.locator(".cm-distance")).to_be_visible()


def search(browser, address):
    """The sentences of a text are found as repro search finds them, and one is compared when it is pressed."""
    v = Explored(browser, address, by=None, viewport={"width": 1280, "height": 1000})
    v.page.get_by_role("button", name="Take an example").click()
    v.settled()
    text = v.page.get_by_label("Text to search").input_value()
    with open(os.path.join(RUN, "text.txt"), "w") as f:
        f.write(text)
    told = [line.split("\t") for line in command("search", "--in", "text.txt", "rock").splitlines()]
    rows = [row.split("\t") for row in v.page.locator(".cm-found tbody tr").all_inner_texts()]
    if len(rows) != len(text.splitlines()) or rows != [[distance, place.split(":")[1], sentence] for distance, place, sentence in told]:
        fail(f"the page finds {rows}, the command {told}")
    v.accessible("search")
    v.picture("search")
    sentence = v.page.locator(".cm-found button").first.inner_text()
    v.page.locator(".cm-found button").first.click()
    v.settled()
    expect(v.page.get_by_label("Second word or text")).to_have_value(sentence)
    if abs(v.distance() - float(rows[0][0])) > 1e-4:
        fail(f"{sentence!r} is found at {rows[0][0]} and compared at {v.distance()}")
    v.fill("Text to search", "zzyzx qqqq")
    expect(v.page.locator(".cm-found")).to_have_text("No sentence of the text has a known word.")
    # What cannot be searched is said, and the rest of the answer stays.
    v.fill("Text to search", "x" * 100_001)
    expect(v.page.locator("[data-mistake=text]")).to_contain_text("too long")
    expect(v.page.locator(".cm-distance strong")).not_to_have_text("–")
    v.close()


def words(v):
    """Two single words have their contexts side by side, instead of a picture of one word on each side."""
    expect(v.page.locator("[data-view=sentences]")).to_be_hidden()
    rows = v.page.locator(".cm-shared tbody tr")
    if rows.count() != 12:
        fail(f"{rows.count()} contexts side by side")
    # A bar is as long as the mass it tells.
    for name, k in (("first", 0), ("second", 2)):
        told = [(float(t.rstrip(" %")), w) for t, w in rows.locator(f".cm-{name} .cm-bar").evaluate_all(
            "all => all.map((b) => [b.textContent, parseFloat(getComputedStyle(b, '::before').width)])")]
        most = max(told)
        for share, width in told:
            if abs(width - most[1] * share / most[0]) > 2:
                fail(f"the bars of the {name} word: {told}")


def slow(browser, address):
    """What takes long says how far it is, and can be stopped."""
    v = Explored(browser, address, viewport={"width": 1280, "height": 1000})
    v.page.route("**/standing*", lambda route: None)  # held, so that a fast machine is not done before the button is seen
    v.page.get_by_label("Second word or text").fill("doctor")
    stop = v.page.get_by_role("button", name="Stop")
    stop.wait_for()
    expect(v.page.locator("[data-status]")).to_contain_text(re.compile(r"computing: \d of 6 answers"))
    v.picture("slow")
    stop.click()
    v.page.unroute("**/standing*")
    v.settled()
    expect(stop).to_be_hidden()
    expect(v.page.locator("[data-standing]")).to_contain_text("Stopped")
    v.fill("Second word or text", "music")
    expect(v.page.locator("[data-standing]")).to_contain_text("random pairs")
    v.close()


def silent(browser, address, process):
    """Ctrl-C ends the program at once, also with connections that say and read nothing."""
    host, port = address.removeprefix("http://").rstrip("/").split(":")
    connections = [socket.create_connection((host, int(port))) for _ in range(6)]
    request = f"GET /figure/flow.png?from=dog&to=music HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    for c in connections[2:]:
        c.sendall(40 * request)
    v = Explored(browser, address)  # the others are answered
    v.close()
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    if process.wait(60) != 130 or time.monotonic() - begun > 3:
        fail(f"Ctrl-C with silent connections: code {process.returncode} after {time.monotonic() - begun:.1f} s")


def keyboard(browser, address):
    """All can be reached by Tab, in the order of the page."""
    v = Explored(browser, address, viewport={"width": 1280, "height": 1000})
    v.page.get_by_role("button", name="a cat chased the mouse").click()
    v.settled()
    v.page.evaluate("document.activeElement.blur()")
    v.page.get_by_label("First word or text").focus()
    v.page.keyboard.press("Shift+Tab")
    seen = []
    for _ in range(60):
        v.page.keyboard.press("Tab")
        seen.append(v.page.evaluate("document.activeElement.name || document.activeElement.getAttribute('aria-label') || document.activeElement.textContent.slice(0, 30)"))
    for name in ["from", "Exchange the two texts", "to", "by", "text", "Save Word by word as SVG", "Copy the command for The plan between contexts"]:
        if name not in seen:
            fail(f"Tab does not reach {name}: {seen}")
    if seen[0] != "from":
        fail(f"Tab begins with {seen[0]}")
    v.close()


def dark(browser, address):
    v = Explored(browser, address, viewport={"width": 1280, "height": 1000}, color_scheme="dark")
    # White of pictures is the ground of the page.
    ground = v.page.evaluate("getComputedStyle(document.querySelector('.cm-picture svg')).filter")
    if "invert" not in ground:
        fail(f"pictures do not follow the dark theme: {ground}")
    v.picture("wide-dark")
    v.accessible("dark")
    v.fill("First word or text", "music")
    v.fill("Second word or text", "painting")
    v.picture("words-dark")
    v.accessible("two words, dark")
    v.close()


def narrow(browser, address):
    v = Explored(browser, address, viewport={"width": 360, "height": 740}, device_scale_factor=2, is_mobile=True, has_touch=True)
    width = v.page.evaluate("document.documentElement.scrollWidth")
    if width > 360:
        fail(f"on a phone the page is {width} points wide")
    v.picture("phone")
    v.accessible("phone")
    v.fill("First word or text", "music")
    v.fill("Second word or text", "painting")
    width = v.page.evaluate("document.documentElement.scrollWidth")
    if width > 360:
        fail(f"with two words the page is {width} points wide on a phone")
    v.picture("words-phone")
    v.close()


def main():
    shutil.rmtree(RUN, ignore_errors=True)
    os.makedirs(RUN)
    with explore() as (address, process), sync_playwright() as p:
        browser = p.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
        port = address.rstrip("/").rpartition(":")[2]
        again = subprocess.run([REPRO, "explore", "--port", port], cwd=RUN, text=True, capture_output=True)
        if again.returncode != 2 or "name another" not in again.stderr:
            fail(f"a port in use: code {again.returncode}, {again.stderr}")
        for part in (vectors, wide, search, slow, keyboard, dark, narrow):
            part(browser, address)
        # A page that outlives the program says so.
        v = Explored(browser, address)
        process.send_signal(signal.SIGINT)
        process.wait(60)
        v.page.get_by_label("First word or text").fill("horse")
        expect(v.page.locator("[data-mistake='']")).to_contain_text("repro explore has ended")
        with explore() as (address, process):
            silent(browser, address, process)
        report.use(browser)
        browser.close()
    print("look at bin/explore/run")


main()
