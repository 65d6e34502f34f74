#!/usr/bin/env python3
"""Compares the methods nearest and sif of a space on sets of sentence pairs.

    bench/nearest.py FOLDER...

A folder has sets as files NAME.tsv, a gold score and two sentences in a line. Printed is, for each folder and for all,
the mean over its sets of 100·Pearson of both methods, and their difference with its 95 % interval by 5,000 paired
bootstrap draws of the pairs of each set. bin/repro answers for the built-in space.
"""
import glob, json, random, statistics, subprocess, sys


def scores(file, method):
    out = subprocess.run(["bin/repro", "score", "--pairs", file, "--method", method, "--json"], check=True, capture_output=True)
    lines = json.loads(out.stdout)["scores"]
    return [line["score"] for line in lines], [line["gold"] for line in lines]


def pearson(x, y):
    return 100 * statistics.correlation(x, y)


def show(name, folders):
    draws = []
    for _ in range(5000):
        means = []
        for sets in folders:
            parts = []
            for a, b, g in sets:
                at = random.choices(range(len(g)), k=len(g))
                parts.append(pearson([a[i] for i in at], [g[i] for i in at]) - pearson([b[i] for i in at], [g[i] for i in at]))
            means.append(statistics.fmean(parts))
        draws.append(statistics.fmean(means))
    draws.sort()
    mean = lambda k: statistics.fmean(statistics.fmean(pearson(s[k], s[2]) for s in sets) for sets in folders)
    print(f"{name}: nearest {mean(0):.1f}, sif {mean(1):.1f}, difference {mean(0) - mean(1):.1f} [{draws[124]:.1f}, {draws[4875]:.1f}]")


def main():
    random.seed(1)
    folders = []
    for folder in sys.argv[1:]:
        sets = []
        for file in sorted(glob.glob(folder + "/*.tsv")):
            (a, gold), (b, _) = scores(file, "nearest"), scores(file, "sif")
            sets.append((a, b, gold))
        folders.append(sets)
        show(folder, [sets])
    if len(folders) > 1:
        show("all", folders)


main()
