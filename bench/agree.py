"""Prints how well encoders agree with people on sets of pairs: Pearson × 100 of cosines, with 95 % intervals.

    bin/bench-encoders/bin/python bench/agree.py DATA

DATA/sts/NAME.tsv has a score and two texts a line; DATA/encoders is what bench/encoders.sh DATA has made of them.
GloVe's vectors are averaged, of words in lower case and signs.
"""

import pathlib
import re
import sys

import numpy


def glove(path, texts):
    wanted = {t: re.findall(r"\w+|[^\w\s]", t.lower()) for t in texts}
    words, found = {w for list_ in wanted.values() for w in list_}, {}
    with open(path, "rb") as f:
        count, dim = map(int, f.readline().split())
        for _ in range(count):
            word = b""
            while (c := f.read(1)) != b" ":
                word += c
            vector = f.read(4 * dim)
            f.read(1)
            if (word := word.decode()) in words:
                found[word] = numpy.frombuffer(vector, numpy.float32)
    zero = numpy.zeros(dim, numpy.float32)
    return {t: sum((found.get(w, zero) for w in list_), zero) for t, list_ in wanted.items()}


def main(folder):
    sets = {}
    for path in sorted((folder / "sts").glob("*.tsv")):
        sets[path.stem] = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line]
    texts = {t for pairs in sets.values() for p in pairs for t in p[1:]}
    print("| |", " | ".join(f"{name}, {len(pairs)} pairs" for name, pairs in sets.items()), "|")
    for path in sorted((folder / "encoders").glob("*.npy")) + sorted((folder / "encoders").glob("*.bin")):
        if path.suffix == ".npy":
            vectors = dict(zip(path.with_suffix(".txt").read_text(encoding="utf-8").split("\n"), numpy.load(path)))
        else:
            vectors = glove(path, texts)
        cells = []
        for pairs in sets.values():
            gold = numpy.array([float(p[0]) for p in pairs])
            a, b = (numpy.array([vectors[p[i]] for p in pairs], float) for i in (1, 2))
            length = numpy.linalg.norm(a, axis=1) * numpy.linalg.norm(b, axis=1)
            cos = (a * b).sum(1) / numpy.where(length > 0, length, 1)
            random = numpy.random.default_rng(1)
            draws = [numpy.corrcoef(cos[i], gold[i])[0, 1] for i in random.integers(0, len(gold), (1000, len(gold)))]
            low, high = numpy.percentile(draws, [2.5, 97.5])
            cells.append(f"{100 * numpy.corrcoef(cos, gold)[0, 1]:.1f} [{100 * low:.1f}, {100 * high:.1f}]")
        print(f"| {path.stem} |", " | ".join(cells), "|", flush=True)


main(pathlib.Path(sys.argv[1]))
