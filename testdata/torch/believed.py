"""Models of which a wrong file was once called right, or a right one refused."""

import dataclasses
from typing import Optional

import torch
from torch import nn
from torch.nn import functional as F


class Counts(nn.Module):
    """Counts its calls in a buffer that it writes to in place."""

    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(1))

    def forward(self, x):
        self.n += 1
        return x + self.n


def counts():
    return Counts(), (torch.randn(2, 3),)


class Grows(nn.Module):
    """Keeps what it was given in a list, and gives their sum."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.seen.append(x)
        return sum(s.mean() for s in self.seen) + x


def grows():
    return Grows(), (torch.randn(2, 3),)


class Caches(nn.Module):
    """A cache of keys, as a decoder has."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 3))

    def forward(self, x, at):
        self.keys[at] = x
        return self.keys.sum(0)


def caches():
    return Caches(), (torch.randn(2, 3), torch.tensor([0, 1]))


class Rare(nn.Module):
    def forward(self, x):
        if (x.abs() > 2.5).sum() == 3:
            return x * 2
        return x - 1


def rare():
    return Rare(), (torch.randn(3, 5),)


class Seven(nn.Module):
    def forward(self, x):
        if x.shape[0] == 7:
            return x * 2
        return x - 1


def seven():
    return Seven(), (torch.randn(3, 5),)


seven_old = seven


class Checks(nn.Module):
    """Its only other path is an exception."""

    def forward(self, x):
        if x.shape[1] != 5:
            raise ValueError("five columns are wanted")
        assert x.shape[0] < 1000
        return x * 2


def checks():
    return Checks(), (torch.randn(3, 5),)


class Step(nn.Module):
    """An output is called as an input is."""

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 4)

    def forward(self, x, state):
        s = self.cell(x, state)
        return {"y": s * 2, "state": s}


def step():
    return Step(), (torch.randn(2, 4), torch.randn(2, 4))


class Weight(nn.Module):
    """Outputs that are a weight, an input and the same twice."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(2, 3))

    def forward(self, x):
        y = x + self.w
        return {"w": self.w, "x": x, "y": y, "again": y}


def weight():
    return Weight(), (torch.randn(2, 3),)


class Turned(nn.Module):
    def forward(self, z):
        return (z * (1 + 2j)).abs(), z.conj()


def turned():
    return Turned(), (torch.randn(3, dtype=torch.complex64),)


def turned_wide():
    return Turned(), (torch.randn(3, dtype=torch.complex128),)


@dataclasses.dataclass(frozen=True)
class Inner:
    y: torch.Tensor
    z: Optional[torch.Tensor] = None


@dataclasses.dataclass
class Batch:
    x: torch.Tensor
    inner: Inner


class Records(nn.Module):
    def forward(self, batch: Batch):
        return batch.x + batch.inner.y


def records():
    return Records(), (Batch(torch.randn(2, 3), Inner(torch.randn(2, 3))),)


class Best(nn.Module):
    def forward(self, x):
        return x.topk(3).indices, x.argmax(1), x.sort(1).indices


def best():
    return Best(), (torch.randn(2, 16),)


class Two(nn.Module):
    """Axes of two outputs that tracing takes for equal."""

    def forward(self, x):
        return F.interpolate(x, scale_factor=2.0), F.pad(x, (1, 2, 2, 3), mode="reflect")


def two():
    return Two(), (torch.randn(2, 3, 8, 10),)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(100, 16), nn.Linear(16, 4)

    def forward(self, ids):
        return self.head(torch.relu(self.embed(ids)).mean(dim=1))


def classifier():
    return Classifier(), (torch.randint(0, 100, (3, 8)),)


class Normed(nn.Module):
    """Trained statistics, tied and transposed weights, constants that no state_dict holds."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.down = nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.Linear(8, 4, bias=False)
        self.up = nn.Linear(4, 8, bias=False)
        self.back = nn.Linear(8, 4, bias=False)
        self.back.weight = self.down.weight
        self.register_buffer("table", torch.arange(4.0), persistent=False)

    def forward(self, x):
        h = torch.relu(self.norm(self.conv(x))).mean((2, 3))
        return self.back(self.up(F.gelu(self.down(h))) * 0.5) + self.table


def normed():
    model = Normed().train()
    for _ in range(10):
        model(torch.randn(16, 3, 8, 8) * 2 + 1)
    return model.eval(), (torch.randn(2, 3, 8, 8),)


def untrained():
    return Normed(), (torch.randn(2, 3, 8, 8),)


def trains():
    return Normed().train(), (torch.randn(4, 3, 8, 8),)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = nn.LSTM(6, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.head(out[:, -1])


def recurrent():
    return Recurrent(), (torch.randn(3, 5, 6),)


def forgetful():
    """The same, with another weight of the LSTM."""
    model, args = recurrent()
    with torch.no_grad():
        model.lstm.weight_ih_l0[0, 0] += 1
    return model, args


class Tagger(nn.Module):
    """One score for each token; PyTorch's fast path gives other values at masked places."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(30, 16, padding_idx=0)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2)
        self.head = nn.Linear(16, 3)

    def forward(self, ids):
        return self.head(self.encoder(self.embed(ids), src_key_padding_mask=ids == 0))


def tagger():
    return Tagger(), (torch.tensor([[5, 6, 7, 8, 9], [4, 3, 2, 0, 0], [9, 8, 0, 0, 0]]),)


class Logarithms(nn.Module):
    """Formulas that overflow at values that PyTorch computes, infinite and equal ones too."""

    def forward(self, a, b):
        return torch.logaddexp(a, b), torch.logaddexp2(a, b[0]), nn.functional.logsigmoid(a), nn.functional.logsigmoid(b.double())


def logarithms():
    inf = float("inf")
    return Logarithms(), (torch.tensor([[1.0, inf, -inf, float("nan")], [200, -200, 0, 3]]), torch.tensor([[1.0, inf, -inf, 0], [2, -300, 1e3, inf]]))


@dataclasses.dataclass
class Scores:
    logits: torch.Tensor
    loss: object = None


class Scorer(nn.Module):
    def forward(self, x):
        return {"best": Scores(x * 2), "all": [Scores(x, x.sum())]}


def scorer():
    return Scorer(), (torch.randn(2, 3),)


class Threshold(nn.Module):
    """A condition on a size that many sizes do not hold for."""

    def forward(self, x):
        return x * 2 if x.shape[0] > 5 else x - 1


def threshold():
    return Threshold(), (torch.randn(3, 4),)


class Chooses(nn.Module):
    """Generated inputs take both paths."""

    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1


def chooses():
    return Chooses(), (torch.randn(3, 4),)


class Noisy(nn.Module):
    """Of zeros a dropout makes zeros, whatever it draws."""

    def forward(self, x):
        return nn.functional.dropout(x, 0.5, True)


def noisy():
    return Noisy(), (torch.randn(3, 6),)


class Hides(nn.Module):
    """PyTorch gives zeros for a row of which the mask leaves nothing, and the old exporter's file NaN."""

    def forward(self, x, keep):
        mask = torch.zeros(keep.shape).masked_fill(~keep, float("-inf"))
        return nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask[:, None, None, :])


def hides():
    return Hides(), (torch.randn(2, 1, 3, 4), torch.ones(2, 3, dtype=torch.bool))


def hides_old():
    return hides()
