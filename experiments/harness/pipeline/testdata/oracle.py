"""Runs the programs of the paper's authors: oracle.py REPOSITORY WORK NAME K DIM WORD...

They read WORK/corpus/NAME_vocab.txt, WORK/cooc/NAME/NAME.bin and WORK/vectors/NAME.glove, in GloVe's formats, and write
beside them. WORK/NAME.json then has costs, distances between the words, and barycenters of them.
"""
import json
import os
import runpy
import sys

import numpy as np
import ot
import sklearn.cluster

repository, work, name, k, dim, *words = sys.argv[1:]
sys.path.insert(0, repository)
# What newer libraries refuse: the number of threads, and the first of what is one number now.
kmeans, sinkhorn2 = sklearn.cluster.KMeans, ot.sinkhorn2
sklearn.cluster.KMeans = lambda n_jobs=None, **settings: kmeans(n_init=1, **settings)
ot.sinkhorn2 = lambda *args, **settings: np.atleast_1d(sinkhorn2(*args, **settings))


def run(program, *args):
    sys.argv = [program, *args]
    runpy.run_path(os.path.join(repository, program), run_name="__main__")


cooc, vocabulary = f"{work}/cooc/{name}/", f"{work}/corpus/{name}_vocab.txt"
run("cooc_pickler.py", "--cooc-fpath", f"{cooc}{name}.bin", "--vocab-fpath", vocabulary)
run("clustering.py", "--input-vector-file", f"{work}/vectors/{name}.glove", "--algo", "kmeans", "--clusters-to-make", k,
    "--vocab-file", vocabulary, "--target-folder", f"{work}/vectors/clusters/{name}", "--dim", dim)
clusters = f"{work}/vectors/clusters/{name}/" + os.listdir(f"{work}/vectors/clusters/{name}")[0]
for smoothing, shift in (("0.75", "1.0"), ("0.55", "5.0")):
    run("ppmi_fast.py", "--cooc-root-path", cooc, "--smooth", "--smoothing-parameter", smoothing, "--k-shift", shift)
    for normalised in ([], ["--bin-normalization", "ppmi"], ["--bin-normalization", "ppmi", "--bin-norm-exp", "0.5"]):
        run("histograms.py", "--cooc-root-path", cooc, "--ppmi-path", f"{cooc}ppmi_smooth_{smoothing}_k-shift_{shift}.npz",
            "--cluster-data-dir", clusters, "--histogram-data-dir", f"{work}/histograms/{name}", *normalised)
run("ppmi_fast.py", "--cooc-root-path", cooc, "--k-shift", "1", "--cooc-marginals-only")

import utils
import wasserstein

centers = utils.load_pickle(clusters + "/cluster_center.pickle")
ids = {word.split(" ")[0]: i for i, word in enumerate(open(vocabulary))}
histograms = np.load(f"{work}/histograms/{name}/ppmi_smooth_0.75_k-shift_1.0_{os.path.basename(clusters)}/"
                     "normalized_cluster_hists.npz")["arr_0"]
marginals = np.load(f"{cooc}ppmi_smooth_0.75_k-shift_1.0_marginals.npz")["arr_0"][:, 0]
out = {"costs": {}, "distances": {}, "barycenters": {}, "weights": wasserstein.get_wts(marginals, ids, words).tolist()}
for metric, normalise, clip in (("euclidean", "median", True), ("angular", "log", False), ("entailment", "log", False)):
    args = utils.dotdict(gm_type=metric, gm_normalize=normalise, clip_gm=clip, clip_min=0, clip_max=10, regbary=0.1)
    cost = wasserstein.obtain_ground_metric(args, centers)
    out["costs"][metric] = np.ravel(cost).tolist()
    out["distances"][metric] = [
        float(wasserstein.get_wass_dist(histograms[ids[v]], histograms[ids[w]], cost)) for v in words for w in words]
    if metric == "euclidean":
        for kind, weights in (("uniform", None), ("weighted", wasserstein.get_wts(marginals, ids, words))):
            out["barycenters"][kind] = wasserstein.get_wass_bary_fast_mult(
                words, histograms, ids, cost, weights=weights, alpha="uniform" if weights is None else "ppmi").tolist()
with open(f"{work}/{name}.json", "w") as f:
    json.dump(out, f)
