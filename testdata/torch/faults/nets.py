"""Models of nested modules, each with what it is called with. plant.py exports them and plants faults in the files."""

import dataclasses

import torch
from torch import nn
from torch.nn import functional as F

NETS = []


def net(f):
    """Marks a function that returns a model in evaluation mode and its arguments."""
    NETS.append(f.__name__)

    def made():
        torch.manual_seed(0)
        model, args = f()
        return spread(model).eval(), args

    made.__name__ = f.__name__
    return made


def spread(model):
    """Gives normalizations weights and statistics that are not those of a new one, so that losing them shows."""
    for m in model.modules():
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            m.running_mean.uniform_(-0.5, 0.5)
            m.running_var.uniform_(0.5, 2)
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d, nn.LayerNorm, nn.GroupNorm)) and m.weight is not None:
            m.weight.data.uniform_(0.5, 1.5)
            m.bias.data.uniform_(-0.5, 0.5)
    return model


class ConvBlock(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.conv, self.bn, self.act = nn.Conv2d(i, o, 3, stride, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Residual(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.first, self.conv, self.bn = ConvBlock(n, n), nn.Conv2d(n, n, 3, padding=1), nn.BatchNorm2d(n)

    def forward(self, x):
        return F.relu(x + self.bn(self.conv(self.first(x))))


@net
def conv_bn():
    return nn.Sequential(ConvBlock(3, 4), ConvBlock(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 5)), (torch.randn(2, 3, 8, 8),)


@net
def residual():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem, self.pool = ConvBlock(3, 4), nn.MaxPool2d(2)
            self.blocks = nn.Sequential(Residual(4), Residual(4))
            self.fc = nn.Linear(4, 5)

        def forward(self, x):
            return self.fc(self.blocks(self.pool(self.stem(x))).mean((2, 3)))

    return Net(), (torch.randn(2, 3, 8, 8),)


@net
def mobile():
    """Inverted residuals: depthwise convolutions and a gate of channels."""

    class Gate(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.down, self.up = nn.Conv2d(n, 2, 1), nn.Conv2d(2, n, 1)

        def forward(self, x):
            return x * torch.sigmoid(self.up(F.silu(self.down(x.mean((2, 3), keepdim=True)))))

    class Inverted(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.expand, self.depth, self.gate, self.project = nn.Conv2d(n, 2 * n, 1), nn.Conv2d(2 * n, 2 * n, 3, padding=1, groups=2 * n), Gate(2 * n), nn.Conv2d(2 * n, n, 1)

        def forward(self, x):
            return x + self.project(self.gate(F.hardswish(self.depth(F.hardswish(self.expand(x))))))

    return nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), Inverted(4), Inverted(4)), (torch.randn(1, 3, 8, 8),)


@net
def group_normed():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.n1, self.b, self.n2 = nn.Conv2d(3, 4, 3, padding=1), nn.GroupNorm(2, 4), nn.Conv2d(4, 4, 3, padding=1), nn.InstanceNorm2d(4, affine=True)

        def forward(self, x):
            x = F.silu(self.n1(self.a(x)))
            return self.n2(self.b(x)) + x

    return Net(), (torch.randn(2, 3, 6, 6),)


@net
def unet():
    """Two ways that meet: a list of levels, transposed convolutions, concatenation."""

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.down = nn.ModuleList([ConvBlock(3, 4), ConvBlock(4, 8)])
            self.pool, self.middle = nn.MaxPool2d(2), ConvBlock(8, 8)
            self.up = nn.ModuleList([nn.ConvTranspose2d(8, 8, 2, 2), nn.ConvTranspose2d(8, 4, 2, 2)])
            self.merge = nn.ModuleList([ConvBlock(16, 8), ConvBlock(8, 4)])

        def forward(self, x):
            kept = []
            for level in self.down:
                kept.append(level(x))
                x = self.pool(kept[-1])
            x = self.middle(x)
            for up, merge in zip(self.up, self.merge):
                x = merge(torch.cat([up(x), kept.pop()], 1))
            return x

    return Net(), (torch.randn(1, 3, 8, 8),)


@net
def encoder_layers():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(2, 5, 8),)


@net
def encoder_norm_first():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(6, 8), nn.Linear(8, 3)
            self.layers = nn.ModuleList(nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", norm_first=True, batch_first=True) for _ in range(2))

        def forward(self, x):
            x = self.inp(x)
            for layer in self.layers:
                x = layer(x)
            return self.out(x.mean(1))

    return Net(), (torch.randn(2, 5, 6),)


@net
def translator():
    return nn.Transformer(8, 2, 1, 1, 16, batch_first=True), (torch.randn(2, 4, 8), torch.randn(2, 3, 8))


@net
def lstm_tagger():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.lstm, self.head = nn.Embedding(12, 6), nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True), nn.Linear(10, 3)

        def forward(self, ids):
            y, (h, _) = self.lstm(self.table(ids))
            return self.head(y), h

    return Net(), (torch.randint(0, 12, (2, 4)),)


@net
def gru_reader():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj, self.gru, self.norm, self.out = nn.Linear(4, 6), nn.GRU(6, 6, batch_first=True), nn.LayerNorm(6), nn.Linear(6, 2)

        def forward(self, x):
            y, h = self.gru(torch.tanh(self.proj(x)))
            return self.out(self.norm(y[:, -1] + h[0]))

    return Net(), (torch.randn(2, 5, 4),)


@net
def multihead():
    """The result of attention is a tuple, and so is that of the module around it."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.attn, self.mlp = nn.LayerNorm(8), nn.MultiheadAttention(8, 2, batch_first=True), nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

        def forward(self, x):
            y = self.norm(x)
            y, weights = self.attn(y, y, y)
            x = x + y
            return x + self.mlp(x), weights

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = Block(), Block()

        def forward(self, x):
            x, w = self.a(x)
            x, v = self.b(x)
            return x, w + v

    return Net(), (torch.randn(2, 5, 8),)


@net
def dictionaries():
    class Parts(nn.Module):
        def __init__(self):
            super().__init__()
            self.low, self.high = nn.Linear(6, 4), nn.Linear(6, 4)

        def forward(self, x):
            return {"low": torch.relu(self.low(x)), "high": torch.sigmoid(self.high(x))}

    class Join(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(8, 3)

        def forward(self, d):
            return [self.fc(torch.cat([d["low"], d["high"]], -1)), d["low"] * 2]

    return nn.Sequential(nn.Linear(6, 6), nn.Tanh(), Parts(), Join()), (torch.randn(3, 6),)


@dataclasses.dataclass
class Hidden:
    state: torch.Tensor
    gate: torch.Tensor


@net
def dataclasses_inside():
    class Step(nn.Module):
        def __init__(self):
            super().__init__()
            self.state, self.gate = nn.Linear(5, 5), nn.Linear(5, 5)

        def forward(self, x):
            return Hidden(torch.tanh(self.state(x)), torch.sigmoid(self.gate(x)))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two, self.out = Step(), Step(), nn.Linear(5, 2)

        def forward(self, x):
            a = self.one(x)
            b = self.two(a.state * a.gate)
            return self.out(b.state + b.gate * x)

    return Net(), (torch.randn(3, 5),)


@net
def called_twice():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared, self.norm, self.head = nn.Sequential(nn.Linear(6, 6), nn.Tanh()), nn.LayerNorm(6), nn.Linear(12, 3)

        def forward(self, x):
            a = self.norm(self.shared(x))
            b = self.norm(self.shared(a) + x)
            return self.head(torch.cat([a, b], -1))

    return Net(), (torch.randn(3, 6),)


@net
def siamese():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.tower, self.head = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4)), nn.Bilinear(4, 4, 2)

        def forward(self, a, b):
            a, b = self.tower(a), self.tower(b)
            return self.head(F.normalize(a, dim=-1), b)

    return Net(), (torch.randn(3, 4), torch.randn(3, 4))


@net
def loops():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(6, 6) for _ in range(3))
            self.norms = nn.ModuleDict({"first": nn.LayerNorm(6), "last": nn.LayerNorm(6)})

        def forward(self, x):
            seen = []
            x = self.norms["first"](x)
            for layer in self.layers:
                x = x + F.elu(layer(x), 0.5)
                seen.append(x)
            return self.norms["last"](torch.stack(seen).sum(0))

    return Net(), (torch.randn(4, 6),)


class Functional(nn.Module):
    """Attention written out, with sizes that code computes."""

    def __init__(self, n, heads):
        super().__init__()
        self.qkv, self.out, self.heads = nn.Linear(n, 3 * n), nn.Linear(n, n), heads

    def forward(self, x, mask=None):
        b, t, n = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, n // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-1, -2) / (n // self.heads) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], -1e4)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, n))


@net
def attention_by_hand():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.places, self.a, self.b, self.norm = nn.Embedding(12, 8), nn.Embedding(9, 8), Functional(8, 2), Functional(8, 4), nn.LayerNorm(8)

        def forward(self, ids):
            x = self.table(ids) + self.places(torch.arange(ids.shape[1]))
            x = x + self.a(x)
            return self.norm(x + self.b(x))

    return Net(), (torch.randint(0, 12, (2, 5)),)


@net
def attention_masked():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.attn, self.norm, self.head = nn.Linear(6, 8), Functional(8, 2), nn.LayerNorm(8), nn.Linear(8, 2)

        def forward(self, x, mask):
            x = self.inp(x)
            return self.head(self.norm(x + self.attn(x, mask)))

    return Net(), (torch.randn(2, 5, 6), torch.tensor([[True] * 5, [True, True, True, False, False]]))


@net
def attention_fused():
    """scaled_dot_product_attention, which exporters take apart in their own ways."""

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v, self.o = (nn.Linear(8, 8) for _ in range(4))

        def forward(self, x):
            def heads(y):
                return y.unflatten(-1, (2, 4)).transpose(1, 2)

            y = F.scaled_dot_product_attention(heads(self.q(x)), heads(self.k(x)), heads(self.v(x)), is_causal=True)
            return self.o(y.transpose(1, 2).flatten(2))

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.attn, self.norm, self.up, self.down = Attention(), nn.LayerNorm(8), nn.Linear(8, 16), nn.Linear(16, 8)

        def forward(self, x):
            x = x + self.attn(self.norm(x))
            return x + self.down(F.silu(self.up(x)))

    return nn.Sequential(Layer(), Layer()), (torch.randn(2, 5, 8),)


@net
def sizes_computed():
    """A module that brings windows in order, by arithmetic with sizes alone, between two that compute."""

    class Windows(nn.Module):
        def forward(self, x):
            b, h, w, c = x.shape
            return x.view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)

    class Back(nn.Module):
        def forward(self, x, like):
            b, h, w, c = like.shape
            return x.view(b, h // 2, w // 2, 2, 2, -1).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, -1)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.windows, self.attn, self.back, self.norm = nn.Linear(3, 8), Windows(), Functional(8, 2), Back(), nn.LayerNorm(8)

        def forward(self, x):
            x = self.inp(x)
            return self.norm(x + self.back(self.attn(self.windows(x)), x))

    return Net(), (torch.randn(2, 4, 6, 3),)


@net
def gated_experts():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.experts = nn.Linear(4, 3), nn.ModuleList(nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 4)) for _ in range(3))

        def forward(self, x):
            w = self.gate(x).softmax(-1)
            return sum(w[:, i : i + 1] * expert(x) for i, expert in enumerate(self.experts))

    return Net(), (torch.randn(5, 4),)


@net
def waves():
    class Causal(nn.Module):
        def __init__(self, n, d):
            super().__init__()
            self.filter, self.gate, self.mix, self.d = nn.Conv1d(n, n, 2, dilation=d), nn.Conv1d(n, n, 2, dilation=d), nn.Conv1d(n, n, 1), d

        def forward(self, x):
            y = F.pad(x, (self.d, 0))
            y = self.mix(torch.tanh(self.filter(y)) * torch.sigmoid(self.gate(y)))
            return x + y, y

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.layers, self.out = nn.Conv1d(1, 4, 1), nn.ModuleList(Causal(4, 2**i) for i in range(3)), nn.Conv1d(4, 2, 1)

        def forward(self, x):
            x, total = self.inp(x), 0
            for layer in self.layers:
                x, skip = layer(x)
                total = total + skip
            return self.out(F.leaky_relu(total, 0.2))

    return Net(), (torch.randn(2, 1, 12),)


@net
def recommender():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.items, self.bag = nn.Embedding(9, 4), nn.Embedding(7, 4), nn.EmbeddingBag(11, 4, mode="mean")
            self.deep = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 1))

        def forward(self, user, item, words):
            a, b = self.users(user), self.items(item)
            return torch.sigmoid((a * b).sum(-1, keepdim=True) + self.deep(torch.cat([a, b, self.bag(words)], -1)))

    return Net(), (torch.tensor([0, 8, 3]), torch.tensor([6, 2, 2]), torch.tensor([[1, 2], [10, 4], [0, 0]]))


@net
def squares():
    """Weights and activations are square, so that a transposition more or less has the same shapes."""

    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.channels, self.norm = nn.Linear(6, 6), nn.Linear(6, 6), nn.LayerNorm(6)

        def forward(self, x):
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            return x + F.gelu(self.channels(x))

    return nn.Sequential(Mix(), Mix(), nn.Linear(6, 6)), (torch.randn(2, 6, 6),)


@net
def batch_norm_after_linear():
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Tanh(), nn.Linear(8, 2)), (torch.randn(4, 6),)


@net
def activations():
    return nn.Sequential(nn.Linear(6, 6), nn.PReLU(6), nn.Linear(6, 6), nn.Mish(), nn.Linear(6, 6), nn.Softplus(), nn.Linear(6, 6), nn.LeakyReLU(0.3), nn.LayerNorm(6), nn.Hardsigmoid(), nn.Softmax(-1)), (torch.randn(3, 6),)


@net
def bert():
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=30, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, max_position_embeddings=16)
    return wide(BertModel(config)), (torch.tensor([[2, 5, 6, 7, 3], [2, 8, 3, 1, 9]]),)


@net
def t5():
    from transformers import T5Config, T5EncoderModel

    config = T5Config(vocab_size=30, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2)
    return wide(T5EncoderModel(config)), (torch.tensor([[5, 6, 7, 8, 1], [9, 3, 4, 1, 2]]),)


@net
def vit():
    from transformers import ViTConfig, ViTModel

    config = ViTConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, image_size=8, patch_size=4)
    return wide(ViTModel(config)), (torch.randn(1, 3, 8, 8),)


@net
def distilbert():
    from transformers import DistilBertConfig, DistilBertForSequenceClassification

    config = DistilBertConfig(vocab_size=30, dim=16, n_layers=2, n_heads=2, hidden_dim=32, max_position_embeddings=16)
    return wide(DistilBertForSequenceClassification(config)), (torch.tensor([[2, 5, 6, 7, 3], [2, 8, 3, 4, 3]]), torch.ones(2, 5, dtype=torch.long))


def wide(model):
    """Random weights large enough that every layer counts."""
    for p in model.parameters():
        if p.dim() > 1:
            p.data.mul_(8)
    return model


@net
def recurrent_cells():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.out = nn.GRUCell(3, 4), nn.Linear(4, 2)

        def forward(self, x):
            h = torch.zeros(x.shape[0], 4)
            made = []
            for i in range(3):
                h = self.cell(x[:, i], h)
                made.append(self.out(h))
            return torch.stack(made, 1)

    return Net(), (torch.randn(2, 3, 3),)


@net
def inner_tuples():
    """Modules that take and give tuples and lists of tensors."""

    class Split(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(6, 8)

        def forward(self, x):
            return self.fc(x).chunk(2, -1)

    class Mix(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, pair):
            a, b = pair
            return [self.a(a) * torch.sigmoid(b), self.b(b) + a]

    class Sum(nn.Module):
        def forward(self, pair):
            return pair[0] - pair[1]

    return nn.Sequential(Split(), Mix(), Mix(), Sum(), nn.Linear(4, 2)), (torch.randn(3, 6),)
