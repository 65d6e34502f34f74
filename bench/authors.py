"""Converts the files of the paper's authors to text and .npy files, which repro reads.

    python3 bench/authors.py FROM TO          needs NumPy and SciPy

FROM is the folder that the README of github.com/sidak/context-mover-distance-and-barycenters (commit 9c269816) names,
downloaded whole. Its files may lie anywhere in it: they are known by the names that the authors' programs give them.
Those of a path with "wiki", "entail" or "henderson" in it are of Wikipedia, the others of books. What TO/authors/books
and TO/authors/wikipedia then have is told in experiments/harness/pipeline/authors.go.
"""

import hashlib
import pathlib
import pickle
import re
import sys

import numpy as np
import scipy.sparse

NUMBER = r"([0-9]+(?:\.[0-9]+)?)"
PPMI = re.compile(f"ppmi_smooth_{NUMBER}_k-shift_{NUMBER}")
notes = []


class Unpickler(pickle.Unpickler):
    """Reads lists, dicts, strings, numbers and arrays alone: a pickle of anything else could run what it likes."""

    def find_class(self, module, name):
        if module.split(".")[0] == "numpy" and name in ("_reconstruct", "ndarray", "dtype", "scalar", "_frombuffer"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"has a {module}.{name}, expected words, numbers and arrays")


def load(path, read):
    """What read makes of a file; one that is cut short or damaged ends the program, which names it."""
    try:
        return read(path)
    except Exception as e:
        sys.exit(f"{path}: {path.stat().st_size} bytes, cut short or damaged ({e}): download it again")


def unpickled(path):
    def read(p):
        with open(p, "rb") as f:
            return Unpickler(f).load()
    return load(path, read)


def array(path):
    return load(path, lambda p: np.load(p, allow_pickle=False)["arr_0"])


def number(text):
    return f"{float(text):g}"


