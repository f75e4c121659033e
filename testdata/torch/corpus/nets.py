"""Small nets as they are really built."""

import torch
from free import module, program
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, n, m, stride=1):
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(n, m, 3, stride, 1, bias=False), nn.BatchNorm2d(m)
        self.conv2, self.norm2 = nn.Conv2d(m, m, 3, 1, 1, bias=False), nn.BatchNorm2d(m)
        self.down = nn.Conv2d(n, m, 1, stride) if n != m else nn.Identity()

    def forward(self, x):
        y = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)), inplace=True)))
        return F.relu(y + self.down(x), inplace=True)


@program("input:0=batch", "input:2=height", "input:3=width")
def residual():
    return nn.Sequential(Block(3, 4), Block(4, 8, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5)), (torch.randn(2, 3, 8, 8),)


@program("x:0=batch")
def mobile():
    def forward(self, x):
        y = F.hardswish(self.depth(self.wide(x)))
        return x + self.narrow(y * F.hardsigmoid(self.squeeze(y.mean((2, 3), keepdim=True))))

    parts = {"wide": nn.Conv2d(4, 8, 1), "depth": nn.Conv2d(8, 8, 3, 1, 1, groups=8), "squeeze": nn.Conv2d(8, 8, 1), "narrow": nn.Conv2d(8, 4, 1)}
    return module(forward, **parts), (torch.randn(2, 4, 6, 6),)


@program("x:0=batch", "x:2=height", "x:3=width")
def unet():
    """Goes down and up again, and cuts what does not fit."""

    def forward(self, x):
        a = F.relu(self.first(x))
        b = F.relu(self.second(F.max_pool2d(a, 2)))
        up = F.interpolate(b, size=a.shape[-2:], mode="nearest")
        return self.last(torch.cat([a, up], 1))

    return module(forward, first=nn.Conv2d(1, 4, 3, padding=1), second=nn.Conv2d(4, 4, 3, padding=1), last=nn.Conv2d(8, 2, 1)), (torch.randn(2, 1, 9, 10),)


@program("x:0=batch")
def patches():
    """A vision transformer of one layer."""

    def forward(self, x):
        y = self.cut(x).flatten(2).transpose(1, 2)
        y = torch.cat([self.token.expand(x.shape[0], -1, -1), y], 1) + self.places
        return self.head(self.layer(y)[:, 0])

    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return module(forward, cut=nn.Conv2d(3, 8, 4, 4), token=nn.Parameter(torch.randn(1, 1, 8)), places=nn.Parameter(torch.randn(1, 5, 8)), layer=layer, head=nn.Linear(8, 3)), (torch.randn(2, 3, 8, 8),)


