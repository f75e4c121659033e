"""Prints what numpy and onnxruntime make of a classifier on labels, and of a decoder on a text, as JSON."""
import json
import sys

import numpy as np
import onnxruntime as ort


def session(path):
    return ort.InferenceSession(path, providers=["CPUExecutionProvider"])


def classifier(model, data):
    arrays, run = np.load(data), session(model)
    batch = run.get_inputs()[0].shape[0]
    names = [i.name for i in run.get_inputs()]
    step = batch if isinstance(batch, int) else 64
    labels = arrays["labels"]
    scores = [
        run.run(None, {n: arrays[n][at : at + step] for n in names})[0] for at in range(0, len(labels), step)
    ]
    scores = np.concatenate(scores)
    order = np.argsort(-scores, axis=1, kind="stable")
    return {"top1": int((order[:, 0] == labels).sum()), "top5": int((order[:, :5] == labels[:, None]).any(1).sum()), "of": len(labels)}


def decoder(model, texts):
    run, nll, right, tokens = session(model), 0.0, 0, 0
    for ids in np.load(texts):
        feeds = {}
        for i in run.get_inputs():
            if i.name == "input_ids":
                feeds[i.name] = ids[None, :]
            elif i.name == "position_ids":
                feeds[i.name] = np.arange(len(ids), dtype=np.int64)[None, :]
            elif i.name == "attention_mask":
                feeds[i.name] = np.ones((1, len(ids)), np.int64)
            else:
                shape = [d if isinstance(d, int) else (1 if "batch" in d else 0) for d in i.shape]
                feeds[i.name] = np.zeros(shape, np.float32)
        scores = run.run(["logits"], feeds)[0][0, :-1].astype(np.float64)
        top = scores.max(1, keepdims=True)
        logs = scores - top - np.log(np.exp(scores - top).sum(1, keepdims=True))
        nll -= logs[np.arange(len(ids) - 1), ids[1:]].sum()
        right += int((scores.argmax(1) == ids[1:]).sum())
        tokens += len(ids) - 1
    return {"perplexity": float(np.exp(nll / tokens)), "right": right, "tokens": tokens}


if __name__ == "__main__":
    kind, model, data = sys.argv[1:]
    print(json.dumps({"classifier": classifier, "decoder": decoder}[kind](model, data)))
