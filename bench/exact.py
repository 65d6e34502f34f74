"""Exact barycenters by linear programming beside entropic ones and means, on the problems that bench/exact writes, one set a line.

A sentence's barycenter makes F(q) = Σ_k w_k W(p_k, q) least, W exact transport with the ground cost. As a linear program: plans P_k ≥ 0
with P_k 1 = p_k and all P_kᵀ1 the same q. Where several q are equally good, the solver takes a vertex. Scores are minus exact distances
for all, so that nothing differs but what the words of a sentence are combined to.
"""

import json
import sys

import numpy as np
import ot
from scipy.optimize import linprog
from scipy.sparse import coo_matrix


def barycenter(words, weights, cost):
    n, k = words.shape
    cells = n * k * k
    rows, columns, values, right = [], [], [], []
    grid = np.arange(k * k).reshape(k, k)
    row = 0
    for i in range(n):
        for a in range(k):  # P_i 1 = p_i
            rows += [row] * k
            columns += list(i * k * k + grid[a])
            values += [1.0] * k
            right.append(words[i, a])
            row += 1
        for b in range(k):  # P_iᵀ1 − q = 0
            rows += [row] * (k + 1)
            columns += list(i * k * k + grid[:, b]) + [cells + b]
            values += [1.0] * k + [-1.0]
            right.append(0.0)
            row += 1
    objective = np.concatenate([(w * cost).ravel() for w in weights] + [np.zeros(k)])
    equal = coo_matrix((values, (rows, columns)), shape=(row, cells + k)).tocsr()
    solved = linprog(objective, A_eq=equal, b_eq=np.array(right), bounds=(0, None), method="highs")
    if solved.status != 0:
        raise SystemExit(f"the linear program was not solved: {solved.message}")
    q = np.maximum(solved.x[cells:], 0)
    return q / q.sum(), solved.fun


def entropy(q):
    q = q[q > 0]
    return -(q * np.log(q)).sum()


def main():
    names, scores, above, blur = [], {}, {}, {}
    sets = 0
    for line in sys.stdin:
        p = json.loads(line)
        cost = np.array(p["cost"], dtype=np.float64)
        made = {name: [np.array(q, dtype=np.float64) / np.sum(q) for q in all] for name, all in p["made"].items()}
        made["exact"] = []
        best = []
        memory = {}
        for words, weights in zip(p["words"], p["weights"]):
            key = json.dumps([words, weights])
            if key not in memory:
                x = np.array(words, dtype=np.float64)
                memory[key] = barycenter(x / x.sum(1, keepdims=True), np.array(weights), cost)
            q, value = memory[key]
            made["exact"].append(q)
            best.append(value)
        for name, all in made.items():
            d = [-ot.emd2(all[2 * i], all[2 * i + 1], cost) for i in range(len(p["gold"]))]
            scores.setdefault(name, []).append(100 * np.corrcoef(d, p["gold"])[0, 1])
            blur.setdefault(name, []).extend(entropy(q) for q in all)
            for q, words, weights, value in zip(all, p["words"], p["weights"], best):
                x = np.array(words, dtype=np.float64)
                f = sum(w * ot.emd2(h / h.sum(), q, cost) for w, h in zip(weights, x))
                above.setdefault(name, []).append(100 * (f / value - 1) if value > 1e-9 else 0.0)
        sets += 1
        print(f"{p['set']}: " + ", ".join(f"{n} {s[-1]:.1f}" for n, s in sorted(scores.items())), file=sys.stderr, flush=True)
    k = len(cost)
    print(f"{sets} sets, {sum(len(v) for v in [blur['exact']]) // 2} pairs, K = {k}, ln K = {np.log(k):.2f}\n")
    print("| | Pearson × 100, mean over the sets | entropy, mean | above the least F, median | mean |\n|:--|--:|--:|--:|--:|")
    order = ["mean", "exact"] + sorted(n for n in scores if n not in ("mean", "exact"))
    draws = np.random.default_rng(1)
    for name in order:
        print(f"| {name} | {np.mean(scores[name]):.1f} | {np.mean(blur[name]):.2f} | {np.median(above[name]):.1f} % | {np.mean(above[name]):.1f} % |")
    gap = np.array(scores["mean"]) - np.array(scores["exact"])
    means = np.array([gap[draws.integers(len(gap), size=len(gap))].mean() for _ in range(10000)])
    print(f"\nmean − exact: {gap.mean():.1f} [{np.quantile(means, 0.025):.1f}, {np.quantile(means, 0.975):.1f}] over sets drawn anew")


main()