class Corpus:
    """The files of one corpus, and the folder that they are converted to."""

    def __init__(self, root, files, to):
        self.root, self.files, self.to = root, files, to

    def find(self, pattern):
        return [f for f in self.files if re.fullmatch(pattern, f.name)]

    def only(self, pattern, what):
        found = self.find(pattern)
        if not found:
            sys.exit(f"{self.root}: no file of the {self.to.name} has a name like {pattern}, {what}")
        return found[0]

    def pass_over(self, path, why):
        notes.append(f"passed over: {path.relative_to(self.root)}: {why}")

    def save(self, name, data, dtype):
        path = self.to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, np.ascontiguousarray(data, dtype=dtype))

    def convert(self):
        self.words = unpickled(self.only(r".*id2word_cooc.*\.pickle", "the list of words"))
        self.ids = {w: i for i, w in enumerate(self.words)}
        self.to.mkdir(parents=True, exist_ok=True)
        self.vocabulary()
        for path in self.find(r".*\.npz"):
            self.matrix(path)
        self.clusters()
        lines = []
        for path in sorted(p for p in self.to.rglob("*") if p.is_file() and p.name != "files.tsv"):
            with open(path, "rb") as f:
                digest = hashlib.file_digest(f, "sha256").hexdigest()
            lines.append(f"{digest}\t{path.stat().st_size}\t{path.relative_to(self.to).as_posix()}\n")
        (self.to / "files.tsv").write_text("".join(lines))

    def vocabulary(self):
        """Words with counts: of the authors' vocabulary, or else rounded sums of co-occurrences."""
        counts = None
        for path in self.find(r".*vocab.*"):
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                lines = [line.rstrip("\n").split(" ") for line in f]
            if [l[0] for l in lines] == self.words and all(len(l) == 2 and l[1].isdigit() for l in lines):
                counts = [int(l[1]) for l in lines]
            else:
                self.pass_over(path, f"not the {len(self.words)} words of id2word_cooc with a count each")
        if counts is None:
            path = self.only(r"cooc_marginals\.npz", "nor is there a vocabulary with counts")
            counts = np.rint(array(path).ravel()).astype(np.int64)
            notes.append(f"{self.to}/vocab.txt: no vocabulary, so words count as often as they co-occur")
        with open(self.to / "vocab.txt", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as f:
            f.writelines(f"{w} {n}\n" for w, n in zip(self.words, counts, strict=True))

    def matrix(self, path):
        n, named = len(self.words), PPMI.match(path.name)
        if named:
            folder = f"associations_{number(named[1])}_{number(named[2])}"
        if path.name == "normalized_cluster_hists.npz":
            return self.histograms(path)
        if named and path.name == named[0] + "_marginals.npz" or path.name == "cooc_marginals.npz":
            sums = array(path).ravel()
            if len(sums) != n:
                return self.pass_over(path, f"{len(sums)} sums of {n} words")
            return self.save((folder if named else "counts") + "/marginals.npy", sums, np.float64)
        if not (named and path.name == named[0] + ".npz" or path.name == "cooc_sps_matrix.npz"):
            return self.pass_over(path, "a variant, or no file of the authors' programs")
        m = load(path, scipy.sparse.load_npz).tocsr()
        if m.shape != (n, n):
            return self.pass_over(path, f"{m.shape[0]}×{m.shape[1]}, of {n} words")
        m.sum_duplicates()
        m.eliminate_zeros()
        m.sort_indices()
        folder, dtype = (folder, np.float32) if named else ("counts", np.float64)
        self.save(folder + "/start.npy", m.indptr, np.int64)
        self.save(folder + "/index.npy", m.indices, np.int32)
        self.save(folder + "/value.npy", m.data, dtype)

    def histograms(self, path):
        named = PPMI.match(path.parent.name)
        beta = re.search(f"_ppmi_bin_norm_{NUMBER}$", path.parent.name)
        if not named or "_num_bin_norm" in path.parent.name or "cosine" in path.parent.name:
            return self.pass_over(path, "of settings that its folder does not tell, or that are not read")
        h = array(path)
        if h.shape[0] != len(self.words):
            return self.pass_over(path, f"{h.shape[0]} rows of {len(self.words)} words")
        beta = number(beta[1]) if beta else "none"
        name = f"histograms_{number(named[1])}_{number(named[2])}_{h.shape[1]}_{beta}/histograms.npy"
        self.save(name, np.nan_to_num(h), np.float32)

    def clusters(self):
        """Clusters, and the vectors of words that they are of; all have to be of the same vectors."""
        vectors = None
        for path in self.find(r"cluster_center\.pickle"):
            given = unpickled(path.with_name("word_vector.pickle"))
            given = {w: np.asarray(v, np.float32) for w, v in given.items() if w in self.ids}
            centroids = np.asarray(unpickled(path))
            if vectors is None:
                vectors = given
                with open(self.to / "vectors.txt", "w", encoding="utf-8", errors="surrogateescape", newline="\n") as f:
                    for word in sorted(given, key=self.ids.get):
                        f.write(word + "".join(f" {x:.9g}" for x in given[word].tolist()) + "\n")
            elif any(w not in given or not np.array_equal(v, given[w]) for w, v in vectors.items()):
                self.pass_over(path, "clusters of other vectors than vectors.txt")
                continue
            assignment = np.full(len(self.words), -1)
            for cluster, members in unpickled(path.with_name("cluster_to_words.pickle")).items():
                assignment[[self.ids[w] for w in members if w in self.ids]] = int(cluster)
            folder = f"clusters_{len(centroids)}" + ("_cosine" if "cosine" in path.parent.name else "")
            self.save(folder + "/centroids.npy", centroids, np.float32)
            self.save(folder + "/assignment.npy", assignment, np.int32)
        if vectors is None:
            self.only(r"cluster_center\.pickle", "with word_vector.pickle and cluster_to_words.pickle beside it")


def main(source, target):
    root = pathlib.Path(source)
    files = {"books": [], "wikipedia": []}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        wikipedia = re.search("wiki|entail|henderson", path.relative_to(root).as_posix().lower())
        files["wikipedia" if wikipedia else "books"].append(path)
    for name, found in files.items():
        Corpus(root, found, pathlib.Path(target) / "authors" / name).convert()
    print(*notes, f"converted to {target}: repro data fetch --profile authors --from {target}", sep="\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
