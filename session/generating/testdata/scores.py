"""Writes scores.npz and summary.json: scores of two models for the same tokens, as ONNX Runtime's Python
package returns them, and what NumPy makes of them. Needs numpy, onnx and onnxruntime.

    python session/generating/testdata/scores.py
"""

import json
import pathlib

import numpy
import onnx
import onnxruntime
from onnx import numpy_helper

HERE = pathlib.Path(__file__).parent
PROMPTS, LENGTH, TOKENS, WORDS = 3, 5, 12, 96


def models():
    """Returns sessions of a decoder, and of the same one with a weight of layer 1 that is scaled."""
    model = onnx.load(HERE.parents[2] / "testdata" / "decoders" / "joined.onnx")
    yield onnxruntime.InferenceSession(model.SerializeToString())
    for t in model.graph.initializer:
        if t.name == "val_132":
            t.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(t) * numpy.float32(1.3), t.name))
    yield onnxruntime.InferenceSession(model.SerializeToString())


def walk(session, ids, tokens):
    """Feeds a prompt and then single tokens, those given or the best ones. Returns the scores of all positions."""
    caches = {i.name: numpy.zeros((1, 4, 0, 8), numpy.float32) for i in session.get_inputs() if "past" in i.name}
    past, rows, chosen = 0, [], []
    for step in range(TOKENS):
        new = len(ids)
        feeds = {
            "input_ids": numpy.array([ids], numpy.int64),
            "attention_mask": numpy.ones((1, past + new), numpy.int64),
            "position_ids": numpy.arange(past, past + new, dtype=numpy.int64)[None],
            **caches,
        }
        names = [o.name for o in session.get_outputs()]
        out = dict(zip(names, session.run(names, feeds)))
        rows.append(out["logits"][0])
        caches = {name: out[name.replace("past_key_values", "present")] for name in caches}
        past += new
        chosen.append(int(rows[-1][-1].argmax()))
        ids = [tokens[step] if tokens else chosen[-1]]
    return numpy.concatenate(rows), chosen


def log_softmax(x):
    x = x.astype(numpy.float64)
    x = x - x.max(-1, keepdims=True)
    return x - numpy.log(numpy.exp(x).sum(-1, keepdims=True))


random = numpy.random.default_rng(0)
prompts = random.integers(0, WORDS, (PROMPTS, LENGTH))
first, second = models()
arrays, tokens = {"prompts": prompts}, []
for i, p in enumerate(prompts):
    a, chosen = walk(first, p.tolist(), None)
    b, _ = walk(second, p.tolist(), chosen)
    arrays[f"a{i}"], arrays[f"b{i}"] = a, b
    tokens.append(chosen)
numpy.savez(HERE / "scores.npz", **arrays)

a = numpy.concatenate([arrays[f"a{i}"] for i in range(PROMPTS)])
b = numpy.concatenate([arrays[f"b{i}"] for i in range(PROMPTS)])
p, q = log_softmax(a), log_softmax(b)
kl = (numpy.exp(p) * (p - q)).sum(-1)
differs = [next((k for k in range(TOKENS) if arrays[f"a{i}"][LENGTH - 1 + k].argmax() != arrays[f"b{i}"][LENGTH - 1 + k].argmax()), -1) for i in range(PROMPTS)]
json.dump({
    "tokens": tokens,
    "same": int((a.argmax(-1) == b.argmax(-1)).sum()),
    "of": len(a),
    "mean": kl.mean(),
    "p99": numpy.sort(kl)[int(numpy.ceil(0.99 * len(kl))) - 1],
    "max": kl.max(),
    "largest": float(numpy.abs(a.astype(numpy.float64) - b).max()),
    "differs": differs,
}, open(HERE / "summary.json", "w"), indent=1)
