"""Executes the notebooks headless, by nbconvert and in JupyterLab, and compares."""

import glob
import os
import re
import shutil
import subprocess
import sys
import time

import nbformat

import lab

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
RUN = os.path.join(ROOT, "bin", "jupyter", "run")
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
    done, _ = run(sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", os.path.join(RUN, "html"), path)
    # nbconvert has no way to give an SVG image an alternative text, and says so; the
    # caption below a figure has it.
    said = re.sub(r".*WARNING \| Alternative text is missing on .*\n", "", done.stderr)
    if re.search("warning|error", said, re.IGNORECASE):
        sys.exit(f"test-jupyter: {path}: rendering warns:\n{done.stderr}")
    return notebook


def idle_cells(name, count):
    """Writes a notebook of cells that do nothing but reach the kernel."""
    cells = [nbformat.v4.new_code_cell("%noautoget") for _ in range(count)]
    kernel = {"name": "contextmover", "display_name": lab.KERNEL, "language": "go"}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), os.path.join(RUN, name + ".ipynb"))


def headless(name):
    return run(REPRO, "notebooks", os.path.join(RUN, name + ".ipynb"), "--store", STORE)[1]


def nbconvert(name):
    return run(sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute",
               "--ExecutePreprocessor.iopub_timeout=60",
               "--output-dir", os.path.join(RUN, "nbconvert"), name + ".ipynb",
               env=os.environ | {"CONTEXTMOVER_ALONE": "1"})[1]  # as repro notebooks sets it: nobody explores


def main():
    shutil.rmtree(RUN, ignore_errors=True)
    os.makedirs(os.path.join(RUN, "pictures"))
    os.environ.update(CONTEXTMOVER_STORE=STORE)
    names = []
    for path in sorted(glob.glob(os.path.join(ROOT, "notebooks", "*.ipynb"))):
        shutil.copy(path, RUN)
        names.append(os.path.basename(path).removesuffix(".ipynb"))
    for experiment in ("sts", "hypernymy", "wordsim", "clusters", "figures", "qualitative"):  # all are timed warm
        run(REPRO, "run", experiment, "--store", STORE)

    print(f"{'notebook':12} {'code cells':>10} {'headless':>10} {'nbconvert':>10}")
    ours = {}
    for name in names:
        quick, slow = headless(name), nbconvert(name)
        ours[name] = check(os.path.join(RUN, "executed", "mini", name + ".ipynb"))
        theirs = nbformat.read(os.path.join(RUN, "nbconvert", name + ".ipynb"), as_version=4)
        compare(name, "nbconvert's", ours[name], theirs)
        print(f"{name:12} {len(outputs(theirs)):10} {quick:8.1f} s {slow:8.1f} s", flush=True)

    # What is left where nothing is compiled or computed.
    few, many = 1, 1001
    idle_cells("few", few)
    idle_cells("many", many)
    for execute in (headless, nbconvert):
        execute("few")
    seconds = [[min(execute(name) for _ in range(3)) for execute in (headless, nbconvert)] for name in ("few", "many")]
    print(f"{'start and end':23} {seconds[0][0]:8.1f} s {seconds[0][1]:8.1f} s")
    print(f"{'idle cell':23} " + " ".join(f"{1000 * (b - a) / (many - few):7.1f} ms" for a, b in zip(*seconds)), flush=True)

    theirs, seconds, completes = lab.run_all(os.environ["CHROMIUM"], RUN, "sts.ipynb", os.path.join(RUN, "pictures"))
    compare("sts", "JupyterLab's", ours["sts"], theirs)
    print(f"JupyterLab ran all cells of sts in {seconds:.1f} s; look at bin/jupyter/run/pictures")
    if completes is None:
        print("there is no gopls: completion was not tried")
    elif not completes:
        sys.exit("test-jupyter: Tab in JupyterLab does not complete the name of a function, although gopls is there")


main()
