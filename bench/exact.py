"""Times exact transport, and entropic transport solved until it has converged, beside the fastest programs for each.

    python bench/exact.py PEERS [exact] [converged]

They are `wasserstein` (C++, exact) and RegOT (sparse Newton methods), besides POT. `wasserstein` needs NumPy 1, which
JAX does not run with, so these have an environment of their own. All compute in float64 on one processor. None of them
takes several problems over one cost at once, so they are called for one problem after the other.
"""

import functools
import importlib.metadata
import json
import subprocess
import sys

from common import compare, header, world  # first: it chooses the processor

import numpy as np
import ot
import regot
import wasserstein

ERROR = 1e-5  # of the marginals, in L1


def exact(peers):
    """Pairs over one cost, as words have them, and small problems with a cost each."""
    solve = wasserstein.EMD(n_iter_max=10**7)
    both = [("wasserstein", lambda a, b, m: solve(a, b, m)), ("POT, emd2", ot.emd2)]
    for k in (100, 300, 500):
        cost, rows = world(k, 40, k, 0)
        pairs = [(i, i + 20) for i in range(20)]

        def each(f, m, h):
            return [f(h[i], h[j], m) for i, j in pairs]

        compare(peers, f"exact, K = {k}", 20, "exact", cost, rows, [
            (name, functools.partial(each, f), (np.float64,)) for name, f in both], 1e-6, pairs=pairs)
    for n, count in ((10, 512), (25, 512), (60, 128)):
        rng = np.random.default_rng(n)
        points = rng.normal(size=(count, 2, n, 20))
        cost = np.sqrt(((points[:, 0, :, None] - points[:, 1, None]) ** 2).sum(-1))
        cost = (cost / cost.mean((1, 2), keepdims=True)).astype(np.float32)
        rows = rng.exponential(size=(2 * count, n))
        rows = (rows / rows.sum(1, keepdims=True)).astype(np.float32)

        def own(f, m, h):
            return [f(h[i], h[count + i], m[i]) for i in range(count)]

        compare(peers, f"a cost each, exact, {n}×{n}", count, "batch exact", cost, rows, [
            (name, functools.partial(own, f), (np.float64,)) for name, f in both
        ], 1e-6, pairs=[(i, count + i) for i in range(count)])


def newton(f, m, a, b, reg, tolerance):
    """The cost of RegOT's plan and the L1 error of its marginals, over the bins with mass: it takes no others."""
    i, j = a > 0, b > 0
    m, a, b = np.asfortranarray(m[np.ix_(i, j)]), a[i], b[j]
    plan = np.asarray(f(m, a, b, reg, tol=tolerance, max_iter=10_000).plan)
    return (plan * m).sum(), np.abs(plan.sum(1) - a).sum() + np.abs(plan.sum(0) - b).sum()


def converged(peers):
    """Words and sentences of the built-in space, until the L1 error of the marginals is at most ERROR."""
    space = json.loads(subprocess.run([peers, "space"], capture_output=True, text=True, check=True).stdout)
    cost = np.array(space["cost"], np.float32).reshape(space["k"], -1)
    for name in ("words", "sentences"):
        rows = np.array(space[name], np.float32).reshape(-1, space["k"])
        n = len(rows) // 2
        pairs = [(i, n + i) for i in range(n)]
        for reg in (0.1, 0.05, 0.02, 0.01):

            tolerances = {}  # what RegOT, which bounds another norm, is to be told for ERROR

            def solve(f, m, h):
                while True:
                    tolerance = tolerances.setdefault(f, ERROR)
                    solved = [newton(f, m, h[i], h[j], reg, tolerance) for i, j in pairs]
                    if max(error for _, error in solved) <= ERROR or tolerance < 1e-12:
                        return [cost for cost, _ in solved]
                    tolerances[f] /= 2

            compare(peers, f"converged, {name}, λ = {reg}", n, "converged", cost, rows, [
                ("RegOT, SSNS", functools.partial(solve, regot.sinkhorn_ssns), (np.float64,)),
                ("RegOT, SPLR", functools.partial(solve, regot.sinkhorn_splr), (np.float64,)),
            ], 1e-4, pairs=pairs, reg=reg, error=ERROR)


def main():
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("wasserstein", "regot", "POT", "numpy"))
    print(f"{versions}; error of the marginals {ERROR}; {header}")
    parts = {"exact": exact, "converged": converged}
    for name in sys.argv[2:] or parts:
        parts[name](sys.argv[1])


if __name__ == "__main__":
    main()
