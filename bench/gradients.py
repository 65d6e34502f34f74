"""Compares this library's gradients with OTT-JAX's, and with finite differences in float64.

Called by bench/gradients.sh. Of each kind, derivatives along random directions are compared; the table has the largest
difference, relative to the largest derivative. Ours are computed in float32 by the engine `cpu`, OTT-JAX's in float64 by
its implicit differentiation. OTT-JAX 0.6.0 refuses to differentiate its barycenters, and its unbalanced values are others.
"""

import json
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
from ott.geometry.geometry import Geometry
from ott.problems.linear.linear_problem import LinearProblem
from ott.solvers.linear.sinkhorn import Sinkhorn

jax.config.update("jax_enable_x64", True)

K, N, REG, PENALTY, ITERATIONS, DIRECTIONS, STEP = 50, 4, 0.2, 1.0, 3000, 10, 1e-5
PAIRS = [(0, 1), (2, 1), (3, 0)]


def world():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(K, 5))
    cost = np.sqrt(((points[:, None] - points[None]) ** 2).sum(-1))
    cost = (cost / np.median(cost)).astype(np.float32)
    rows = rng.exponential(size=(N, K)) + 0.05
    return cost, (rows / rows.sum(1, keepdims=True)).astype(np.float32)


def ours(peers, kind, cost, rows, **more):
    task = {"kind": kind, "k": K, "cost": cost.ravel().tolist(), "rows": rows.ravel().tolist(), "reg": REG,
            "iterations": ITERATIONS, "pairs": PAIRS, "groups": [list(range(N))], **more}
    done = subprocess.run([peers], input=json.dumps(task), capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return [np.array(v) for v in json.loads(done.stdout)["values"]]


def value(a, b, cost, penalty=0.0):
    """The dual value of a pair, iterated to its end; of unbalanced transport with a penalty."""
    rate = penalty / (penalty + REG) if penalty else 1.0

    def softmin(h, mass, axis):
        return -rate * REG * jax.nn.logsumexp(h / REG + jnp.log(mass), axis=axis)

    def iterate(_, fg):
        g = softmin(fg[0][:, None] - cost, a[:, None], 0)
        return softmin(g[None] - cost, b[None], 1), g

    f, g = jax.lax.fori_loop(0, 2000, iterate, (jnp.zeros(K), jnp.zeros(K)))
    if not penalty:
        return a @ f + b @ g
    mass = (a[:, None] * b * jnp.exp((f[:, None] + g - cost) / REG)).sum()
    return (-penalty * (a @ jnp.expm1(-f / penalty) + b @ jnp.expm1(-g / penalty)) - REG * (mass - 1))


def values(rows, cost, penalty=0.0):
    return sum(value(rows[i], rows[j], cost, penalty) for i, j in PAIRS)


def divergences(rows, cost):
    return sum(value(rows[i], rows[j], cost) - (value(rows[i], rows[i], cost) + value(rows[j], rows[j], cost)) / 2
               for i, j in PAIRS)


def barycenter(rows, weights, cost, debiased):
    """Of the mean of j·b_j²."""
    kernel = jnp.exp(-cost / REG)

    def iterate(_, state):
        u, d = state
        s = (rows / (u @ kernel.T)) @ kernel
        b = d * jnp.exp(weights @ jnp.log(s))
        return b / s, jnp.sqrt(d * b / (kernel @ d)) if debiased else d

    u, d = jax.lax.fori_loop(0, 5000, iterate, (jnp.ones((N, K)), jnp.ones(K)))
    s = (rows / (u @ kernel.T)) @ kernel
    b = d * jnp.exp(weights @ jnp.log(s))
    return jnp.arange(K) @ b**2 / K


def ott_value(a, b, cost):
    solver = Sinkhorn(threshold=1e-12, max_iterations=5000, inner_iterations=10)
    return solver(LinearProblem(Geometry(cost_matrix=cost, epsilon=REG), a=a, b=b)).reg_ot_cost


def ott_values(rows, cost):
    return sum(ott_value(rows[i], rows[j], cost) for i, j in PAIRS)


def ott_divergences(rows, cost):
    return sum(ott_value(rows[i], rows[j], cost) - (ott_value(rows[i], rows[i], cost) + ott_value(rows[j], rows[j], cost)) / 2
               for i, j in PAIRS)


def main(peers):
    cost, rows = world()
    weights = np.full(N, 1 / N)
    rng = np.random.default_rng(2)

    def directions(name):
        for _ in range(DIRECTIONS):
            if name == "cost":
                d = rng.normal(size=(K, K))
                yield (d + d.T) / 2
            elif name == "weights":
                d = rng.normal(size=N)
                yield 0.1 * (d - d.mean())
            else:
                d = rng.normal(size=(N, K)) * rows
                yield d - rows * d.sum(1, keepdims=True)

    def compare(kind, got, names, f, theirs):
        at = [x.astype(np.float64) for x in {"histograms": rows, "weights": weights, "cost": cost}.values()]
        at = [x for name, x in zip(("histograms", "weights", "cost"), at) if name in names]
        f, along = jax.jit(f), theirs and jax.jit(lambda x, d: jax.jvp(theirs, x, d)[1])
        for i, name in enumerate(names):
            found = []
            for d in directions(name):
                def moved(h):
                    return float(f(*[x + h * d if j == i else x for j, x in enumerate(at)]))
                tangents = [d if j == i else np.zeros_like(x) for j, x in enumerate(at)]
                found.append((
                    (got[i].reshape(at[i].shape) * d).sum(), (moved(STEP) - moved(-STEP)) / (2 * STEP),
                    float(along(tuple(at), tuple(tangents))) if theirs else np.nan,
                ))
            a, b, c = np.array(found).T
            other = f"{np.abs(a - c).max() / np.abs(b).max():.0e}" if theirs else "–"
            print(f"| {kind} | {name} | {np.abs(a - b).max() / np.abs(b).max():.0e} | {other} |", flush=True)

    def implicit(f):
        """OTT-JAX's gradient, as a function that jvp takes."""
        gradient = jax.jit(jax.grad(f, argnums=(0, 1)))

        @jax.custom_jvp
        def g(*x):
            return f(*x)

        @g.defjvp
        def _(x, d):
            return f(*x), sum((p * q).sum() for p, q in zip(gradient(*x), d))

        return g

    print("| derivative of | in | finite differences | OTT-JAX |\n|:--|:--|--:|--:|")
    both, three = ("histograms", "cost"), ("histograms", "weights", "cost")
    compare("values", ours(peers, "gradient", cost, rows), both, values, implicit(ott_values))
    compare("unbalanced values", ours(peers, "gradient", cost, rows, penalty=PENALTY), both,
            lambda r, c: values(r, c, PENALTY), None)
    compare("divergences", ours(peers, "divergence gradient", cost, rows), both, divergences, implicit(ott_divergences))
    for debiased in (False, True):
        compare("debiased barycenters" if debiased else "barycenters",
                ours(peers, "barycenter gradient", cost, rows, debiased=debiased), three,
                lambda r, w, c: barycenter(r, w, c, debiased), None)


if __name__ == "__main__":
    main(*sys.argv[1:])
