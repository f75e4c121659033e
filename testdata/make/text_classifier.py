"""Makes text_classifier.onnx and text_test.npz.

Packages: torch, numpy (also the source of the text), onnx, onnxscript, onnxruntime.
Takes about four minutes on one core.

A transformer encoder tells lines of Python from lines of C. The text is what the numpy wheel ships:
its Python modules and its C headers, the same bytes wherever that version is installed. A line is
read as its UTF-8 bytes: a token id is a byte value, and 0, which no line contains, is the padding.

The layers are written out in the manner of BERT (separate query, key and value projections, an
additive mask, normalization after each residual), because that is the graph which optimizers look
for. It is left as the exporter writes it: without value_info. No sequence may exceed MAX_TOKENS.
"""

import training  # before torch: it sets what the math libraries read once

import math
import pathlib

import numpy as np
import torch
from torch import nn

import modelfile

SEED = 20240502
MAX_TOKENS = 64
LEAST_TOKENS = 8
TEST_ROWS_PER_CLASS = 200
LEAST_ACCURACY = 0.90
LABELS = ("python", "c")

VOCABULARY = 256
HIDDEN = 64
HEADS = 8
LAYERS = 4
FEED_FORWARD = 256
# Added to the score of a padded position: its weight after Softmax is exactly 0.
MASKED = -1e4


class Attention(nn.Module):
    """Multi-head self-attention: [batch, sequence, hidden] to the same shape."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(HIDDEN, HIDDEN)
        self.key = nn.Linear(HIDDEN, HIDDEN)
        self.value = nn.Linear(HIDDEN, HIDDEN)
        self.output = nn.Linear(HIDDEN, HIDDEN)

    def split_heads(self, x):
        return x.view(x.size()[:-1] + (HEADS, HIDDEN // HEADS)).permute(0, 2, 1, 3)

    def forward(self, x, mask):
        query, key, value = (self.split_heads(p(x)) for p in (self.query, self.key, self.value))
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(HIDDEN // HEADS)
        context = torch.matmul(torch.softmax(scores + mask, dim=-1), value)
        context = context.permute(0, 2, 1, 3).contiguous()
        return self.output(context.view(context.size()[:-2] + (HIDDEN,)))


class Layer(nn.Module):
    """One encoder layer: attention and feed-forward, each with a residual and a normalization."""

    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.attention_norm = nn.LayerNorm(HIDDEN)
        self.intermediate = nn.Linear(HIDDEN, FEED_FORWARD)
        self.output = nn.Linear(FEED_FORWARD, HIDDEN)
        self.output_norm = nn.LayerNorm(HIDDEN)

    def forward(self, x, mask):
        x = self.attention_norm(self.attention(x, mask) + x)
        return self.output_norm(self.output(nn.functional.gelu(self.intermediate(x))) + x)


class TextClassifier(nn.Module):
    """Maps input_ids and attention_mask, int64 [batch, sequence], to logits, float32 [batch, 2]."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN, padding_idx=0)
        self.positions = nn.Embedding(MAX_TOKENS, HIDDEN)
        self.register_buffer(
            "position_ids", torch.arange(MAX_TOKENS).unsqueeze(0), persistent=False
        )
        self.norm = nn.LayerNorm(HIDDEN)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.classifier = nn.Linear(HIDDEN, len(LABELS))

    def forward(self, input_ids, attention_mask):
        positions = self.position_ids[:, : input_ids.size(1)]
        x = self.norm(self.tokens(input_ids) + self.positions(positions))
        present = attention_mask.to(x.dtype)
        additive = (1.0 - present[:, None, None, :]) * MASKED
        for layer in self.layers:
            x = layer(x, additive)
        weights = present.unsqueeze(-1)
        pooled = (x * weights).sum(1) / weights.sum(1).clamp(min=1.0)
        return self.classifier(pooled)


def lines(pattern, skip=()):
    """Returns the different lines of numpy's files that match, as bytes, in a fixed order."""
    root = pathlib.Path(np.__file__).parent
    found = {}
    for path in sorted(root.glob(pattern)):
        if path.name not in skip:
            found.update(dict.fromkeys(path.read_bytes().splitlines()))
    return [
        line.rstrip()
        for line in found
        if LEAST_TOKENS <= len(line.strip()) and len(line.rstrip()) <= MAX_TOKENS and 0 not in line
    ]


def corpus():
    """Returns as many lines of each class, shuffled: a list of (line, label)."""
    # The two API tables are generated, one line a thousand times over: too easy to prove a thing.
    c = lines("**/*.h", skip=("__multiarray_api.h", "__ufunc_api.h"))
    python = lines("**/*.py")
    both = set(c) & set(python)
    random = np.random.default_rng(SEED)
    classes = []
    for label, found in ((0, python), (1, c)):
        unique = sorted(set(found) - both)
        random.shuffle(unique)
        classes.append([(line, label) for line in unique])
    count = min(len(found) for found in classes)
    return [found[:count] for found in classes]


def tokenize(examples):
    """Returns padded ids and mask, int64 [N, MAX_TOKENS], and labels, int64 [N]."""
    ids = np.zeros((len(examples), MAX_TOKENS), np.int64)
    for row, (line, _) in zip(ids, examples, strict=True):
        row[: len(line)] = np.frombuffer(line, np.uint8)
    return ids, (ids != 0).astype(np.int64), np.array([label for _, label in examples], np.int64)


def train(examples):
    training.repeatable(SEED)
    model = TextClassifier()
    ids, mask, labels = (torch.from_numpy(array) for array in tokenize(examples))
    longest = mask.sum(1)

    def loss(rows):
        width = int(longest[rows].max())
        logits = model(ids[rows, :width], mask[rows, :width])
        return nn.functional.cross_entropy(logits, labels[rows])

    training.fit(model, loss, len(examples), epochs=10, batch=64, rate=1e-3, seed=SEED)
    return model


def export(model):
    example = torch.tensor([[105, 110, 116, 59], [120, 61, 49, 0]])
    axes = {0: "batch", 1: "sequence"}
    return training.export_classic(
        model,
        (example, (example != 0).long()),
        input_names=["input_ids", "attention_mask"],
        output_names=["logits"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "logits": {0: "batch"}},
    )


def accuracy(path, ids, mask, labels):
    feeds = {"input_ids": ids, "attention_mask": mask}
    (logits,) = modelfile.session(path).run(["logits"], feeds)
    return float(np.mean(np.argmax(logits, axis=1) == labels))


def main():
    out = modelfile.output_folder(__doc__)
    python, c = corpus()
    test = python[:TEST_ROWS_PER_CLASS] + c[:TEST_ROWS_PER_CLASS]
    training_lines = python[TEST_ROWS_PER_CLASS:] + c[TEST_ROWS_PER_CLASS:]
    print(f"training on {len(training_lines)} lines")
    model = train(training_lines)

    ids, mask, labels = tokenize(test)
    modelfile.write_arrays(out / "text_test.npz", input_ids=ids, attention_mask=mask, labels=labels)
    path = out / "text_classifier.onnx"
    modelfile.write_model(path, export(model))
    share = accuracy(path, ids, mask, labels)
    print(f"{path.name}: accuracy {share:.4f} on {len(labels)} lines")
    if share < LEAST_ACCURACY:
        raise SystemExit(f"{path.name}: accuracy {share:.4f}, expected at least {LEAST_ACCURACY}")


if __name__ == "__main__":
    main()
