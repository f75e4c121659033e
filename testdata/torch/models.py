"""Small models of every kind that is exported in tests."""

import torch
from torch import nn


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 16), nn.Linear(16, 4)

    def forward(self, x, more, scale=1.0):
        h = torch.relu(self.first(x)) + more["dense"] * scale
        for one in more["list"]:
            h = h + one
        return {"logits": self.second(h), "parts": (h, h.sum(-1))}


def nested():
    more = {"dense": torch.randn(2, 16), "list": [torch.randn(2, 16), torch.randn(2, 16)]}
    return Nested(), (torch.randn(2, 8), more), {"scale": 0.5}


class Block(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.a, self.b = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.Conv2d(o, o, 3, 1, 1, bias=False)
        self.na, self.nb = nn.BatchNorm2d(o), nn.BatchNorm2d(o)
        self.down = nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o)) if i != o else nn.Identity()

    def forward(self, x):
        return torch.relu(self.nb(self.b(torch.relu(self.na(self.a(x))))) + self.down(x))


def resnet():
    layers = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), Block(8, 8, 1), Block(8, 16, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 5))
    return layers, (torch.randn(2, 3, 16, 16),)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 16)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2, enable_nested_tensor=False)
        self.head = nn.Linear(16, 3)

    def forward(self, ids):
        return self.head(self.encoder(self.embed(ids)).mean(1))


def transformer():
    return Classifier(), (torch.randint(0, 50, (2, 7)),)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 9, 2, batch_first=True, bidirectional=True), nn.Linear(18, 3)

    def forward(self, x):
        h, _ = self.lstm(x)
        return self.head(h[:, -1])


def lstm():
    return Recurrent(), (torch.randn(2, 7, 6),)


def other_lstm():
    model, args = lstm()
    with torch.no_grad():
        model.head.bias.add_(0.01)
    return model, args


class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:  # which tracing fixes as it is for the example
            return x * 2
        return x - 1


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 6), nn.Tanh())
        self.gate = Gate()
        self.last = nn.Linear(6, 2)

    def forward(self, x):
        return self.last(self.gate(self.first(x)))


def gated():
    return Gated(), (torch.randn(2, 4),)


@torch.jit.script
def turns(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for _ in range(int(n)):
        x = x * 0.5 + 1.0
    return x


class Loop(nn.Module):
    def forward(self, x, n):
        return turns(x, n)


def loop():
    """A loop whose turns are an input: scripted, which the old exporter makes a Loop of."""
    return Loop(), (torch.randn(2, 3), torch.tensor(3))


if hasattr(torch.library, "custom_op"):  # which came with 2.4

    @torch.library.custom_op("lathe_models::half_sine", mutates_args=())
    def half_sine(x: torch.Tensor) -> torch.Tensor:
        return x.sin() * 0.5

    @half_sine.register_fake
    def _(x):
        return torch.empty_like(x)


class Custom(nn.Module):
    def forward(self, x):
        return torch.ops.lathe_models.half_sine(x) + 1


def custom():
    return Custom(), (torch.randn(2, 3),)


def _translated():
    from onnxscript import opset18 as op

    def half_sine(x):
        return op.Mul(op.Sin(x), 0.5)

    return {torch.ops.lathe_models.half_sine.default: half_sine}


try:
    TABLE = _translated()
except (ImportError, AttributeError):
    TABLE = {}  # onnxscript is not there, or no custom operators


class Exportable(nn.Module):
    """An object in the shape of torch.onnx.ExportableModule."""

    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, image, mask=None):
        h = self.fc(image)
        return h if mask is None else h * mask

    def example_arguments(self):
        return (torch.randn(2, 4),), {"mask": torch.ones(2, 3)}

    def input_names(self):
        return ["pixels", "keep"]

    def output_names(self):
        return ["scores"]

    def dynamic_shapes(self):
        return {"image": {0: "batch"}, "mask": {0: "batch"}}


class Heavy(nn.Module):
    """What is in no file of weights is there although the weights are not."""

    def __init__(self, width=48):
        super().__init__()
        self.embed = nn.Embedding(50, width)
        self.mix = nn.LSTM(width, width, batch_first=True)
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 50, bias=False)
        self.head.weight = self.embed.weight
        self.register_buffer("scale", torch.linspace(0.5, 1.5, width), persistent=False)
        nn.init.normal_(self.embed.weight, std=0.2)

    def forward(self, ids):
        h, _ = self.mix(self.embed(ids))
        return self.head(self.norm(h) * self.scale)


def heavy():
    return Heavy().double().float(), (torch.randint(0, 50, (2, 7)),)


def write_heavy(folder):
    """Files of weights of heavy: all, one name of what is shared behind a prefix, and one too few."""
    import numpy

    torch.manual_seed(7)
    state = heavy()[0].state_dict()
    torch.save(state, folder + "/all.pt")
    arrays = {k: v.numpy() for k, v in state.items()}
    numpy.savez(folder + "/all.npz", **arrays)
    del arrays["head.weight"]
    numpy.savez(folder + "/shared.npz", **{"model." + k: v for k, v in arrays.items()})
    del arrays["norm.bias"]
    numpy.savez(folder + "/few.npz", **arrays)
