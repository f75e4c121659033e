"""Models that a look at their outputs alone would call right, or wrong, without being so."""

import dataclasses

import torch
from torch import nn


class Fixed(nn.Module):
    """A number that tracing makes a constant of, so that the input is gone."""

    def forward(self, x, n):
        if n.item() > 2:
            return x * 2
        return x[:, : n.item()]


def lost():
    return Fixed(), (torch.randn(2, 4), torch.tensor(3))


class Positions(nn.Module):
    """An axis that no other size fits than that of a table."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(16, 4))

    def forward(self, x):
        return x + self.table


def unfree():
    return Positions(), (torch.randn(2, 16, 4),)


class Both(nn.Module):
    def forward(self, a, b):
        return a + b


def both():
    return Both(), (torch.randn(4, 8), torch.randn(4, 8))


class Eights(nn.Module):
    def forward(self, x):
        return x.view(-1, 8).sum(1)


def eights():
    return Eights(), (torch.randn(16),)


@dataclasses.dataclass
class Batch:
    ids: torch.Tensor
    mask: torch.Tensor


class OfRecord(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(9, 4)

    def forward(self, batch: Batch):
        return self.embed(batch.ids) * batch.mask.unsqueeze(-1)


def record():
    return OfRecord(), (Batch(torch.tensor([[1, 2, 3]]), torch.ones(1, 3)),)


class Appends(nn.Module):
    def forward(self, x, cache):
        cache.append(x * 2)
        return torch.cat(cache, 0)


def appends():
    return Appends(), (torch.randn(2, 4), [torch.zeros(2, 4)])


class Keeps(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.seen = nn.Linear(4, 4), None

    def forward(self, x):
        h = self.fc(x)
        self.seen = h if self.seen is None else self.seen + h
        return h + self.seen


def keeps():
    return Keeps(), (torch.randn(2, 4),)


class Spectrum(nn.Module):
    def forward(self, x):
        return torch.fft.rfft(x)


def spectrum():
    return Spectrum(), (torch.randn(2, 16),)


class Mixed(nn.Module):
    def forward(self, x):
        return {"logits": x * 2, "loss": None, "n": 3}


def mixed():
    return Mixed(), (torch.randn(2, 4),)


class Noisy(nn.Module):
    def forward(self, x):
        return x + torch.randn_like(x)


def noisy():
    return Noisy(), (torch.randn(2, 4),)


class Root(nn.Module):
    def forward(self, x):
        return torch.sqrt(-1 - x * x)


def root():
    return Root(), (torch.randn(2, 4),)


class Longer(nn.Module):
    def forward(self, x):
        return x[:, 3:] - x[:, :-3] if x.shape[1] > 6 else x


def longer():
    return Longer(), (torch.randn(2, 10),)


class Refined(nn.Module):
    """Rounding that is made much of: a norm of what is nearly constant, again and again."""

    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList(nn.Conv2d(8, 8, 3, padding=1) for _ in range(12))
        self.norm = nn.InstanceNorm2d(8)

    def forward(self, x):
        h = x.repeat(1, 8, 1, 1)
        for step in self.steps:
            h = h + self.norm(step(h).to(torch.float32)) * 3
        return h


def refined():
    return Refined(), (torch.rand(1, 1, 16, 16),)


def broken():
    """Refined with a weight that is off by a thousandth, which is no rounding."""
    model, args = refined()
    with torch.no_grad():
        model.steps[6].weight[:, 0].mul_(1.001)
    return model, args


def captured():
    """An exported program, whose sizes are those of its example."""
    return torch.export.export(nn.Linear(3, 2), (torch.randn(4, 3),))
