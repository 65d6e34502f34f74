"""Times gensim's index of the word mover's distance. See search.sh."""

import sys
import time

from gensim.models import KeyedVectors
from gensim.similarities import WmdSimilarity


def lines(path):
    with open(path, encoding="utf-8") as f:
        return [line.split() for line in f]


def main(vectors, queries, text):
    with open(vectors, encoding="utf-8") as f:
        header = len(f.readline().split()) == 2
    model = KeyedVectors.load_word2vec_format(vectors, no_header=not header)
    sentences, queries = lines(text), lines(queries)
    start = time.perf_counter()
    index = WmdSimilarity(sentences, model, num_best=10)
    print(f"gensim: index of {len(sentences)} sentences in memory in {time.perf_counter() - start:.2f} s")
    clock, processor = time.perf_counter(), time.process_time()
    for query in queries:
        index[query]
    n = len(queries)
    clock, processor = time.perf_counter() - clock, time.process_time() - processor
    print(f"gensim: {n} queries for 10 sentences each: {n / clock:.3f} queries a second; {processor / n:.2f} s of processor time each")


main(*sys.argv[1:])
