"""Times gensim's word mover's distance beside this library's on the same pairs and vectors, turn by turn. See wmd.sh.

Compared are seconds of the processor, which do not depend on what else runs.
"""

import subprocess
import sys
import time

from gensim.models import KeyedVectors


def main(program, vectors, pairs, runs=5):
    model = KeyedVectors.load_word2vec_format(vectors)
    sentences = []
    with open(pairs, encoding="utf-8") as f:
        for line in f:
            fields = line.rstrip("\n").split("\t")
            sentences.append([s.split() for s in fields[-2:]])
    model.wmdistance(*sentences[0])  # what is loaded once
    ratios, worst = [], 0.0
    for _ in range(runs):
        start = time.process_time()
        theirs = [model.wmdistance(a, b) for a, b in sentences]
        seconds = time.process_time() - start
        out = subprocess.run([program, "-vectors", vectors, "-pairs", pairs], capture_output=True, text=True, check=True).stdout.split()
        ours = [float(x) for x in out[:-1]]
        for x, y in zip(theirs, ours, strict=True):
            if x != y:
                worst = max(worst, abs(x - y))
        ratios.append(seconds / float(out[-1]))
        print(f"{len(sentences)} pairs: gensim {seconds:.2f} s of processor time, here {float(out[-1]):.3f} s")
    ratios.sort()
    print(f"gensim takes {ratios[runs // 2]:.0f} times as long ({ratios[0]:.0f} to {ratios[-1]:.0f}); distances differ by {worst:.1g} at most")


main(*sys.argv[1:])
