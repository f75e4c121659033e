"""Generates with exported models and with transformers, and compares the tokens. It knows nothing of Lathe.

python judge_generation.py FOLDER NAME... reads FOLDER/NAME for each name of generation.py, and prints a line of JSON
for each: whether the tokens are the same, and how near the two best scores of a step came.
"""
import json, os, sys

import numpy as np
import onnxruntime
import torch

import generation

NEW, BATCH, PROMPT = 20, 2, 9  # more positions than the windows of the models have


def load(folder, name):
    return onnxruntime.InferenceSession(os.path.join(folder, name), providers=["CPUExecutionProvider"])


def empty(session, batch):
    """Returns the caches before the first run: no positions, or states of zeros."""
    out = {}
    for v in session.get_inputs():
        if v.name.startswith("past_key_values."):
            out[v.name] = np.zeros([batch if i == 0 else d if isinstance(d, int) else 0 for i, d in enumerate(v.shape)], np.float32)
    return out


def run(session, feeds, caches):
    """Returns the scores, and the caches for the next run."""
    takes = {v.name for v in session.get_inputs()}
    got = session.run(None, {n: v for n, v in {**feeds, **caches}.items() if n in takes})
    made = dict(zip([v.name for v in session.get_outputs()], got))
    for name, value in made.items():
        if name.startswith("present."):
            caches["past_key_values." + name[len("present.") :]] = value
    return made["logits"]


def decoder(folder, ids):
    """Generates with model.onnx: the prompt at once if it takes that, then one token at a time."""
    session = load(folder, "model.onnx")
    one = any(v.name == "input_ids" and v.shape[1] == 1 for v in session.get_inputs())
    caches, at, out = empty(session, len(ids)), 0, []
    todo = [ids[:, i : i + 1] for i in range(ids.shape[1])] if one else [ids]
    while len(out) < NEW:
        new = todo.pop(0)
        end = at + new.shape[1]
        feeds = {"input_ids": new, "attention_mask": np.ones((len(ids), end), np.int64), "position_ids": np.arange(at, end)[None].repeat(len(ids), 0)}
        scores, at = run(session, feeds, caches)[:, -1], end
        if not todo:
            out.append(scores)
            todo = [scores.argmax(-1)[:, None].astype(np.int64)]
    return out


def encoder_decoder(folder, model, read):
    """Generates with an encoder, a decoder for the first token, and one that continues its cache."""
    encoder = load(folder, "encoder_model.onnx")
    takes = {v.name for v in encoder.get_inputs()}
    states = encoder.run(["last_hidden_state"], {n: v.numpy() for n, v in read.items() if n in takes})[0]
    feeds = {"encoder_hidden_states": states}
    if "attention_mask" in read:
        feeds["encoder_attention_mask"] = read["attention_mask"].numpy()
    ids, caches, out = np.full((len(states), 1), model.config.decoder_start_token_id, np.int64), {}, []
    for name in ["decoder_model.onnx"] + ["decoder_with_past_model.onnx"] * (NEW - 1):
        session = load(folder, name) if len(out) < 2 else session
        scores = run(session, {**feeds, "input_ids": ids}, caches)[:, -1]
        out.append(scores)
        ids = scores.argmax(-1)[:, None].astype(np.int64)
    return out


def judged(folder, name):
    model = getattr(generation, name)()
    c = model.config
    torch.manual_seed(1)
    if name == "whisper":
        read = {"input_features": torch.randn(BATCH, c.num_mel_bins, 2 * c.max_source_positions)}
    else:
        ids = torch.randint(4, generation.V, (BATCH, PROMPT))
        read = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
    with torch.no_grad():
        if c.is_encoder_decoder:
            got, want = encoder_decoder(folder, model, read), []
            tokens = torch.full((BATCH, 1), c.decoder_start_token_id)
            for _ in range(NEW):
                want.append(model(**read, decoder_input_ids=tokens, use_cache=False).logits[:, -1])
                tokens = torch.cat([tokens, want[-1].argmax(-1, keepdim=True)], 1)
        else:
            got, want, tokens = decoder(folder, ids.numpy()), [], ids
            for _ in range(NEW):
                want.append(model(tokens, use_cache=False).logits[:, -1])
                tokens = torch.cat([tokens, want[-1].argmax(-1, keepdim=True)], 1)
    want = np.stack([w.numpy() for w in want])
    got = np.stack(got)
    best = np.sort(want, -1)
    apart = float(np.abs(got - want).max() / np.abs(want).max())
    same = bool((got.argmax(-1) == want.argmax(-1)).all())
    return {"name": name, "right": same and apart < 1e-3, "tokens": int(want.shape[0] * want.shape[1]), "same": same, "apart": apart, "margin": float((best[..., -1] - best[..., -2]).min())}


for name in sys.argv[2:]:
    try:
        made = judged(os.path.join(sys.argv[1], name), name)
    except Exception as e:
        made = {"name": name, "right": False, "error": "%s: %s" % (type(e).__name__, str(e).split("\n")[0])}
    print(json.dumps(made), flush=True)
