"""POT's default barycenter with unequal weights: what it returns, what it should, and the line that mends it.

Two histograms on a line, weights 0.2 and 0.8. The entropic barycenter minimises

    F(a) = Σ_k w_k min over P ≥ 0, P1 = A_k, Pᵀ1 = a of ⟨P, C⟩ + λ Σ_ij P_ij (ln P_ij − 1)   [Benamou et al. 2015]

so of two answers the one with the smaller F is nearer to it. F is computed here in the log domain, by nothing that POT has.
"""

import sys

import numpy as np
import ot


def logsumexp(x, axis):
    m = x.max(axis=axis, keepdims=True)
    return (m + np.log(np.exp(x - m).sum(axis=axis, keepdims=True))).squeeze(axis)


def cost(p, a, c, reg, iterations=20000):
    """min over plans of p and a, by Sinkhorn's iterations in the log domain."""
    f, g = np.zeros(len(p)), np.zeros(len(a))
    for _ in range(iterations):
        f = reg * (np.log(p) - logsumexp((g[None, :] - c) / reg, 1))
        g = reg * (np.log(a) - logsumexp((f[:, None] - c) / reg, 0))
    plan = np.exp((f[:, None] + g[None, :] - c) / reg)
    assert abs(plan.sum(1) - p).max() < 1e-9, "did not converge"
    return (plan * c).sum() + reg * (plan * (np.log(plan) - 1)).sum()


def mended(A, M, reg, weights, iterations=20000):
    """POT's loop with the one line changed: it starts from the weighted geometric mean."""

    def geometric_bar(x):
        return np.exp(np.log(x) @ weights)

    K = np.exp(-M / reg)
    UKv = K @ (A.T / K.sum(0)).T
    u = geometric_bar(UKv)[:, None] / UKv  # was: geometricMean(UKv) / UKv
    for _ in range(iterations):
        UKv = u * (K.T @ (A / (K @ u)))
        u = u * geometric_bar(UKv)[:, None] / UKv
    return geometric_bar(UKv)


n = 20
x = np.linspace(0, 1, n)
M = (x[:, None] - x[None, :]) ** 2
A = np.stack([np.exp(-((x - m) ** 2) / 0.005) + 1e-6 for m in (0.2, 0.8)], axis=1)
A /= A.sum(0)
reg, weights = 0.02, np.array([0.2, 0.8])


def objective(a):
    a = a / a.sum()
    return sum(w * cost(A[:, k], a, M, reg) for k, w in enumerate(weights))


print("POT", ot.__version__, "numpy", np.__version__, "python", sys.version.split()[0])
answers = {
    "default": ot.bregman.barycenter(A, M, reg, weights=weights, numItermax=20000, stopThr=1e-15),
    "weighted start": mended(A, M, reg, weights),
}
for method in ("sinkhorn_stabilized", "sinkhorn_log"):
    try:
        answers[method] = ot.bregman.barycenter(A, M, reg, weights=weights, method=method, numItermax=20000, stopThr=1e-15)
    except (TypeError, ValueError) as e:
        print(f"{method:20s} not in this version: {e}")
print(f"{'':20s} {'mean position':>14s} {'F':>14s}")
for name, a in answers.items():
    print(f"{name:20s} {(x * a).sum() / a.sum():14.6f} {objective(a):14.9f}")
print(f"{'mean of the inputs':20s} {weights @ (x @ A):14.6f}")
