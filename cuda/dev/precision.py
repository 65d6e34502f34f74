#!/usr/bin/env python3
"""What the precision of tensor cores does to Sinkhorn distances: operands are rounded
as the tensor kernels of distance.cu round them, products are exact and sums float32; the rest of an
iteration is float32. Compares costs with float64 on real histograms.

    bin/record histograms --data DIR --store DIR DIR/hist     then     precision.py DIR/hist

Needs numpy only. Prints a table in Markdown: the median and the largest relative error of
the costs, and how many of 10,000 draws of two pairs change their order. Where float32 cannot
solve, at small λ, the engine computes in logarithms, without products.
"""
import pathlib
import sys

import numpy as np

ITERATIONS, PAIRS = 100, 300


def tf32(x):
    """Round to 11 bits of significand, ties away from zero (cvt.rna.tf32.f32)."""
    return ((x.view(np.uint32) + np.uint32(0x1000)) & np.uint32(0xFFFFE000)).view(np.float32)


def bf16(x):
    """Round to 8 bits of significand, ties to even (cvt.rn.bf16.f32)."""
    bits = x.view(np.uint32)
    return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) & np.uint32(0xFFFF0000)).view(np.float32)


def once(to):
    return lambda x, w: to(x) @ to(w)


def thrice(to):
    def product(x, w):
        top, kernel = to(x), to(w)
        rest, below = to(x - top), to(w - kernel)
        return top @ below + rest @ kernel + top @ kernel

    return product


MODES = {
    "float32": lambda x, w: x @ w,
    "TF32": once(tf32),
    "TF32 x3": thrice(tf32),
    "bf16": once(bf16),
    "bf16 x3": thrice(bf16),
}


def exact(a, b, cost, reg):
    """Costs by scaling in float64, which has room where float32 has."""
    kernel = np.exp(-cost / reg)
    u = (a > 0).astype(float)
    for _ in range(ITERATIONS):
        v = b / (u @ kernel)
        u = a / (v @ kernel.T)
    return (u * (v @ (kernel * cost).T)).sum(1)


def scaled(a, b, cost, reg, product):
    """Costs as the kernels compute them, and whether the engine would trust them."""
    kernel = np.exp(-cost.astype(np.float64) / reg).astype(np.float32)
    kernel[kernel < 2.0**-126] = 0
    u = (a > 0).astype(np.float32)
    least = np.full((2, len(a)), np.inf)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        for _ in range(ITERATIONS):
            d = product(u, kernel)
            least[0] = np.minimum(least[0], np.where(b > 0, d, np.inf).min(1))
            v = np.where(b > 0, b / np.maximum(d, np.float32(2.0**-126)), np.float32(0))
            d = product(v, np.ascontiguousarray(kernel.T))
            least[1] = np.minimum(least[1], np.where(a > 0, d, np.inf).min(1))
            u = np.where(a > 0, a / np.maximum(d, np.float32(2.0**-126)), np.float32(0))
        costs = (u.astype(np.float64) * (v.astype(np.float64) @ (kernel.astype(np.float64) * cost).T)).sum(1)
    return costs, (least.min(0) >= 2.0**-100) & (least[0] * least[1] >= 2.0**-100)


def main(folder):
    print("| K | λ | histograms | float32 solves | mode | median error | largest error | order changed |")
    print("|---|---|---|---|---|---|---|---|")
    for place in sorted(folder.iterdir(), key=lambda p: int(p.name)):
        rows, cost = np.load(place / "rows.npy"), np.load(place / "cost.npy")
        words = 2 * len(rows) // 3  # the rest are sentences
        k = len(cost)
        for what, part in ("words", rows[:words]), ("sentences", rows[words:]):
            random = np.random.default_rng(1)
            i = random.integers(0, len(part), PAIRS)
            j = (i + random.integers(1, len(part), PAIRS)) % len(part)
            a, b = part[i], part[j]
            draws = random.integers(0, PAIRS, (2, 10000))
            for reg in 0.1, 0.05, 0.01:
                trusted = scaled(a, b, cost, reg, MODES["float32"])[1]
                if trusted.mean() < 0.5:
                    print(f"| {k} | {reg} | {what} | {100 * trusted.mean():.0f} % | | | | |", flush=True)
                    continue
                want = exact(a.astype(np.float64), b.astype(np.float64), cost.astype(np.float64), reg)
                for mode, product in MODES.items():
                    got, trusted = scaled(a, b, cost, reg, product)
                    error = (np.abs(got - want) / want)[trusted]
                    both = trusted[draws[0]] & trusted[draws[1]]
                    flips = ((got[draws[0]] < got[draws[1]]) != (want[draws[0]] < want[draws[1]]))[both]
                    print(f"| {k} | {reg} | {what} | {100 * trusted.mean():.0f} % | {mode} | {np.median(error):.1e} | {error.max():.1e} "
                          f"| {10000 * flips.mean():.0f} |", flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: precision.py FOLDER")
    main(pathlib.Path(sys.argv[1]))