@program("x:0=batch")
def windows_shifted():
    """Attention in windows, shifted, as Swin has it."""

    def forward(self, x):
        b, h, w, c = x.shape
        y = torch.roll(x, (-1, -1), (1, 2)).view(b, h // 2, 2, w // 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, c)
        y = F.scaled_dot_product_attention(y, y, y + 1)
        y = y.view(b, h // 2, w // 2, 2, 2, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
        return torch.roll(y, (1, 1), (1, 2))

    return module(forward), (torch.randn(2, 4, 4, 6),)


@program("x:0=batch")
def detector():
    """Boxes of a grid, the best of them."""

    def forward(self, x):
        y = self.head(x).flatten(2).transpose(1, 2)
        score, at = y[..., 4].sigmoid().topk(5, 1)
        boxes = y[..., :4].gather(1, at[..., None].expand(-1, -1, 4))
        return torch.cat([boxes[..., :2] - boxes[..., 2:].exp() / 2, boxes[..., :2] + boxes[..., 2:].exp() / 2], -1), score

    return module(forward, head=nn.Conv2d(3, 5, 1)), (torch.randn(2, 3, 4, 5),)


@program("boxes:0=n", "scores:0=n")
def suppressed():
    """Suppression written with a loop over what is left."""

    def forward(self, boxes, scores):
        order, kept = scores.argsort(descending=True), []
        while order.numel() > 0:
            kept.append(order[0])
            apart = (boxes[order, 0] - boxes[order[0], 0]).abs() > 0.5
            order = order[apart]
        return torch.stack(kept)

    return module(forward), (torch.rand(6, 4), torch.rand(6))


@program("x:0=batch")
def autoencoder():
    def forward(self, x):
        mean, spread = self.encoder(x).chunk(2, 1)
        z = mean + torch.exp(0.5 * spread) * self.noise
        return self.decoder(z).view_as(x), mean, spread

    encoder = nn.Sequential(nn.Flatten(), nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 4))
    return module(forward, encoder=encoder, decoder=nn.Sequential(nn.Linear(2, 12), nn.Sigmoid()), noise=torch.randn(2)), (torch.randn(2, 3, 4),)


@program("z:0=batch")
def generator():
    def forward(self, z):
        return self.net(z[:, :, None, None])

    net = nn.Sequential(nn.ConvTranspose2d(4, 8, 4), nn.BatchNorm2d(8), nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())
    return module(forward, net=net), (torch.randn(2, 4),)


@program("ids:0=batch", "ids:1=seq", "mask:0=batch", "mask:1=seq")
def sentence():
    """The mean of what is not hidden, normalized."""

    def forward(self, ids, mask):
        y = self.table(ids) * mask[..., None]
        return F.normalize(y.sum(1) / mask.sum(1, keepdim=True).clamp(min=1), dim=-1)

    return module(forward, table=nn.Embedding(20, 8)), (torch.randint(0, 20, (2, 5)), torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]))


@program("ids:0=batch", "ids:1=seq")
def language_model():
    """A decoder of one layer, with tied words and a causal mask."""

    def forward(self, ids):
        n = ids.shape[1]
        x = self.words(ids) + self.places(torch.arange(n))
        q, k, v = self.qkv(self.norm(x)).view(*ids.shape, 3, 2, 4).permute(2, 0, 3, 1, 4)
        x = x + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        return x @ self.words.weight.T

    return module(forward, words=nn.Embedding(20, 8), places=nn.Embedding(32, 8), qkv=nn.Linear(8, 24), norm=nn.LayerNorm(8)), (torch.randint(0, 20, (2, 5)),)


@program("ids:0=batch", "keys:0=batch", "keys:2=past", "values:0=batch", "values:2=past")
def decoder_with_cache():
    """One step with the keys and values of those before."""

    def forward(self, ids, keys, values):
        q, k, v = self.qkv(self.words(ids)).view(ids.shape[0], 1, 3, 2, 4).permute(2, 0, 3, 1, 4)
        keys, values = torch.cat([keys, k], 2), torch.cat([values, v], 2)
        return F.scaled_dot_product_attention(q, keys, values), keys, values

    return module(forward, words=nn.Embedding(20, 8), qkv=nn.Linear(8, 24)), (torch.randint(0, 20, (2, 1)), torch.randn(2, 2, 5, 4), torch.randn(2, 2, 5, 4))


@program("ids:0=batch", "ids:1=seq")
def tagger():
    """Padding is told by the ids themselves."""

    def forward(self, ids):
        x = self.table(ids)
        hidden = (ids == 0)[:, None, None, :]
        scores = (x @ x.mT)[:, None].masked_fill(hidden, -1e9)
        return self.head(scores.softmax(-1).squeeze(1) @ x)

    return module(forward, table=nn.Embedding(20, 8, padding_idx=0), head=nn.Linear(8, 3)), (torch.tensor([[5, 6, 7, 8], [4, 3, 0, 0]]),)


