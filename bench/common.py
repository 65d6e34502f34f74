"""What bench/peers.py and bench/exact.py share: problems, this library's side of them, and the comparison.

Importing it ties the process, and those it starts, to one processor. So it comes before every library that starts
threads when it is imported.
"""

import json
import os
import subprocess
import sys
import time

if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402

REG = 0.1
PENALTY = 1.0  # of unbalanced transport
PRICE = 0.4  # of partial transport
ITERATIONS = 100
SECONDS, TIMES = 0.2, 5

header = f"""one processor; medians of {TIMES} turns (one, if a call takes seconds)

| | | theirs per second | in | ours per second | ratio | apart |
|:--|:--|--:|:--|--:|--:|--:|"""


def world(k, n, seed, least):
    """Costs between random points, in units of the median, and histograms with most mass
    in a third of the bins, as words have. The others have `least`, relative: POT's
    Sinkhorn divides by the masses and cannot take bins without."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(k, 20))
    cost = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    cost = (cost / np.median(cost)).astype(np.float32)
    rows = rng.exponential(size=(n, k)) * (rng.random((n, k)) < 1 / 3)
    rows[np.arange(n), np.arange(n) % k] += 0.1
    rows += least
    rows = (rows / rows.sum(1, keepdims=True)).astype(np.float32)
    return cost, rows


def seconds(f):
    """How long a call takes, from as many as fill SECONDS."""
    calls, start = 0, time.perf_counter()
    while calls == 0 or time.perf_counter() - start < SECONDS:
        f()
        calls += 1
    return (time.perf_counter() - start) / calls


def ours(peers, kind, cost, rows, pairs=(), groups=(), reg=REG, penalty=0.0, error=0.0):
    task = {
        "kind": kind, "k": cost.shape[-1], "cost": cost.ravel().tolist(), "rows": rows.ravel().tolist(),
        "reg": reg, "iterations": ITERATIONS, "pairs": pairs, "groups": groups, "seconds": SECONDS, "penalty": penalty,
        "error": error,
    }
    done = subprocess.run([peers, "ot"], input=json.dumps(task), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return answer["seconds"], np.array(answer["values"])


def compare(peers, name, count, kind, cost, rows, solvers, tolerance, pairs=(), groups=(), **settings):
    """Prints a line for each of the solvers, (name, solve, types), of `count` problems."""
    for peer, solve, types in solvers:
        _, values = ours(peers, kind, cost, rows, pairs, groups, **settings)
        best = None
        for dtype in types:
            m = cost.astype(dtype)
            # POT wants masses that sum to 1 in the type it computes with.
            h = rows.astype(np.float64)
            h = (h / h.sum(1, keepdims=True)).astype(dtype)
            start = time.perf_counter()
            theirs = np.asarray(solve(m, h)).reshape(values.shape)
            times = 1 if time.perf_counter() - start > 4 else TIMES
            if kind == "barycenters":
                away = np.abs(theirs / theirs.sum(1, keepdims=True) - values).sum(1).max()
            else:
                away = np.abs(theirs / values - 1).max()
            if not away < tolerance:
                print(f"{name}: {peer} in {dtype.__name__} is {away:.1e} away", file=sys.stderr)
                continue
            # Turn by turn, so that what else the machine does meets both.
            turns = [(seconds(lambda: solve(m, h)), ours(peers, kind, cost, rows, pairs, groups, **settings)[0]) for _ in range(times)]
            t, mine, ratio = np.median([(a, b, a / b) for a, b in turns], axis=0)
            if best is None or t < best[0]:
                best = t, mine, ratio, dtype.__name__, away
        if best is None:
            sys.exit(f"{name}: no agreement with {peer}")
        t, mine, ratio, dtype, away = best
        print(f"| {name} | {peer} | {count / t:,.0f} | {dtype} | {count / mine:,.0f} | {ratio:.3g} | {away:.0e} |", flush=True)
