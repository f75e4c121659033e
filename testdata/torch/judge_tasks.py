"""Judges exports of transformers by task: python judge_tasks.py FOLDER NAME…

FOLDER/NAME.onnx is run in ONNX Runtime, and the model of architectures.py in transformers, on the same inputs in three
sizes. Prints a line of JSON for each: the worst difference over the tolerance, sizes, and the inputs and outputs of the file.
"""
import json, os, sys

import numpy as np
import onnxruntime
import torch

import architectures

SIZES = [(1, 3), (3, 9), (4, 17)]


def given(inputs, batch, length, drawn):
    """Inputs by name as the file declares them: what is free gets a size, what is not keeps its own."""
    sizes = {"batch": batch, "sequence": length, "encoder_sequence": length + 2, "decoder_sequence": length, "height": 32 * (1 + length // 4), "width": 32 * (1 + length // 6)}
    out = {}
    for i in inputs:
        named = dict(sizes, sequence=1200 + 340 * length) if i.name == "input_values" else sizes
        shape = [n if isinstance(n, int) else named[n] for n in i.shape]
        if "mask" in i.name:
            v = np.ones(shape, np.int64)
            if batch > 1:
                v[0, -(length // 3) :] = 0  # the first is shorter
        elif i.name == "token_type_ids":
            v = np.tile((np.arange(shape[1]) > shape[1] // 2).astype(np.int64), (shape[0], 1))
        elif i.type == "tensor(int64)":
            v = drawn.integers(5, len(architectures.WORDS), shape)
            v[:, -1] = 3  # the end of a text, once in each
        else:
            v = drawn.standard_normal(shape).astype(np.float32)
        out[i.name] = v
    return out


def expected(model, task, fed):
    """The outputs by name, as whoever calls transformers gets them."""
    fed = {n: torch.from_numpy(v) for n, v in fed.items()}
    if task == "seq2seq-decoder":
        more = {"attention_mask": fed["encoder_attention_mask"]} if "encoder_attention_mask" in fed else {}
        return {"logits": model(encoder_outputs=(fed["encoder_hidden_states"],), decoder_input_ids=fed["input_ids"], use_cache=False, **more).logits}
    if task in ("seq2seq-encoder", "default", "pooling") and getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    told = model(**fed)
    if task == "pooling":
        mask = fed["attention_mask"].unsqueeze(-1).float()
        return {"embeddings": (told.last_hidden_state * mask).sum(1) / mask.sum(1)}
    return {n: told[n] for n in ("last_hidden_state", "logits", "start_logits", "end_logits") if n in told}


def judge(folder, name):
    model, _ = getattr(architectures, name)()
    task, drawn = architectures._ALL[name], np.random.default_rng(0)
    session = onnxruntime.InferenceSession(os.path.join(folder, name + ".onnx"), providers=["CPUExecutionProvider"])
    inputs, outputs = session.get_inputs(), session.get_outputs()
    worst, sizes, names = 0.0, [], [o.name for o in outputs]
    for batch, length in SIZES:
        fed = given(inputs, batch, length, drawn)
        with torch.no_grad():
            want = expected(model, task, fed)
        if sorted(want) != sorted(names):
            raise ValueError("gives %s, expected %s" % (names, sorted(want)))
        for n, got in zip(names, session.run(None, fed)):
            w = want[n].numpy()
            if got.shape != w.shape or not np.isfinite(w).all():
                raise ValueError("%s is %s, expected %s" % (n, got.shape, w.shape))
            worst = max(worst, float((np.abs(got - w) / (1e-4 * np.abs(w) + 1e-4 * max(1.0, np.abs(w).max()))).max()))
        sizes.append("×".join(str(n) for n in next(iter(fed.values())).shape))
    as_text = lambda ports: ", ".join("%s[%s]" % (p.name, ",".join(map(str, p.shape))) for p in ports)
    return {"right": worst <= 1, "of_limit": round(worst, 5), "sizes": sizes, "inputs": as_text(inputs), "outputs": as_text(outputs)}


for name in sys.argv[2:]:
    try:
        told = judge(sys.argv[1], name)
    except Exception as e:
        told = {"right": False, "error": "%s: %s" % (type(e).__name__, str(e)[:300])}
    print(json.dumps(dict(told, name=name, task=architectures._ALL[name])), flush=True)
