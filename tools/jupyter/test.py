"""Executes the notebooks headless, by nbconvert and in JupyterLab, and compares."""

import glob
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time

import nbformat

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RUN = os.path.join(ROOT, "bin", "jupyter", "run")
VENV = os.path.join(ROOT, "bin", "jupyter", "venv", "bin")
REPRO = os.path.join(ROOT, "bin", "repro")
STORE = os.path.join(ROOT, "bin", "jupyter", "store")


def run(*command, cwd=RUN, **kw):
    started = time.monotonic()
    done = subprocess.run(command, cwd=cwd, text=True, capture_output=True, **kw)
    if done.returncode != 0:
        sys.exit(f"test-jupyter: {' '.join(command)} failed ({done.returncode})\n{done.stdout}\n{done.stderr}")
    return done, time.monotonic() - started


def outputs(notebook):
    """What a reader sees of each code cell, without what Jupyter adds."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        shown = []
        for o in cell.outputs:
            if o.output_type == "stream":
                shown.append((o.name, o.text))
            elif o.output_type == "error":
                shown.append(("error", o.evalue))
            elif any(form != "" for form in o.data.values()):  # a progress bar at its end
                shown.append(sorted(o.data.items()))
        cells.append(shown)
    return cells


def compare(name, what, ours, theirs):
    for i, (a, b) in enumerate(zip(outputs(ours), outputs(theirs), strict=True)):
        if a != b:
            sys.exit(f"test-jupyter: {name}: code cell {i + 1} differs from {what}:\n{a}\n{b}"[:4000])


def check(path):
    """An executed copy is valid, laid out as Jupyter does, and renders."""
    with open(path, encoding="utf-8") as f:
        text = f.read()
    notebook = nbformat.reads(text, as_version=4)
    nbformat.validate(notebook)
    if nbformat.writes(notebook) + "\n" != text:
        sys.exit(f"test-jupyter: {path}: nbformat would write it otherwise")
    done, _ = run(os.path.join(VENV, "jupyter"), "nbconvert", "--to", "html", "--output-dir", os.path.join(RUN, "html"), path)
    # nbconvert has no way to give an SVG image an alternative text, and says so; the
    # caption below a figure has it.
    said = re.sub(r".*WARNING \| Alternative text is missing on .*\n", "", done.stderr)
    if re.search("warning|error", said, re.IGNORECASE):
        sys.exit(f"test-jupyter: {path}: rendering warns:\n{done.stderr}")
    return notebook


def headless(name):
    _, seconds = run(REPRO, "notebooks", os.path.join(RUN, name + ".ipynb"), "--store", STORE, "--html")
    return check(os.path.join(RUN, "executed", "mini", name + ".ipynb")), seconds


def lab(name):
    """Runs all cells in JupyterLab and returns what it saved."""
    token = secrets.token_hex(16)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    log = open(os.path.join(RUN, "lab.log"), "w")
    server = subprocess.Popen(
        [os.path.join(VENV, "jupyter"), "lab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
         f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={RUN}"],
        cwd=RUN, stdout=log, stderr=log)
    try:
        browser = os.path.join(ROOT, "tools", "jupyter", "browser.cjs")
        done, seconds = run("node", browser, f"http://127.0.0.1:{port}", token, name + ".ipynb", os.path.join(RUN, "lab.png"),
                            timeout=600, env=os.environ | {"NODE_PATH": os.path.join(ROOT, "bin/jupyter/node/node_modules")})
        print(done.stdout, end="")
    finally:
        server.terminate()
        server.wait(30)
    return nbformat.read(os.path.join(RUN, name + ".ipynb"), as_version=4), seconds


def main():
    shutil.rmtree(RUN, ignore_errors=True)
    os.makedirs(RUN)
    os.environ.update(CONTEXTMOVER_STORE=STORE, CONTEXTMOVER_PROFILE="mini")
    names = []
    for path in sorted(glob.glob(os.path.join(ROOT, "notebooks", "*.ipynb"))):
        shutil.copy(path, RUN)
        names.append(os.path.basename(path).removesuffix(".ipynb"))
    run(REPRO, "run", "all", "--store", STORE)  # all are timed warm
    print(f"{'notebook':12} {'cells':>5} {'headless':>10} {'nbconvert':>10}")
    ours = {}
    for name in names:
        ours[name], quick = headless(name)
        _, slow = run(os.path.join(VENV, "jupyter"), "nbconvert", "--to", "notebook", "--execute",
                      "--output-dir", os.path.join(RUN, "nbconvert"), name + ".ipynb")
        theirs = nbformat.read(os.path.join(RUN, "nbconvert", name + ".ipynb"), as_version=4)
        compare(name, "nbconvert's", ours[name], theirs)
        print(f"{name:12} {len(outputs(theirs)):5} {quick:8.1f} s {slow:8.1f} s", flush=True)
    theirs, seconds = lab("sts")
    compare("sts", "JupyterLab's", ours["sts"], theirs)
    print(f"JupyterLab ran sts in {seconds:.1f} s, server's start included; see bin/jupyter/run/lab.png")


main()
