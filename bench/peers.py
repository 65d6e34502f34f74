"""Times POT, OTT-JAX, GeomLoss and this library on the same problems, one after the other.

Called by bench/peers.sh, which installs them, builds the program `peers` and runs exact.py too:

    python bench/peers.py PEERS [balanced] [beyond] [partial] [small] [texts]

`beyond` is unbalanced transport and the Sinkhorn divergence, `partial` is partial transport, `small` is many problems with
a cost each, `texts` is word mover's distance, both in seconds of the processor. GeomLoss is left out where it is not installed.

POT runs in float64 and in float32, and the faster one that agrees counts; OTT-JAX runs in
float32, in logarithms as is its default and as scalings (of which its barycenters, as of
0.6.0, come out as zeros). All use one and the same processor, and
compilation is not timed. "XLA by hand" is no library: it is the batch of products that
somebody who knows JAX would write for this one purpose. Prints a table in Markdown.
"""

import importlib.metadata
import os
import subprocess
import sys
import tempfile
import time
import warnings

from common import ITERATIONS, PENALTY, PRICE, REG, TIMES, compare, header, ours, world  # first: it chooses the processor

import jax
import jax.numpy as jnp
import numpy as np
import ot
import ott
from gensim.models import KeyedVectors
from ott.geometry.geometry import Geometry
from ott.problems.linear.barycenter_problem import FixedBarycenterProblem
from ott.problems.linear.linear_problem import LinearProblem
from ott.solvers.linear.discrete_barycenter import FixedBarycenter
from ott.solvers.linear.sinkhorn import Sinkhorn
from ott.tools.sinkhorn_divergence import sinkhorn_divergence

try:
    import torch
    from geomloss import ot as geomloss
except ImportError:
    geomloss = None

def ott_distances(lse, reg=REG):
    solver = Sinkhorn(lse_mode=lse, threshold=-1, inner_iterations=10, min_iterations=ITERATIONS, max_iterations=ITERATIONS)
    return jax.jit(jax.vmap(
        lambda a, b, m: solver(LinearProblem(Geometry(cost_matrix=m, epsilon=reg), a, b)).primal_cost,
        in_axes=(0, 0, None)))


def ott_barycenters():
    solver = FixedBarycenter(threshold=-1, inner_iterations=10, min_iterations=ITERATIONS, max_iterations=ITERATIONS)
    return jax.jit(jax.vmap(
        lambda a, m: solver(FixedBarycenterProblem(Geometry(cost_matrix=m, epsilon=REG), a)).histogram, in_axes=(0, None)))


@jax.jit
def by_hand(a, b, m):
    kernel = jnp.exp(-m / REG)

    def iterate(_, uv):
        v = b / (uv[0] @ kernel)
        return a / (v @ kernel.T), v

    u, v = jax.lax.fori_loop(0, ITERATIONS, iterate, (jnp.ones_like(a), jnp.ones_like(b)))
    return jnp.sum(u * (v @ (kernel * m).T), 1)


