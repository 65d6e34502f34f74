#!/usr/bin/env python3
"""The problems of driver_bench_test.go in PyTorch and JAX on the same GPU: batched
Sinkhorn scaling with one shared cost, histograms on the device already, compiled.
First the card's peaks, in matrix products and in multiply-adds. Prints a line of JSON for each; median of runs.

    peers.py          on the GPU; what has none, or is not installed, says so
    peers.py JAX      only that one, or PyTorch, or CuPy, which measures a peak
    peers.py small    small sizes, on whatever there is: to see that the script works
"""
import json
import statistics
import sys
import time

SMALL = sys.argv[1:] == ["small"]
ONLY = "" if SMALL else "".join(sys.argv[1:])
ITERATIONS = 3 if SMALL else 100
SIZES = ((10, 64),) if SMALL else ((100, 1 << 17), (300, 1 << 15), (500, 1 << 15))
WORDS, GROUPS, ROUNDS = (5, 8, 3) if SMALL else (25, 1 << 14, 10)


def out(**fields):
    print(json.dumps(fields), flush=True)


def report(what, k, seconds, problems, flops):
    rate = problems / seconds
    out(peer=what, k=k, per_second=rate, tflops=rate * flops / 1e12)


def median(run, repeats=2 if SMALL else 5):
    run()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def with_cupy():
    """The peak in float32: multiply-adds in registers, which reach more than matrix products do."""
    import cupy

    kernel = cupy.RawKernel(
        """extern "C" __global__ void peak(float *out, int turns) {
            float x[16], y = 1 + threadIdx.x * 1e-6f, sum = 0;
            for (int i = 0; i < 16; i++) x[i] = i;
            for (int turn = 0; turn < turns; turn++) {
                #pragma unroll
                for (int i = 0; i < 16; i++) x[i] = fmaf(x[i], y, 1e-3f);
            }
            for (int i = 0; i < 16; i++) sum += x[i];
            out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
        }""",
        "peak",
    )
    grid, block, turns = 132 * 16, 256, 1 << 14
    sums = cupy.empty(grid * block, cupy.float32)

    def run():
        kernel((grid,), (block,), (sums, turns))
        cupy.cuda.Device().synchronize()

    out(peak="float32", by="multiply-adds", tflops=grid * block * turns * 16 * 2 / median(run) / 1e12)


def with_torch():
    import torch

    if not SMALL and not torch.cuda.is_available():
        return out(peer="PyTorch", skipped="it sees no GPU")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None
    n = 256 if SMALL else 8192
    for name, kind, tf32 in ("float32", torch.float32, False), ("TF32", torch.float32, True), ("bf16", torch.bfloat16, True):
        torch.set_float32_matmul_precision("high" if tf32 else "highest")
        x = torch.randn(n, n, device=device, dtype=kind)

        def multiply():
            x @ x
            wait()

        out(peak=name, by="PyTorch matrix product", tflops=2 * n**3 / median(multiply) / 1e12)
    torch.manual_seed(0)

    def histograms(n, k):
        x = torch.empty(n, k, device=device).exponential_()
        return x / x.sum(1, keepdim=True)

    for k, pairs in SIZES:
        points = torch.rand(k, 2, device=device)
        cost = torch.cdist(points, points)
        a, b = histograms(pairs, k), histograms(pairs, k)
        kernel = torch.exp(-cost / 0.1)

        def solve(a, b, kernel, weighted):
            u = torch.ones_like(a)
            for _ in range(ITERATIONS):
                v = b / (u @ kernel)
                u = a / (v @ kernel.T)
            return (u * (v @ weighted.T)).sum(1)

        def step(a, b, u, kernel):
            return a / ((b / (u @ kernel)) @ kernel.T)

        stepped = torch.compile(step, dynamic=False)

        def compiled(a, b, kernel, weighted):  # one iteration compiled: a hundred take too long to
            u = torch.ones_like(a)
            for _ in range(ITERATIONS):
                u = stepped(a, b, u, kernel)
            return (u * ((b / (u @ kernel)) @ weighted.T)).sum(1)

        for name, tf32 in ("", False), (" TF32", True):
            torch.set_float32_matmul_precision("high" if tf32 else "highest")
            for label, f in ("PyTorch" + name, solve), ("PyTorch compiled" + name, compiled):

                def run():
                    f(a, b, kernel, kernel * cost)
                    wait()

                report(label, k, median(run), pairs, 4 * k * k * ITERATIONS)
    k = SIZES[0][0]
    points = torch.rand(k, 2, device=device)
    kernel = torch.exp(-torch.cdist(points, points) / 0.1)
    a = histograms(GROUPS * WORDS, k)
    torch.set_float32_matmul_precision("highest")

    def project(u, a, kernel):
        s = ((a / (u @ kernel.T)) @ kernel).view(GROUPS, WORDS, k)
        b = torch.exp(torch.log(s).mean(1, keepdim=True))
        return (b / s).view(GROUPS * WORDS, k)

    projected = torch.compile(project, dynamic=False)

    def barycenters():
        u = torch.ones_like(a)
        for _ in range(ROUNDS):
            u = projected(u, a, kernel)
        wait()

    report(f"PyTorch compiled, barycenters of {WORDS}, {ROUNDS} iterations", k, median(barycenters), GROUPS, 4 * k * k * WORDS * ROUNDS)


def with_jax():
    import jax
    import jax.numpy as jnp

    if not SMALL and jax.default_backend() != "gpu":
        return out(peer="JAX", skipped="it sees no GPU")
    for k, pairs in SIZES:
        keys = jax.random.split(jax.random.PRNGKey(0), 3)
        points = jax.random.uniform(keys[0], (k, 2))
        cost = jnp.sqrt(((points[:, None] - points) ** 2).sum(-1))
        a, b = (jax.random.exponential(key, (pairs, k)) for key in keys[1:])
        a, b = a / a.sum(1, keepdims=True), b / b.sum(1, keepdims=True)
        kernel = jnp.exp(-cost / 0.1)
        for name, precision in ("", "float32"), (" TF32", "tensorfloat32"):

            @jax.jit
            def solve(a, b, kernel, weighted):
                with jax.default_matmul_precision(precision):
                    u = jax.lax.fori_loop(0, ITERATIONS, lambda _, u: a / ((b / (u @ kernel)) @ kernel.T), jnp.ones_like(a))
                    return (u * ((b / (u @ kernel)) @ weighted.T)).sum(1)

            report("JAX compiled" + name, k, median(lambda: solve(a, b, kernel, kernel * cost).block_until_ready()), pairs, 4 * k * k * ITERATIONS)


failed = False
for name, run in ("CuPy", with_cupy), ("PyTorch", with_torch), ("JAX", with_jax):
    if ONLY and name != ONLY:
        continue
    try:
        run()
    except ImportError as error:
        out(peer=name, skipped=f"not installed ({error})")
    except Exception as error:  # the other is measured all the same
        out(peer=name, failed=f"{type(error).__name__}: {error}")
        failed = True
sys.exit(failed)
