"""Times FAISS beside this library on the same vectors and queries, in 8 bits, and compares with float32. See mips.sh.

Queries are asked one by one. Compared are seconds of the processor, which do not depend on what else runs: of three runs of
all queries the fastest.
"""

import json
import os
import subprocess
import sys
import time

import faiss
import numpy as np


def timed(search, queries, n, repeats=3):
    least = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        rows = [search(q[None, :], n)[1][0].tolist() for q in queries]
        least = min(least, (time.process_time() - start) / len(queries))
    return rows, least


def exact(vectors, queries, n):
    """The rows with the n largest inner products, of float32."""
    best = []
    for q in queries:
        scores = vectors @ q
        top = np.argpartition(-scores, n)[:n]
        best.append(set(top.tolist()))
    return best


def main(program, vectors_file, queries_file, lists, probes, n):
    n = int(n)
    command = [program, "-vectors", vectors_file, "-queries", queries_file, "-n", str(n), "-lists", lists, "-probes", probes]
    ours = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    vectors, queries = np.load(vectors_file), np.load(queries_file)
    truth = exact(vectors, queries, n)
    threads = int(os.environ["OMP_NUM_THREADS"])
    faiss.omp_set_num_threads(threads)
    dim = vectors.shape[1]
    print(f"{len(vectors)} rows of {dim}, {len(queries)} queries, {n} rows each, {threads} threads")
    gb = ours["bytes"] / 1e9
    print(f"{gb:.3f} GB; memory is read at {ours['bandwidth'] / 1e9:.1f} GB/s")

    def line(name, rows, seconds):
        recall = sum(len(truth[i] & set(r)) for i, r in enumerate(rows)) / (n * len(rows))
        share = f"\t{100 * gb * 1e9 / seconds / ours['bandwidth']:.0f} % of bandwidth" if "flat" in name else ""
        print(f"{name}\t{1000 * seconds:.2f} ms a query\trecall@{n} {recall:.3f}{share}", flush=True)

    flat = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    flat.train(vectors[:: max(1, len(vectors) // 100_000)])
    flat.add(vectors)
    line("FAISS flat, 8 bits", *timed(flat.search, queries, n))
    line("here flat, 8 bits", ours["ways"][0]["rows"], ours["ways"][0]["seconds"])
    del flat
    start = time.process_time()
    centroids = faiss.IndexFlatIP(dim)
    lists = ours["lists"]
    inverted = faiss.IndexIVFScalarQuantizer(centroids, dim, lists, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    inverted.cp.spherical = True
    inverted.train(vectors[:: max(1, len(vectors) // (64 * lists))])
    inverted.add(vectors)
    print(f"{lists} lists: made in {time.process_time() - start:.0f} s by FAISS, in {ours['made']:.0f} s here")
    for way in ours["ways"][1:]:
        inverted.nprobe = int(way["name"].split()[1])
        line(f"FAISS {way['name']}", *timed(inverted.search, queries, n))
        line(f"here {way['name']}", way["rows"], way["seconds"])


main(*sys.argv[1:])
