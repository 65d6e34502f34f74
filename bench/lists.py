"""Times FAISS on the rows and lists of an index, beside what bench/lists has found there. See lists.sh.

FAISS has each row as this library rounded it, with the same centroids, and each in the same list, so that only
the search differs. Rows that are equal count once. A row that is found is right if it is among the nearest by float32.
"""

import json
import os
import pathlib
import sys
import time

import faiss
import numpy as np


def tables(index):
    """The segment's rows as bytes, of each row its position and its list, and the centroids."""
    (segment,) = json.loads((index / "index.json").read_text())["segments"]
    dim, n = segment["vectors"]["dim"], segment["sentences"]
    name = segment["file"].removesuffix(".sentences")
    rows = np.memmap(index / f"{name}.vectors", np.uint8, "r").reshape(n, 4 + dim)
    table = (index / f"{name}.lists").read_bytes()
    lists, part = (int(x) for x in np.frombuffer(table, np.uint32, 2))
    at = 8 + lists * (4 + dim)
    centroids = numbers(np.frombuffer(table, np.uint8, lists * (4 + dim), 8).reshape(lists, 4 + dim))
    position, assigned = np.empty(n, np.int64), np.empty(n, np.int64)
    for first in range(0, n, part):
        some = min(part, n - first)
        ends = np.frombuffer(table, np.uint32, lists, at).astype(np.int64)
        position[first : first + some] = first + np.frombuffer(table, np.uint32, some, at + 8 * lists)
        assigned[first : first + some] = np.repeat(np.arange(lists), np.diff(ends, prepend=0))
        at += 8 * lists + 4 * some
    return rows, position, assigned, centroids


def numbers(rows):
    """Rows of bytes as float32."""
    factors = np.ascontiguousarray(rows[:, :4]).view(np.float32)
    return rows[:, 4:].view(np.int8).astype(np.float32) * factors


def timed(search, queries, n, repeats=3):
    least, processor = float("inf"), float("inf")
    for _ in range(repeats):
        clocks, before = [], time.process_time()
        found = []
        for q in queries:
            start = time.perf_counter()
            found.append(search(q[None, :], 4 * n)[1][0])  # more, of which equal ones are left out
            clocks.append(time.perf_counter() - start)
        least = min(least, sorted(clocks)[len(clocks) // 2])
        processor = min(processor, (time.process_time() - before) / len(queries))
    return found, least, processor


def memory(kind):
    for line in open("/proc/self/status"):
        if line.startswith(kind):
            return int(line.split()[1]) / 1e6
    return float("nan")


def main(folder, ours, vectors, n):
    n = int(n)
    ours, queries = json.loads(pathlib.Path(ours).read_text()), np.load(vectors)
    rows, position, assigned, centroids = tables(pathlib.Path(folder))
    row_of = np.empty(len(position), np.int64)
    row_of[position] = np.arange(len(position))
    total, dim = len(rows), rows.shape[1] - 4
    print(f"{total} sentences, {dim} numbers, {len(queries)} queries, {n} sentences each, "
          f"{len(centroids)} lists; {rows.nbytes / 1e9:.2f} GB of rows")
    print(f"first answer after {ours['opened']:.2f} s; {ours['memory'] / 1e9:.2f} GB of memory at most, with files")
    truth = [{bytes(rows[row_of[p]]) for p in list_} for list_ in ours["truth"]]

    def line(name, found, clock, processor, more=""):
        right = 0
        for t, list_ in zip(truth, found):
            first = list(dict.fromkeys(bytes(rows[r]) for r in list_ if r >= 0))[:n]
            right += len(t & set(first))
        print(f"{name}\t{1000 * clock:.1f} ms, {1000 * processor:.1f} ms of the processor\t"
              f"recall@{n} {right / sum(len(t) for t in truth):.3f}{more}", flush=True)

    for way in ours["ways"]:
        found = [[row_of[p] for p in list_] for list_ in way["found"]]
        line(f"here, {way['name']}", found, way["clock"], way["processor"],
             f"\tslowest {1000 * way['slowest']:.1f} ms\t{way['compared'] / total:.4f} of the sentences")
    faiss.omp_set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    chunk = 100_000
    probes = max(1, (len(centroids) + 15) // 16)

    before = time.process_time()
    flat = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    flat.train(numbers(rows[:: max(1, total // chunk)]))
    for first in range(0, total, chunk):
        flat.add(numbers(rows[first : first + chunk]))
    print(f"FAISS flat made in {time.process_time() - before:.0f} s of the processor, {memory('RssAnon'):.2f} GB")
    line("FAISS flat, 8 bits", *timed(flat.search, queries, n))
    del flat

    before = time.process_time()
    quantiser = faiss.IndexFlatIP(dim)
    quantiser.add(centroids)
    kind = faiss.ScalarQuantizer.QT_8bit
    ivf = faiss.IndexIVFScalarQuantizer(quantiser, dim, len(centroids), kind, faiss.METRIC_INNER_PRODUCT)
    ivf.train(numbers(rows[:: max(1, total // chunk)]))
    for first in range(0, total, chunk):
        x = np.ascontiguousarray(numbers(rows[first : first + chunk]))
        ids = np.arange(first, first + len(x), dtype=np.int64)
        lists = np.ascontiguousarray(assigned[first : first + len(x)])
        ivf.add_core(len(x), faiss.swig_ptr(x), faiss.swig_ptr(ids), faiss.swig_ptr(lists))
    ivf.nprobe = probes
    took = time.process_time() - before
    print(f"FAISS lists made in {took:.0f} s of the processor, of lists made here, {memory('RssAnon'):.2f} GB")
    line(f"FAISS, {probes} lists, 8 bits", *timed(ivf.search, queries, n))


main(*sys.argv[1:])