def run(peers):
    sinkhorn = dict(reg=REG, numItermax=ITERATIONS, stopThr=0, warn=False)
    both, single = (np.float64, np.float32), (np.float32,)

    def batched(f, pairs):
        """f on the pairs' rows, on arrays that JAX holds."""
        first, second = np.array(pairs).T
        kept = {}

        def solve(m, h):
            if not kept:
                kept["args"] = jnp.asarray(h[first]), jnp.asarray(h[second]), jnp.asarray(m)
            return f(*kept["args"]).block_until_ready()
        return solve

    def compare_jax(f, pairs, name):
        return name, batched(f, pairs), single

    for k in (100, 300):
        cost, rows = world(k, 600, k, 1e-3)
        pairs = [(0, 1)]
        compare(peers, f"one pair, K = {k}", 1, "distances", cost, rows[:2], [
            ("POT", lambda m, h: [ot.sinkhorn2(h[0], h[1], m, **sinkhorn)], both),
            compare_jax(ott_distances(False), pairs, "OTT-JAX, scalings"),
        ], 1e-4, pairs=pairs)

        n = 500
        pairs = [(0, i) for i in range(1, n + 1)]
        compare(peers, f"one to {n}, K = {k}", n, "distances", cost, rows, [
            ("POT", lambda m, h: ot.sinkhorn2(h[0], np.ascontiguousarray(h[1:n + 1].T), m, **sinkhorn), both),
        ], 1e-4, pairs=pairs)

        n = 200
        pairs = [(i, i + n) for i in range(n)]

        def pot_batch(m, h):
            costs = np.broadcast_to(m, (n, *m.shape))
            return ot.solve_batch(costs, REG, h[:n], h[n:2 * n], max_iter=ITERATIONS, tol=0, method="sinkhorn").value_linear

        compare(peers, f"{n} pairs, one cost, K = {k}", n, "distances", cost, rows, [
            ("POT, one by one", lambda m, h: [ot.sinkhorn2(h[i], h[j], m, **sinkhorn) for i, j in pairs], both),
            ("POT, solve_batch", pot_batch, both),
            compare_jax(ott_distances(True), pairs, "OTT-JAX"),
            compare_jax(ott_distances(False), pairs, "OTT-JAX, scalings"),
            compare_jax(by_hand, pairs, "XLA by hand"),
        ], 1e-3, pairs=pairs)

        words, n = (25 if k == 100 else 12), 40
        groups = [[(g * words + i) % len(rows) for i in range(words)] for g in range(n)]

        def ott_solve(m, h, kept={}):
            if k not in kept:
                kept[k] = ott_barycenters(), jnp.asarray(h[np.array(groups)]), jnp.asarray(m)
            f, a, m = kept[k]
            return f(a, m).block_until_ready()

        compare(peers, f"{n} barycenters, {words} words, K = {k}", n, "barycenters", cost, rows, [
            ("POT", lambda m, h: [
                ot.bregman.barycenter(np.ascontiguousarray(h[g].T), m, REG, numItermax=ITERATIONS, stopThr=0, warn=False)
                for g in groups], both),
            ("OTT-JAX", ott_solve, single),
        ], 1e-3, groups=groups)
    # Beyond float32's range: POT scales in float64, OTT-JAX has its logarithms.
    k, reg, n = 300, 0.01, 500
    cost, rows = world(k, 600, k, 1e-3)
    sinkhorn["reg"] = reg
    pairs = [(0, i) for i in range(1, n + 1)]
    compare(peers, f"one to {n}, K = {k}, λ = {reg}", n, "distances", cost, rows, [
        ("POT", lambda m, h: ot.sinkhorn2(h[0], np.ascontiguousarray(h[1:n + 1].T), m, **sinkhorn), both[:1]),
    ], 1e-4, pairs=pairs, reg=reg)
    pairs = [(i, i + 200) for i in range(200)]
    compare(peers, f"200 pairs, one cost, K = {k}, λ = {reg}", 200, "distances", cost, rows, [
        ("POT, one by one", lambda m, h: [ot.sinkhorn2(h[i], h[j], m, **sinkhorn) for i, j in pairs], both[:1]),
        compare_jax(ott_distances(True, reg), pairs, "OTT-JAX"),
    ], 1e-3, pairs=pairs, reg=reg)
    groups = [[(g * 12 + i) % len(rows) for i in range(12)] for g in range(40)]
    compare(peers, f"40 barycenters, 12 words, K = {k}, λ = {reg}", 40, "barycenters", cost, rows, [
        ("POT", lambda m, h: [
            ot.bregman.barycenter(np.ascontiguousarray(h[g].T), m, reg, numItermax=ITERATIONS, stopThr=0, warn=False)
            for g in groups], both[:1]),
    ], 1e-3, groups=groups, reg=reg)