@program("source:0=batch", "source:1=n", "target:0=batch", "target:1=m")
def translator():
    def forward(self, source, target):
        memory = self.encoder(self.table(source))[0]
        x = self.table(target)
        seen = (x @ memory.mT).softmax(-1) @ memory
        return self.head(torch.cat([x, seen], -1)).log_softmax(-1)

    return module(forward, table=nn.Embedding(20, 8), encoder=nn.GRU(8, 8, batch_first=True), head=nn.Linear(16, 20)), (torch.randint(0, 20, (2, 5)), torch.randint(0, 20, (2, 4)))


@program("ids:0=batch", "ids:1=seq")
def letters():
    """Words by convolutions over their letters."""

    def forward(self, ids):
        x = self.table(ids).transpose(1, 2)
        return torch.cat([F.relu(conv(x)).amax(2) for conv in self.convs], 1)

    return module(forward, table=nn.Embedding(20, 4), convs=nn.ModuleList(nn.Conv1d(4, 3, k, padding=k // 2) for k in (1, 3, 5))), (torch.randint(0, 20, (2, 6)),)


@program("x:0=batch", "x:1=n")
def points():
    """A net of points in any order, with the nearest of each."""

    def forward(self, x):
        near = torch.cdist(x, x).topk(2, largest=False).indices
        neighbours = x[torch.arange(x.shape[0])[:, None, None], near]
        return self.fc(torch.cat([x, neighbours[:, :, 1] - x], -1)).amax(1)

    return module(forward, fc=nn.Linear(6, 5)), (torch.randn(2, 6, 3),)


@program("x:0=nodes", "edges:1=edges")
def graph():
    def forward(self, x, edges):
        sent = torch.zeros_like(x).index_add(0, edges[1], self.fc(x[edges[0]]))
        degree = torch.zeros(x.shape[0]).scatter_add(0, edges[1], torch.ones(edges.shape[1]))
        return sent / degree.clamp(min=1)[:, None]

    return module(forward, fc=nn.Linear(3, 3)), (torch.randn(4, 3), torch.tensor([[0, 1, 2, 0, 1], [1, 2, 1, 1, 0]]))


@program("x:0=batch", "x:1=time")
def wave():
    """Dilated causal convolutions."""

    def forward(self, x):
        y = x[:, None]
        for i, conv in enumerate(self.convs):
            y = torch.tanh(conv(F.pad(y, (2**i, 0))))
        return y[:, 0]

    return module(forward, convs=nn.ModuleList(nn.Conv1d(1, 1, 2, dilation=2**i) for i in range(3))), (torch.randn(2, 12),)


@program("x:0=batch")
def spectrogram():
    def forward(self, x):
        power = torch.stft(x, 16, 8, window=self.window, center=True, return_complex=True).abs() ** 2
        return torch.log(self.bands @ power + 1e-6)

    return module(forward, window=torch.hann_window(16), bands=torch.rand(4, 9)), (torch.randn(2, 64),)


@program("user:0=batch", "item:0=batch")
def recommender():
    def forward(self, user, item):
        a, b = self.users(user), self.items(item)
        return torch.sigmoid((a * b).sum(-1) + self.bias[item, 0]), self.deep(torch.cat([a, b], -1))

    return module(forward, users=nn.Embedding(9, 4), items=nn.Embedding(7, 4), bias=nn.Parameter(torch.randn(7, 1)), deep=nn.Sequential(nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 1))), (torch.tensor([0, 8, 3]), torch.tensor([6, 2, 2]))


@program("x:0=batch")
def experts():
    """A mixture of which every expert is computed."""

    def forward(self, x):
        gate, at = self.gate(x).softmax(-1).topk(2)
        y = torch.stack([expert(x) for expert in self.experts], 1)
        return (y.gather(1, at[..., None].expand(-1, -1, 4)) * gate[..., None]).sum(1)

    return module(forward, gate=nn.Linear(4, 3), experts=nn.ModuleList(nn.Linear(4, 4) for _ in range(3))), (torch.randn(3, 4),)
