"""Trains DIVE, Gaussian embeddings or Poincaré GloVe by their authors' programs; prints what embeddings/main.go reads.
See embeddings.sh, which builds them. The last line is {"seconds": of the processor, training alone, "loss": of the last
pass, "rows": a .npy with a row for each word of FOLDER/vocab.txt}.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time

import numpy


def gaussian(a, words, _):
    from word2gauss.embeddings import GaussianEmbedding
    from word2gauss.words import Vocabulary, iter_pairs

    numpy.random.seed(a.seed)
    model = GaussianEmbedding(len(words), a.dim, covariance_type="spherical", energy_type="KL")
    vocabulary = Vocabulary({word: i for i, word in enumerate(words)})
    start = time.process_time()
    for _ in range(a.passes):
        with open(a.text, encoding="utf-8") as text:
            pairs = iter_pairs(text, vocabulary, batch_size=100, nsamples=1, window=5)
            model.train(pairs, n_workers=a.threads, report_interval=None)
    seconds = time.process_time() - start
    n = len(words)
    return seconds, None, numpy.hstack([model.mu[:n], numpy.repeat(model.sigma[:n], a.dim, 1)])


class Model:
    """What train_glove_epoch reads of the authors' Glove and its parts, and starts from as they do.

    Their class itself needs gensim's fork as a whole, and evaluates files that are not in the repository after each pass.
    """

    def get_attr(self, name, default=0):
        return getattr(self, name, default)


def poincare(a, words, counts):
    from src.glove_inner import train_glove_epoch

    random, n, single = numpy.random.RandomState(a.seed), len(words), numpy.float32
    model = Model()
    model.poincare, model.euclid, model.num_embs, model.vector_size = 1, 0, a.dim // 2, a.dim
    model.dist_func, model.optimizer, model.lr = "cosh-dist-sq", "mixradagrad", 0.05
    model.with_bias, model.use_log_probs, model.use_glove_format, model.compute_loss = True, False, True, True
    model.max_word_index, model.num_workers, model.chunksize = n, a.threads, 1000
    model.coocc_file = os.path.join(a.folder, "cooccurrence.bin")
    model.num_pairs = os.path.getsize(model.coocc_file) // 16
    model.wv, t = Model(), Model()
    model.trainables = t

    def uniform(*shape):
        return (random.rand(*shape) * 0.002 - 0.001).astype(single)

    model.wv.vectors, t.syn1, t.b0, t.b1 = uniform(n, a.dim), uniform(n, a.dim), uniform(n), uniform(n)
    model.wv.index2freq = numpy.array(counts, numpy.uint32)
    for part in ("gradsq", "mom", "betas"):
        fill = numpy.zeros if part == "mom" else numpy.ones
        for name, shape in ("syn0", (n, a.dim)), ("syn1", (n, a.dim)), ("b0", n), ("b1", n):
            setattr(t, part + "_" + name, fill(shape, single))
    start = time.process_time()
    for _ in range(a.passes):
        loss, trained = train_glove_epoch(model)
    return time.process_time() - start, float(loss) / trained, model.wv.vectors


def dive(a, words, _):
    """The text has rows of 100 words, as dataset_preproc.py makes them: see main.go. Batches are of 8 rows, where the authors take
    128 of many more: what little text there is would make so few steps of so small a rate that nothing is learnt.
    """
    python, row = sys.executable, 100
    prepared, model = os.path.join(a.folder, "prepared"), os.path.join(a.folder, "model")
    rows = sum(1 for _ in open(a.text, encoding="utf-8"))
    if not os.path.exists(prepared):
        counts = os.path.join(a.folder, "counts")
        steps = ["-r", row, "-p", 10, "-w", 10, "-n", 30, "-l", rows, "-i", a.text, "-c", counts, "-o", prepared]
        subprocess.run([python, "prepare_PMI.py", *map(str, steps)], cwd=a.source, check=True, stdout=subprocess.DEVNULL)
    settings = {
        "window_size": 10, "model_dir": model, "emb_size": a.dim, "data_shard_cols": row, "data_shard_rows": rows,
        "training_file": prepared, "num_neg_samples": 30, "max_epoch": a.passes, "batch_size": 8,
    }  # fmt: skip
    command = [python, "DIVE_train.py", "--use_projection", *(f"--{k}={v}" for k, v in settings.items())]
    out = subprocess.run(command, cwd=a.source, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "THREADS": str(a.threads)})
    seconds = float(re.findall(r"speed: ([0-9.]+) s", out.stdout)[-1])  # of all passes up to the last
    with open(os.path.join(model, "word-emb.json"), encoding="utf-8") as f:
        vectors = json.load(f)
    table = numpy.zeros((len(words), a.dim))
    for i, word in enumerate(words):
        for k, value in vectors[word].items():
            table[i, int(k)] = value
    return seconds, None, table


SYSTEMS = {"gaussian": gaussian, "poincare": poincare, "dive": dive}


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("system", choices=list(SYSTEMS))
    p.add_argument("--source", required=True)
    p.add_argument("--text", required=True)
    p.add_argument("--folder", required=True)
    for name in ("--dim", "--passes", "--threads", "--seed"):
        p.add_argument(name, required=True, type=int)
    a = p.parse_args()
    sys.path.insert(0, a.source)
    with open(os.path.join(a.folder, "vocab.txt"), encoding="utf-8") as f:
        vocabulary = [line.rstrip("\n").split(" ") for line in f]
    seconds, loss, rows = SYSTEMS[a.system](a, [word for word, _ in vocabulary], [int(count) for _, count in vocabulary])
    path = os.path.join(a.folder, "rows.npy")
    numpy.save(path, numpy.ascontiguousarray(rows, numpy.float32))
    print(json.dumps({"seconds": seconds, "loss": loss, "rows": path}))


if __name__ == "__main__":
    main()