def beyond(peers):
    single, both = (np.float32,), (np.float64, np.float32)
    # OTT-JAX, and POT for many targets, regularise towards 1 and not towards the product of the histograms, which here is another problem. Histograms to
    # this power make their iterations those of (a/(Kv))^τ with the product.
    tau = PENALTY / (PENALTY + REG)
    fixed = dict(threshold=-1, inner_iterations=10, min_iterations=ITERATIONS, max_iterations=ITERATIONS)

    def mapped(f):
        return jax.jit(jax.vmap(f, in_axes=(0, 0, None)))

    def unbalanced(lse):
        solver = Sinkhorn(lse_mode=lse, **fixed)
        return mapped(lambda a, b, m: solver(
            LinearProblem(Geometry(cost_matrix=m, epsilon=REG), a ** (1 / tau), b ** (1 / tau), tau_a=tau, tau_b=tau)).primal_cost)

    def divergence(lse):
        # Its symmetric updates for rows with themselves are made in logarithms alone.
        return mapped(lambda a, b, m: sinkhorn_divergence(
            Geometry, m, m, m, a=a, b=b, epsilon=REG, solve_kwargs=dict(lse_mode=lse, **fixed), symmetric_sinkhorn=lse)[0])

    def jax_pairs(f, pairs):
        first, second = np.array(pairs).T
        kept = {}

        def solve(m, h):
            if not kept:
                kept["args"] = jnp.asarray(h[first]), jnp.asarray(h[second]), jnp.asarray(m)
            return f(*kept["args"]).block_until_ready()
        return solve

    def torch_pairs(f, pairs):
        first, second = np.array(pairs).T
        kept = {}

        def solve(m, h):
            if not kept:
                costs = torch.from_numpy(m).expand(len(pairs), *m.shape).contiguous()
                kept["args"] = torch.from_numpy(h[first]), torch.from_numpy(h[second]), costs
            return f(*kept["args"]).numpy()
        return solve

    def geomloss_value(a, b, costs, penalty=None):
        return geomloss.solve_batch(costs, reg=REG, a=a, b=b, unbalanced=penalty, max_iter=ITERATIONS).value

    for k in (100, 300):
        cost, rows = world(k, 600, k, 1e-3)
        n, one = 200, [(0, i) for i in range(1, 501)]
        pairs = [(i, i + n) for i in range(n)]
        settings = dict(reg=REG, reg_m=PENALTY, numItermax=ITERATIONS, stopThr=0)
        compare(peers, f"unbalanced, {n} pairs, K = {k}", n, "distances", cost, rows, [
            ("POT, one by one", lambda m, h: [ot.unbalanced.sinkhorn_unbalanced2(h[i], h[j], m, **settings) for i, j in pairs], both),
            ("OTT-JAX", jax_pairs(unbalanced(True), pairs), single),
            ("OTT-JAX, scalings", jax_pairs(unbalanced(False), pairs), single),
        ], 1e-4, pairs=pairs, penalty=PENALTY)
        compare(peers, f"unbalanced, one to 500, K = {k}", 500, "distances", cost, rows, [
            ("POT", lambda m, h: ot.unbalanced.sinkhorn_unbalanced2(
                h[0] ** (1 / tau), np.ascontiguousarray(h[1:501].T ** (1 / tau)), m, reg_type="entropy", **settings), both),
        ], 1e-4, pairs=one, penalty=PENALTY)
        compare(peers, f"divergence, {n} pairs, K = {k}", n, "divergences", cost, rows, [
            ("OTT-JAX", jax_pairs(divergence(True), pairs), single),
            ("OTT-JAX, scalings", jax_pairs(divergence(False), pairs), single),
        ], 1e-3, pairs=pairs)
        if geomloss:
            # GeomLoss lowers λ from step to step and reaches the one asked for in its last iteration alone, so it is further from the limit.
            few = pairs[:20]
            compare(peers, f"unbalanced, values, 20 pairs, K = {k}", 20, "values", cost, rows, [
                ("GeomLoss", torch_pairs(lambda a, b, m: geomloss_value(a, b, m, PENALTY), few), single),
            ], 1e-2, pairs=few, penalty=PENALTY)
            compare(peers, f"divergence, 20 pairs, K = {k}", 20, "divergences", cost, rows, [
                ("GeomLoss", torch_pairs(
                    lambda a, b, m: geomloss_value(a, b, m) - (geomloss_value(a, a, m) + geomloss_value(b, b, m)) / 2, few), single),
            ], 1e-2, pairs=few)


def partial_written_out(a, b, m):
    n = len(a)
    cost = np.full((n + 1, n + 1), PRICE, m.dtype)
    cost[0, 0], cost[1:, 1:] = 0, m
    a, b = (np.concatenate([[0.5], x / 2]).astype(m.dtype) for x in (a, b))
    return 2 * ot.sinkhorn2(a, b, cost, REG, method="sinkhorn", numItermax=ITERATIONS, stopThr=0)


def partial(peers):
    both = (np.float64, np.float32)
    for k in (100, 300):
        # Partial transport with λ is a problem with one private point a side: POT's Sinkhorn gets it written out. Its entropic_partial_wasserstein
        # leaves what does not move out of the entropy, and is told the mass that moves, so it is another problem with the same limit.
        cost, rows = world(k, 40, k, 1e-3)
        pairs = [(i, i + 20) for i in range(20)]
        _, moved = ours(peers, "regularised moved", cost, rows, pairs, penalty=PRICE)
        compare(peers, f"partial, K = {k}", len(pairs), "regularised partial", cost, rows, [
            ("POT, written out", lambda m, h: [partial_written_out(h[i], h[j], m) for i, j in pairs], both),
        ], 1e-4, pairs=pairs, penalty=PRICE)
        compare(peers, f"partial, K = {k}", len(pairs), "regularised partial", cost, rows, [
            ("POT, entropic_partial", lambda m, h: [
                (ot.partial.entropic_partial_wasserstein(h[i], h[j], m, REG, m=float(mass), numItermax=ITERATIONS, stopThr=0) * m).sum() + PRICE * (2 - 2 * float(mass))
                for (i, j), (mass,) in zip(pairs, moved)], both[:1]),
        ], 1, pairs=pairs, penalty=PRICE)
        # POT is told the mass that is to move, which here follows from the price.
        cost, rows = world(k, 40, k, 0)
        pairs = [(i, i + 20) for i in range(20)]
        _, moved = ours(peers, "moved", cost, rows, pairs, penalty=PRICE)
        compare(peers, f"partial, exact, K = {k}", 20, "partial", cost, rows, [
            ("POT", lambda m, h: [
                ot.partial.partial_wasserstein2(h[i], h[j], m, m=float(mass)) + PRICE * (2 - 2 * float(mass))
                for (i, j), (mass,) in zip(pairs, moved)], both[:1]),
        ], 1e-6, pairs=pairs, penalty=PRICE)


