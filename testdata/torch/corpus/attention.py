"""Attention: masks, heads, positions, and the paths that PyTorch takes in evaluation alone."""

import math

import torch
from free import module, program
from torch import nn
from torch.nn import functional as F


@program("x:0=batch", "x:1=seq")
def multihead():
    def forward(self, x):
        return self.attend(x, x, x)

    return module(forward, attend=nn.MultiheadAttention(8, 2, batch_first=True)), (torch.randn(2, 5, 8),)


@program("q:1=batch", "k:1=batch", "q:0=target", "k:0=source")
def multihead_other_widths():
    def forward(self, q, k):
        return self.attend(q, k, k[..., :4], need_weights=True, average_attn_weights=False)

    return module(forward, attend=nn.MultiheadAttention(8, 2, kdim=6, vdim=4)), (torch.randn(3, 2, 8), torch.randn(5, 2, 6))


@program("x:0=batch", "x:1=seq")
def multihead_bias_of_keys():
    """A key and a value more than were given."""

    def forward(self, x):
        return self.attend(x, x, x, need_weights=False)[0]

    return module(forward, attend=nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True)), (torch.randn(2, 5, 8),)


@program("x:0=batch", "hidden:0=batch")
def multihead_padding():
    def forward(self, x, hidden):
        hidden = hidden & (torch.arange(5) > 0)
        return self.attend(x, x, x, key_padding_mask=hidden, need_weights=False)[0]

    hidden = torch.tensor([[False, False, False, True, True], [False, False, True, False, False]])
    return module(forward, attend=nn.MultiheadAttention(8, 2, batch_first=True)), (torch.randn(2, 5, 8), hidden)


@program("q:0=batch", "k:0=batch", "v:0=batch", "q:2=seq", "k:2=seq", "v:2=seq")
def scaled_causal():
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    return module(forward), tuple(torch.randn(2, 3, 4, 6) for _ in range(3))


@program("q:0=batch", "k:0=batch", "q:2=target", "k:2=source")
def scaled_scale():
    def forward(self, q, k):
        return F.scaled_dot_product_attention(q, k, k * 2, scale=0.3)

    return module(forward), (torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6))


@program("q:0=batch", "k:0=batch", "mask:0=batch")
def scaled_mask_true():
    def forward(self, q, k, mask):
        return F.scaled_dot_product_attention(q, k, k, attn_mask=mask[:, None, None, :] | (torch.arange(5) == 0))

    return module(forward), (torch.randn(2, 3, 4, 6), torch.randn(2, 3, 5, 6), torch.tensor([[True, False, True, True, False], [True, True, True, False, False]]))


@program("q:0=batch", "mask:0=batch")
def scaled_mask_all_hidden():
    """Of a row of which everything is hidden, PyTorch gives zeros."""

    def forward(self, q, mask):
        return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    mask = torch.rand(2, 1, 4, 4) < 0.5
    mask[0, 0, 1] = False
    return module(forward), (torch.randn(2, 3, 4, 6), mask)


@program("q:0=batch", "mask:0=batch")
def scaled_mask_float():
    def forward(self, q, mask):
        return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    return module(forward), (torch.randn(2, 3, 4, 6), torch.randn(2, 1, 4, 4))


@program("q:0=batch", "k:0=batch", "q:2=seq", "k:2=seq")
def scaled_grouped():
    """Two heads of queries for one of keys."""

    def forward(self, q, k):
        return F.scaled_dot_product_attention(q, k, k + 1, enable_gqa=True)

    return module(forward), (torch.randn(2, 4, 3, 6), torch.randn(2, 2, 3, 6))


@program("x:0=batch", "x:1=seq")
def by_hand_causal():
    def forward(self, x):
        n = x.shape[1]
        q, k, v = self.fc(x).chunk(3, -1)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        seen = torch.tril(torch.ones(n, n, dtype=torch.bool, device=x.device))
        return scores.masked_fill(~seen, float("-inf")).softmax(-1) @ v

    return module(forward, fc=nn.Linear(6, 18)), (torch.randn(2, 5, 6),)


@program("x:0=batch", "x:1=seq")
def by_hand_least_number():
    """The least float in the place of minus infinity, which two masks make infinite together."""

    def forward(self, x):
        hidden = torch.full((x.shape[1], x.shape[1]), torch.finfo(x.dtype).min).triu(1)
        return (x @ x.mT + hidden + hidden).softmax(-1) @ x

    return module(forward), (torch.randn(2, 5, 6),)


@program("x:0=batch", "x:1=seq")
def rotary():
    def forward(self, x):
        at = torch.arange(x.shape[1], dtype=torch.float32)[:, None] * self.inverse[None]
        cos, sin = torch.cat((at, at), -1).cos(), torch.cat((at, at), -1).sin()
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat((-b, a), -1) * sin

    return module(forward, inverse=1 / 100 ** (torch.arange(0, 8, 2) / 8)), (torch.randn(2, 5, 8),)


