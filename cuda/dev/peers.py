#!/usr/bin/env python3
"""The problems of driver_bench_test.go in PyTorch and JAX on the same GPU: batched
Sinkhorn scaling with one shared cost in float32, histograms on the device already,
compiled. First the card's measured peaks. Prints one line for each; median of runs."""
import statistics
import time

ITERATIONS, PAIRS = 100, 1 << 16


def report(name, seconds, pairs, flops):
    rate = pairs / seconds
    print(f"{name:28} {rate:14,.0f} problems/s {rate * flops / 1e12:8.2f} TFLOP/s", flush=True)


def median(run, repeats=5):
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def with_torch():
    import torch

    for name, tf32 in ("float32", False), ("TF32", True):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        x = torch.randn(8192, 8192, device="cuda")

        def multiply():
            x @ x
            torch.cuda.synchronize()

        print(f"peak of {name} products: {2 * 8192**3 / median(multiply) / 1e12:.1f} TFLOP/s", flush=True)
    for k in 100, 300, 500:
        points = torch.rand(k, 2, device="cuda")
        cost = torch.cdist(points, points)
        a, b = (torch.distributions.Exponential(1.0).sample((PAIRS, k)).cuda() for _ in range(2))
        a, b = a / a.sum(1, keepdim=True), b / b.sum(1, keepdim=True)
        kernel = torch.exp(-cost / 0.1)

        def solve(a, b, kernel, weighted):
            u = torch.ones_like(a)
            for _ in range(ITERATIONS):
                v = b / (u @ kernel)
                u = a / (v @ kernel.T)
            return (u * (v @ weighted.T)).sum(1)

        for name, tf32 in ("PyTorch", False), ("PyTorch TF32", True):
            torch.backends.cuda.matmul.allow_tf32 = tf32
            for label, f in (name, solve), (name + " compiled", torch.compile(solve)):

                def run():
                    f(a, b, kernel, kernel * cost)
                    torch.cuda.synchronize()

                report(f"{label} K={k}", median(run), PAIRS, 4 * k * k * ITERATIONS)


def with_jax():
    import jax
    import jax.numpy as jnp

    if jax.default_backend() != "gpu":
        print("JAX: has no GPU, not run")
        return
    for k in 100, 300, 500:
        keys = jax.random.split(jax.random.PRNGKey(0), 3)
        points = jax.random.uniform(keys[0], (k, 2))
        cost = jnp.sqrt(((points[:, None] - points) ** 2).sum(-1))
        a, b = (jax.random.exponential(key, (PAIRS, k)) for key in keys[1:])
        a, b = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
        kernel = jnp.exp(-cost / 0.1)

        @jax.jit
        def solve(a, b, kernel, weighted):
            with jax.default_matmul_precision("float32"):
                u = jax.lax.fori_loop(0, ITERATIONS, lambda _, u: a / ((b / (u @ kernel)) @ kernel.T), jnp.ones_like(a))
                return (u * ((b / (u @ kernel)) @ weighted.T)).sum(1)

        report(f"JAX compiled K={k}", median(lambda: solve(a, b, kernel, kernel * cost).block_until_ready()),
               PAIRS, 4 * k * k * ITERATIONS)


for name, run in ("PyTorch", with_torch), ("JAX", with_jax):
    try:
        run()
    except ImportError as error:
        print(f"{name}: not installed, not run ({error})")
