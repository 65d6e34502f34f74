"""Makes vectors of all sentences of a folder of sets by a published encoder. See encoders.sh.

A set is a file of lines with tabs: SemEval's STS.input.*.txt, whose first two fields are the sentences, or any other
.tsv, whose last two are. Vectors lie in FOLDER/NAME.npy, float32, a row for each line of FOLDER/NAME.txt.
"""

import argparse
import pathlib
import time
import zipfile

import numpy
import onnxruntime
import tokenizers

# The archive's model and tokenizer, and how its authors make one vector of the tokens': the mean, or the first.
ENCODERS = {
    "all-MiniLM-L6-v2": ("all-minilm-l6-v2.onnx", "all-minilm-l6-v2-tokenizer.json", "mean"),
    "bge-small-en-v1.5": ("bge-small-en-v1.5.onnx", "bge-small-en-v1.5-tokenizer.json", "first"),
}


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


def encode(archive, name, texts, batch=64):
    model, tokenizer_file, pooling = ENCODERS[name]
    with zipfile.ZipFile(archive) as z:
        session = onnxruntime.InferenceSession(z.read(model), providers=["CPUExecutionProvider"])
        tokenizer = tokenizers.Tokenizer.from_str(z.read(tokenizer_file).decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    wanted = {i.name for i in session.get_inputs()}
    encoded = tokenizer.encode_batch(texts)
    order = sorted(range(len(texts)), key=lambda i: len(encoded[i].ids))
    vectors = None
    for start in range(0, len(order), batch):
        some = order[start : start + batch]
        longest = max(len(encoded[i].ids) for i in some)
        ids = numpy.zeros((len(some), longest), numpy.int64)
        mask = numpy.zeros_like(ids)
        for row, i in enumerate(some):
            ids[row, : len(encoded[i].ids)] = encoded[i].ids
            mask[row, : len(encoded[i].ids)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        tokens = session.run(None, {k: v for k, v in inputs.items() if k in wanted})[0]
        if pooling == "mean":
            out = (tokens * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        else:
            out = tokens[:, 0]
        if vectors is None:
            vectors = numpy.empty((len(texts), out.shape[1]), numpy.float32)
        vectors[some] = out
    return vectors


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--archive", required=True, type=pathlib.Path, help="the .jar with the encoder's weights")
    p.add_argument("--name", required=True, choices=ENCODERS)
    p.add_argument("--sts", required=True, type=pathlib.Path, help="folder of sets")
    p.add_argument("--out", required=True, type=pathlib.Path, help="folder for the vectors")
    a = p.parse_args()
    texts = sentences(a.sts)
    start = time.monotonic()
    vectors = encode(a.archive, a.name, texts)
    a.out.mkdir(parents=True, exist_ok=True)
    numpy.save(a.out / f"{a.name}.npy", vectors)
    (a.out / f"{a.name}.txt").write_text("".join(t + "\n" for t in texts), encoding="utf-8", newline="\n")
    print(f"{a.name}: {len(texts)} sentences, {vectors.shape[1]} components, {time.monotonic() - start:.0f} seconds")


if __name__ == "__main__":
    main()
