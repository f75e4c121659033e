"""Makes lm_batch1.onnx, vit_batch1.onnx, cnn_batch1.onnx and rnn_batch1.onnx.

Packages: torch, onnx, onnxscript, onnxruntime, numpy.
Takes about 30 seconds on one core.

Four untrained networks, exported at a fixed batch of 1 the way people do: sizes read off x.shape
become constants in Reshape, Expand, ConstantOfShape, Tile and Resize, stored rows are concatenated
and initial states are as large as the batch. Freed, each fails at any other batch until what holds
the axis is mended. Two come from tracing, two from torch.export.
"""

import training  # before torch: it sets what the math libraries read once

import math

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional

import modelfile

SEED = 20240504
HIDDEN = 32
HEADS = 4
TOKENS = 16
VOCABULARY = 50
# Added to the score of a later position: its weight after Softmax is exactly 0.
MASKED = -1e4


class Block(nn.Module):
    """Attention and feed-forward, normalized before each: [batch, tokens, hidden] to the same."""

    def __init__(self):
        super().__init__()
        self.attention_norm = nn.LayerNorm(HIDDEN)
        self.query_key_value = nn.Linear(HIDDEN, 3 * HIDDEN)
        self.output = nn.Linear(HIDDEN, HIDDEN)
        self.feed_norm = nn.LayerNorm(HIDDEN)
        self.up = nn.Linear(HIDDEN, 2 * HIDDEN)
        self.down = nn.Linear(2 * HIDDEN, HIDDEN)

    def forward(self, x, mask):
        batch, tokens, hidden = x.shape
        width = hidden // HEADS
        parts = self.query_key_value(self.attention_norm(x)).view(batch, tokens, 3, HEADS, width)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(width) + mask
        context = torch.matmul(torch.softmax(scores, dim=-1), value)
        x = x + self.output(context.transpose(1, 2).reshape(batch, tokens, hidden))
        return x + self.down(functional.gelu(self.up(self.feed_norm(x))))


class LanguageModel(nn.Module):
    """Maps input_ids, int64 [1, 16], to scores, float32 [1, 5]."""

    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN)
        self.positions = nn.Embedding(TOKENS, HIDDEN)
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(HIDDEN * TOKENS, 5)

    def forward(self, input_ids):
        batch, tokens = input_ids.shape
        positions = torch.arange(tokens).unsqueeze(0).expand(batch, tokens)
        x = self.tokens(input_ids) + self.positions(positions)
        mask = torch.full((batch, 1, tokens, tokens), MASKED).triu(1)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x.reshape(batch, -1))


class VisionTransformer(nn.Module):
    """Maps image, float32 [1, 3, 16, 16], to scores, float32 [1, 5]: 16 patches and a class token."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, HIDDEN, 4, 4)
        self.class_token = nn.Parameter(torch.randn(1, 1, HIDDEN))
        self.positions = nn.Parameter(torch.randn(1, 17, HIDDEN))
        self.blocks = nn.ModuleList(Block() for _ in range(2))
        self.head = nn.Linear(HIDDEN, 5)

    def forward(self, image):
        x = self.patches(image).flatten(2).transpose(1, 2)
        batch = x.shape[0]
        x = torch.cat([self.class_token.expand(batch, -1, -1), x], 1) + self.positions
        mask = torch.zeros(batch, 1, 1, x.shape[1])
        for block in self.blocks:
            x = block(x, mask)
        return self.head(x[:, 0])


class ConvNet(nn.Module):
    """Maps image, float32 [1, 3, 32, 32], to scores, float32 [1, 10], and means, float32 [1, 8]."""

    def __init__(self):
        super().__init__()
        self.fine = nn.Conv2d(3, 8, 3, 2, 1)
        self.norm = nn.BatchNorm2d(8)
        self.coarse = nn.Conv2d(8, 16, 3, 2, 1)
        self.lateral = nn.Conv2d(16, 8, 1)
        self.head = nn.Linear(8 * 8 * 8, 10)

    def forward(self, image):
        fine = self.norm(torch.relu(self.fine(image)))  # behind a Relu no exporter folds it
        coarse = torch.relu(self.coarse(fine))
        x = functional.interpolate(self.lateral(coarse), size=fine.shape[2:], mode="nearest") + fine
        x = functional.adaptive_avg_pool2d(x, 8)
        batch, channels, height, width = x.shape
        x = x.view(batch, 2, channels // 2, height, width).transpose(1, 2)
        x = x.reshape(batch, channels, height, width)  # the channels are shuffled
        return self.head(x.view(x.size(0), -1)), x.mean((2, 3))


class Recurrent(nn.Module):
    """Maps features, float32 [1, 7, 12], to scores, float32 [1, 3]."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(12, 16, 2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(32, 8)
        self.start = nn.Parameter(torch.randn(1, 1, 8))
        self.head = nn.Linear(8, 3)

    def forward(self, features):
        batch = features.shape[0]
        zero = torch.zeros(4, batch, 16)
        hidden, _ = self.lstm(features, (zero, zero))
        steps, _ = self.gru(hidden.transpose(0, 1), self.start.repeat(1, batch, 1))
        return self.head(steps[-1])


def with_statistics(network):
    """Gives batch normalizations other means and variances than 0 and 1."""
    for module in network.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.normal_(module.running_mean, std=0.5)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    return network


def traced(network, example, **names):
    return training.export_classic(network, (example,), **names)


def exported(network, example, **names):
    """Exports with torch.export at opset 18, leaving out where in the script a node came from."""
    program = torch.onnx.export(
        network, (example,), dynamo=True, opset_version=18, verbose=False, **names
    )
    model = program.model_proto
    # The build tag says which wheel exported (+cpu, +cu132), not what was exported.
    model.producer_version = model.producer_version.partition("+")[0]
    for part in (*model.graph.node, *model.graph.value_info, *model.graph.input, *model.graph.output):
        del part.metadata_props[:]
    return model


def same(path, network, example):
    """Raises unless the file gives what the network gives."""
    with torch.no_grad():
        want = network(example)
    session = modelfile.session(path)
    got = session.run(None, {session.get_inputs()[0].name: example.numpy()})
    for a, b in zip(want if isinstance(want, tuple) else (want,), got, strict=True):
        np.testing.assert_allclose(b, a.numpy(), rtol=1e-3, atol=1e-4)


MODELS = (
    ("lm_batch1.onnx", LanguageModel, traced, "input_ids", ["scores"]),
    ("vit_batch1.onnx", VisionTransformer, exported, "image", ["scores"]),
    ("cnn_batch1.onnx", ConvNet, exported, "image", ["scores", "means"]),
    ("rnn_batch1.onnx", Recurrent, traced, "features", ["scores"]),
)
EXAMPLES = {
    "lm_batch1.onnx": lambda: torch.randint(0, VOCABULARY, (1, TOKENS)),
    "vit_batch1.onnx": lambda: torch.randn(1, 3, 16, 16),
    "cnn_batch1.onnx": lambda: torch.randn(1, 3, 32, 32),
    "rnn_batch1.onnx": lambda: torch.randn(1, 7, 12),
}


def main():
    out = modelfile.output_folder(__doc__)
    for name, network, export, source, outputs in MODELS:
        training.repeatable(SEED)
        network = with_statistics(network()).eval()
        example = EXAMPLES[name]()
        model = export(network, example, input_names=[source], output_names=outputs)
        onnx.checker.check_model(model)
        modelfile.write_model(out / name, model)
        same(out / name, network, example)


if __name__ == "__main__":
    main()