def small(peers):
    """Many problems of n×n bins, each with a cost of its own."""
    single, both = (np.float32,), (np.float64, np.float32)
    solver = Sinkhorn(lse_mode=False, threshold=-1, inner_iterations=10, min_iterations=ITERATIONS, max_iterations=ITERATIONS)
    mapped = jax.jit(jax.vmap(
        lambda a, b, m: solver(LinearProblem(Geometry(cost_matrix=m, epsilon=REG), a, b)).primal_cost))
    for n, count in ((10, 512), (25, 512), (60, 128)):
        rng = np.random.default_rng(n)
        points = rng.normal(size=(count, 2, n, 20))
        cost = np.sqrt(((points[:, 0, :, None] - points[:, 1, None]) ** 2).sum(-1))
        cost = (cost / cost.mean((1, 2), keepdims=True)).astype(np.float32)
        rows = rng.exponential(size=(2 * count, n))
        rows = (rows / rows.sum(1, keepdims=True)).astype(np.float32)
        pairs = [(i, count + i) for i in range(count)]

        def each(solve):
            return lambda m, h: [solve(h[i], h[count + i], m[i]) for i in range(count)]

        compare(peers, f"a cost each, {n}×{n}", count, "batch", cost, rows, [
            ("POT, sinkhorn2 one by one", each(
                lambda a, b, m: ot.sinkhorn2(a, b, m, REG, numItermax=ITERATIONS, stopThr=0, warn=False)), both),
            ("OTT-JAX, vmap", lambda m, h: np.asarray(mapped(h[:count], h[count:], m)), single),
        ], 1e-4, pairs=pairs)


def texts(peers):
    """Word mover's distance of made-up texts, with words as frequent as in texts, as gensim has it by POT's emd2."""
    rng = np.random.default_rng(1)
    words = [f"w{i}" for i in range(2000)]
    model = KeyedVectors(300)
    model.add_vectors(words, rng.normal(size=(len(words), 300)).astype(np.float32))
    share = 1 / np.arange(1, len(words) + 1)
    for n, count in ((10, 500), (25, 200), (60, 50)):
        pairs = [[list(rng.choice(words, n, p=share / share.sum())) for _ in range(2)] for _ in range(count)]
        with tempfile.TemporaryDirectory() as folder:
            vectors, lines = os.path.join(folder, "vectors.txt"), os.path.join(folder, "pairs.tsv")
            model.save_word2vec_format(vectors)
            with open(lines, "w", encoding="utf-8") as f:
                f.writelines(f"0\t{' '.join(a)}\t{' '.join(b)}\n" for a, b in pairs)
            program = [peers, "wmd", "-vectors", vectors, "-pairs", lines]
            turns = []
            for _ in range(TIMES):
                start = time.process_time()
                theirs = np.array([model.wmdistance(a, b) for a, b in pairs])
                seconds = time.process_time() - start
                out = np.array(subprocess.run(program, capture_output=True, text=True, check=True).stdout.split(), float)
                turns.append((seconds, out[-1], seconds / out[-1]))
        away = np.abs(out[:-1] - theirs).max()
        if not away < 1e-5:
            sys.exit(f"texts: gensim is {away:.1e} away")
        t, mine, ratio = np.median(turns, axis=0)
        print(f"| texts of {n} words | gensim, wmdistance | {count / t:,.0f} | float64 | {count / mine:,.0f} | {ratio:.3g} | {away:.0e} |",
              flush=True)


def main():
    warnings.filterwarnings("ignore")
    parts = {"balanced": run, "beyond": beyond, "partial": partial, "small": small, "texts": texts}
    if geomloss is None:
        print("GeomLoss is not installed: GEOMLOSS=1 bench/peers.sh installs it, with PyTorch", file=sys.stderr)
    else:
        print(f"GeomLoss {importlib.metadata.version('geomloss')}, PyTorch {torch.__version__}; ", end="")
    print(f"POT {ot.__version__}, OTT-JAX {ott.__version__}, JAX {jax.__version__}, NumPy {np.__version__}; "
          f"λ = {REG}, {ITERATIONS} iterations; {header}")
    for name in sys.argv[2:] or parts:
        parts[name](sys.argv[1])


if __name__ == "__main__":
    main()