@program("x:0=batch", "x:1=seq")
def rotary_complex():
    """Positions as complex numbers inside, real ones outside."""

    def forward(self, x):
        n = x.shape[1]
        turned = torch.view_as_complex(x.reshape(x.shape[0], n, 4, 2)) * self.turn[:n]
        return torch.view_as_real(turned).flatten(2)

    angles = torch.outer(torch.arange(32.0), 1 / 100 ** (torch.arange(4.0) / 4))
    return module(forward, turn=torch.polar(torch.ones_like(angles), angles)), (torch.randn(2, 5, 8),)


@program("x:0=batch", "x:1=seq")
def alibi():
    def forward(self, x):
        n = x.shape[1]
        away = torch.arange(n)[None, :] - torch.arange(n)[:, None]
        scores = (x @ x.transpose(1, 2))[:, None] - away.abs() * self.slopes[:, None, None]
        return scores.softmax(-1).mean(1) @ x

    return module(forward, slopes=torch.tensor([0.5, 0.25])), (torch.randn(2, 5, 6),)


@program("x:0=batch", "x:1=seq")
def relative_buckets():
    """Distances by logarithm in buckets, as T5 has them."""

    def forward(self, x):
        n = x.shape[1]
        d = (torch.arange(n)[None, :] - torch.arange(n)[:, None]).abs()
        far = 4 + (torch.log(d.float().clamp(min=1) / 4) / math.log(4) * 4).long()
        bias = self.table(torch.where(d < 4, d, far.clamp(max=7)))
        return (x @ x.mT + bias[..., 0]).softmax(-1)

    return module(forward, table=nn.Embedding(8, 1)), (torch.randn(2, 5, 6),)


@program("x:0=batch", "x:1=seq")
def positions_sliced():
    """A table longer than any input, cut to the length."""

    def forward(self, x):
        return x + self.table[:, : x.size(1)]

    return module(forward, table=nn.Parameter(torch.randn(1, 40, 6))), (torch.randn(2, 5, 6),)


@program("x:0=batch")
def sliding_window():
    def forward(self, x):
        n = x.shape[1]
        near = (torch.arange(n)[:, None] - torch.arange(n)).abs() <= 2
        return F.scaled_dot_product_attention(x, x, x, attn_mask=near)

    return module(forward), (torch.randn(2, 7, 4),)


@program("x:0=batch", "x:1=seq")
def encoder_layer():
    def forward(self, x):
        return self.layer(x)

    return module(forward, layer=nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, activation="gelu")), (torch.randn(2, 5, 8),)


@program("x:0=batch", "x:1=seq")
def encoder_causal():
    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.layer(x, src_mask=mask, is_causal=True)

    return module(forward, layer=nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)), (torch.randn(2, 5, 8),)


@program("x:0=batch", "memory:0=batch", "memory:1=source")
def decoder_layer():
    def forward(self, x, memory):
        return self.layer(x, memory)

    return module(forward, layer=nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)), (torch.randn(2, 4, 8), torch.randn(2, 6, 8))


@program("x:0=batch")
def linear_attention():
    """Sums along the sequence in the place of a softmax."""

    def forward(self, x):
        return torch.cumsum(torch.einsum("btd,bte->btde", F.elu(x) + 1, x), 1).sum(-1)

    return module(forward), (torch.randn(2, 5, 4),)


def hidden_whole():
    """A batch of which the mask leaves nothing of the first sample, and one of which it leaves all."""
    keep = torch.ones(2, 5, dtype=torch.bool)
    keep[0] = False
    return [(torch.randn(2, 5, 8), keep), (torch.randn(2, 5, 8), torch.ones(2, 5, dtype=torch.bool))]


KEPT = torch.tensor([[True] * 5, [True, True, False, False, False]])


@program("x:1=seq", "keep:1=seq", also=hidden_whole)
def masked_whole():
    """PyTorch gives zeros for a row of which a mask leaves nothing."""

    def forward(self, x, keep):
        heads = x.unflatten(-1, (2, 4)).transpose(1, 2)
        return F.scaled_dot_product_attention(heads, heads, heads, attn_mask=keep[:, None, None, :])

    return module(forward), (torch.randn(2, 5, 8), KEPT)


@program("x:1=seq", "keep:1=seq", also=hidden_whole)
def masked_whole_by_sum():
    """As masked_whole, with a mask that is added to the scores."""

    def forward(self, x, keep):
        heads = x.unflatten(-1, (2, 4)).transpose(1, 2)
        mask = torch.zeros(keep.shape, dtype=x.dtype).masked_fill(~keep, float("-inf"))
        return F.scaled_dot_product_attention(heads, heads, heads, attn_mask=mask[:, None, None, :])

    return module(forward), (torch.randn(2, 5, 8), KEPT)


@program("x:1=seq", "keep:1=seq", also=hidden_whole)
def masked_without_heads():
    """Attention over three axes, which the new exporter refuses by itself."""

    def forward(self, x, keep):
        return F.scaled_dot_product_attention(x, x, x, attn_mask=keep[:, None, :], scale=0.3)

    return module(forward), (torch.randn(2, 5, 8), KEPT)
