"""Times POT and this library on the same problems, one after the other.

Called by `make bench-peers`, which installs POT and builds the program `peers`:

    python bench/pot.py PEERS

POT runs in float64 and in float32; the faster one that agrees counts. Both sides use all
processors. Prints a table in Markdown.
"""

import json
import subprocess
import sys
import time
import warnings

import numpy as np
import ot

REG = 0.1
ITERATIONS = 100
SECONDS, TIMES = 0.3, 5


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


def timed(f):
    f()
    seconds = []
    for _ in range(TIMES):
        calls, start = 0, time.perf_counter()
        while calls == 0 or time.perf_counter() - start < SECONDS:
            f()
            calls += 1
        seconds.append((time.perf_counter() - start) / calls)
    return sorted(seconds)[TIMES // 2]


def ours(peers, kind, cost, rows, pairs=(), groups=()):
    task = {
        "kind": kind, "k": len(cost), "cost": cost.ravel().tolist(), "rows": rows.ravel().tolist(),
        "reg": REG, "iterations": ITERATIONS, "pairs": pairs, "groups": groups,
        "seconds": SECONDS, "times": TIMES,
    }
    done = subprocess.run([peers], input=json.dumps(task), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    answer = json.loads(done.stdout)
    return answer["seconds"], np.array(answer["values"])


class Problem:
    """One line of the table: `count` units, solved by POT in a function of the type."""

    def __init__(self, name, unit, count, kind, cost, rows, solve, types, tolerance, pairs=(), groups=()):
        self.__dict__.update(locals())

    def run(self, peers):
        seconds, values = ours(peers, self.kind, self.cost, self.rows, self.pairs, self.groups)
        best = None
        for dtype in self.types:
            cost = self.cost.astype(dtype)
            # POT wants masses that sum to 1 in the type it computes with.
            rows = self.rows.astype(np.float64)
            rows = (rows / rows.sum(1, keepdims=True)).astype(dtype)
            theirs = np.asarray(self.solve(cost, rows)).reshape(values.shape)
            if self.kind == "barycenters":
                away = np.abs(theirs / theirs.sum(1, keepdims=True) - values).sum(1).max()
            else:
                away = np.abs(theirs / values - 1).max()
            if not away < self.tolerance:
                print(f"{self.name}: POT in {dtype.__name__} is {away:.1e} away", file=sys.stderr)
                continue
            t = timed(lambda: self.solve(cost, rows))
            if best is None or t < best[0]:
                best = t, dtype.__name__, away
        if best is None:
            sys.exit(f"{self.name}: no agreement with POT")
        t, dtype, away = best
        print(f"| {self.name} | {self.unit} | {self.count / t:,.0f} | {dtype} | {self.count / seconds:,.0f} | "
              f"{t / seconds:.1f} | {away:.0e} |", flush=True)


def problems():
    sinkhorn = dict(reg=REG, numItermax=ITERATIONS, stopThr=0, warn=False)
    both = (np.float64, np.float32)
    for k in (100, 300):
        cost, rows = world(k, 600, k, 1e-3)

        yield Problem(f"one pair, K = {k}", "distances", 1, "distances", cost, rows[:2],
                      lambda m, h: [ot.sinkhorn2(h[0], h[1], m, **sinkhorn)], both, 1e-4, pairs=[(0, 1)])
        n = 500
        yield Problem(f"one to {n}, K = {k}", "distances", n, "distances", cost, rows,
                      lambda m, h, n=n: ot.sinkhorn2(h[0], np.ascontiguousarray(h[1:n + 1].T), m, **sinkhorn),
                      both, 1e-4, pairs=[(0, i) for i in range(1, n + 1)])
        n = 200
        pairs = [(i, i + n) for i in range(n)]
        yield Problem(f"{n} pairs, one cost, K = {k}", "distances", n, "distances", cost, rows,
                      lambda m, h, pairs=pairs: [ot.sinkhorn2(h[i], h[j], m, **sinkhorn) for i, j in pairs],
                      both, 1e-4, pairs=pairs)
        if hasattr(ot, "solve_batch"):
            def batched(m, h, n=n):
                costs = np.broadcast_to(m, (n, *m.shape))
                return ot.solve_batch(costs, REG, h[:n], h[n:2 * n], max_iter=ITERATIONS, tol=0, method="sinkhorn").value_linear
            yield Problem(f"the same with ot.solve_batch, K = {k}", "distances", n, "distances", cost, rows,
                          batched, both, 1e-3, pairs=pairs)
        words, n = (25 if k == 100 else 12), 40
        groups = [[(g * words + i) % len(rows) for i in range(words)] for g in range(n)]
        yield Problem(f"{n} barycenters, {words} words, K = {k}", "barycenters", n, "barycenters", cost, rows,
                      lambda m, h, groups=groups: [
                          ot.bregman.barycenter(np.ascontiguousarray(h[g].T), m, REG, numItermax=ITERATIONS, stopThr=0, warn=False)
                          for g in groups], both, 1e-3, groups=groups)
    for k in (100, 300, 500):
        cost, rows = world(k, 40, k, 0)
        pairs = [(i, i + 20) for i in range(20)]
        # The network simplex of POT computes in float64.
        yield Problem(f"exact, K = {k}", "distances", 20, "exact", cost, rows,
                      lambda m, h, pairs=pairs: [ot.emd2(h[i], h[j], m) for i, j in pairs],
                      both[:1], 1e-6, pairs=pairs)


def main():
    warnings.filterwarnings("ignore")
    peers = sys.argv[1]
    print(f"POT {ot.__version__}, NumPy {np.__version__}; λ = {REG}, {ITERATIONS} iterations; medians of {TIMES}\n")
    print("| | | POT a second | in | ours a second | ratio | apart |")
    print("|:--|:--|--:|:--|--:|--:|--:|")
    for problem in problems():
        problem.run(peers)


if __name__ == "__main__":
    main()
