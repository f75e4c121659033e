"""Models whose weights go ways of their own, each with what it is called with."""

import torch
from torch import nn


class Tied(nn.Module):
    """An embedding and the layer behind it have the same weight."""

    def __init__(self):
        super().__init__()
        self.words, self.head = nn.Embedding(9, 4), nn.Linear(4, 9, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids):
        return self.head(torch.tanh(self.words(ids)))


def tied():
    return Tied(), (torch.tensor([[1, 5, 8]]),)


class Turned(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        return x @ self.w + x @ self.w.T


def turned():
    return Turned(), (torch.randn(2, 4),)


class Buffers(nn.Module):
    """One buffer that a state_dict has, one that it has not, and a quantized table."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.randn(4))
        self.register_buffer("own", torch.randn(4), persistent=False)
        self.register_buffer("table", torch.randint(-128, 127, (4, 4), dtype=torch.int8))
        self.register_buffer("scale", torch.rand(4))

    def forward(self, x):
        return (x * self.kept + self.own) @ (self.table.float() * self.scale)


def buffers():
    return Buffers(), (torch.randn(2, 4),)


class Equal(nn.Module):
    """Weights that are equal and not shared, and one that is shared by two layers."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)
        self.b.load_state_dict(self.a.state_dict())
        self.c = self.a

    def forward(self, x):
        return self.c(torch.relu(self.b(torch.relu(self.a(x)))))


def equal():
    return Equal(), (torch.randn(2, 4),)


def half():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)).half(), (torch.randn(2, 4).half(),)


def weight_normed():
    return nn.Sequential(nn.utils.parametrizations.weight_norm(nn.Linear(4, 3)), nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))), (torch.randn(2, 4),)


def spectral_normed():
    return nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3)), nn.ReLU()), (torch.randn(2, 4),)


def constant_pad():
    return nn.Sequential(nn.ConvTranspose2d(3, 4, 3, 2), nn.BatchNorm2d(4), nn.Conv2d(4, 2, 3), nn.BatchNorm2d(2, affine=False)), (torch.randn(2, 3, 5, 5),)
