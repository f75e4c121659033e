"""Layers as PyTorch has them, in the settings that exporters translate least often."""

import torch
from free import module, program
from torch import nn
from torch.nn import functional as F


@program("x:0=batch")
def linear_many_axes():
    def forward(self, x):
        return self.fc(x)

    return module(forward, fc=nn.Linear(6, 3, bias=False)), (torch.randn(2, 4, 5, 6),)


@program("x:0=batch", "x:2=height", "x:3=width")
def conv_grouped():
    def forward(self, x):
        return self.conv(x)

    return module(forward, conv=nn.Conv2d(4, 8, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(2, 1), groups=2)), (torch.randn(2, 4, 9, 10),)


@program("x:0=batch")
def conv_same():
    """Padding that is larger on one side."""

    def forward(self, x):
        return self.conv(x)

    return module(forward, conv=nn.Conv1d(3, 4, 4, padding="same")), (torch.randn(2, 3, 11),)


@program("x:0=batch")
def conv_reflect():
    def forward(self, x):
        return self.conv(x)

    return module(forward, conv=nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect")), (torch.randn(2, 2, 6, 7),)


@program("x:0=batch")
def conv_circular():
    def forward(self, x):
        return self.conv(x)

    return module(forward, conv=nn.Conv1d(2, 3, 3, padding=2, padding_mode="circular")), (torch.randn(2, 2, 8),)


@program("x:0=batch", "x:2=height")
def conv_transposed():
    def forward(self, x):
        return self.conv(x)

    return module(forward, conv=nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1, dilation=1)), (torch.randn(2, 3, 5, 6),)


@program("x:0=batch")
def conv_transposed_size():
    """The size of the output is told, and the padding follows from it."""

    def forward(self, x):
        return self.conv(x, output_size=(x.shape[0], 4, x.shape[2] * 2))

    return module(forward, conv=nn.ConvTranspose1d(3, 4, 3, stride=2, padding=1)), (torch.randn(2, 3, 6),)


@program("x:0=batch")
def conv_volume():
    def forward(self, x):
        return F.max_pool3d(self.conv(x), 2)

    return module(forward, conv=nn.Conv3d(2, 3, 3, padding=1)), (torch.randn(2, 2, 5, 6, 4),)


@program("x:0=batch", "w:0=batch")
def conv_weight_computed():
    """The weight of the convolution is an input, one for each item of the batch."""

    def forward(self, x, w):
        b, c, n = x.shape
        return F.conv1d(x.reshape(1, b * c, n), w.reshape(b * 4, c, 3), groups=b).reshape(b, 4, -1)

    return module(forward), (torch.randn(2, 3, 8), torch.randn(2, 4, 3, 3))


@program("x:0=batch")
def unbatched_conv():
    """A convolution of each item, which has no batch axis of its own."""

    def forward(self, x):
        return self.conv(x[0]) + x.mean()

    return module(forward, conv=nn.Conv2d(2, 3, 3)), (torch.randn(2, 2, 6, 7),)


def trained(norm, *shape):
    """A normalization with statistics and weights of its own."""
    norm.train()
    for _ in range(5):
        norm(torch.randn(*shape) * 2 + 1)
    for p in norm.parameters():
        p.data.uniform_(0.5, 1.5)
    return norm.eval()


@program("x:0=batch")
def batch_norm():
    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=trained(nn.BatchNorm1d(4), 8, 4)), (torch.randn(3, 4),)


@program("x:0=batch")
def batch_norm_without_statistics():
    """Uses the statistics of the batch in evaluation too."""

    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=nn.BatchNorm2d(3, track_running_stats=False)), (torch.randn(4, 3, 5, 5),)


@program("x:0=batch")
def instance_norm():
    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=nn.InstanceNorm1d(3, affine=True)), (torch.randn(2, 3, 9),)


@program("x:0=batch")
def instance_norm_tracked():
    """Its statistics are kept, and used in evaluation."""

    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=trained(nn.InstanceNorm2d(3, affine=True, track_running_stats=True), 2, 3, 5, 5)), (torch.randn(2, 3, 5, 5),)


@program("x:0=batch")
def group_norm():
    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=trained(nn.GroupNorm(2, 6), 2, 6, 5)), (torch.randn(2, 6, 5),)


@program("x:0=batch")
def layer_norm_two_axes():
    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=nn.LayerNorm((3, 4), eps=1e-3, bias=False)), (torch.randn(2, 3, 4),)


@program("x:0=batch", "x:1=seq")
def rms_norm():
    def forward(self, x):
        return self.norm(x)

    return module(forward, norm=trained(nn.RMSNorm(8), 2, 3, 8)), (torch.randn(2, 3, 8),)


@program("x:0=batch")
def local_response():
    def forward(self, x):
        return F.local_response_norm(x, 3, alpha=0.1, beta=0.5, k=2.0)

    return module(forward), (torch.randn(2, 5, 4, 4),)


@program("x:0=batch")
def weight_normed():
    """A weight that is computed of two others at every call."""

    def forward(self, x):
        return self.fc(x)

    return module(forward, fc=nn.utils.parametrizations.weight_norm(nn.Linear(4, 3))), (torch.randn(2, 4),)


@program("x:0=batch")
def spectral_normed():
    def forward(self, x):
        return self.fc(x)

    return module(forward, fc=nn.utils.parametrizations.spectral_norm(nn.Linear(4, 3))), (torch.randn(2, 4),)


@program("ids:0=batch", "ids:1=seq")
def embedding_max_norm():
    """Looking a row up shortens it, in the weight itself."""

    def forward(self, ids):
        return self.table(ids)

    return module(forward, table=nn.Embedding(9, 4, max_norm=1.0)), (torch.tensor([[0, 3, 8], [5, 3, 1]]),)


@program("ids:0=items")
def embedding_bag():
    def forward(self, ids):
        return self.bag(ids, self.offsets)

    return module(forward, bag=nn.EmbeddingBag(9, 4, mode="mean"), offsets=torch.tensor([0, 2, 3])), (torch.tensor([0, 3, 8, 5, 1]),)


@program("ids:0=batch")
def embedding_bag_square():
    def forward(self, ids):
        return self.bag(ids)

    return module(forward, bag=nn.EmbeddingBag(9, 4, mode="max")), (torch.tensor([[0, 3, 8], [5, 1, 2]]),)


@program("a:0=batch", "b:0=batch")
def bilinear():
    def forward(self, a, b):
        return self.mix(a, b)

    return module(forward, mix=nn.Bilinear(3, 4, 5)), (torch.randn(2, 3), torch.randn(2, 4))


@program("x:0=batch")
def activations():
    """One after another, so that a wrong constant of any is seen."""

    def forward(self, x):
        y = [F.celu(x, 0.7), F.selu(x), F.mish(x), F.softplus(x, 2, 1.5), F.hardswish(x), F.gelu(x, approximate="tanh"), F.softsign(x), F.hardsigmoid(x), F.logsigmoid(x), F.tanhshrink(x)]
        return torch.stack(y)

    return module(forward), (torch.randn(2, 5) * 3,)


@program("x:0=batch")
def activations_cut():
    def forward(self, x):
        y = [F.threshold(x, 0.3, -2), F.hardshrink(x, 0.4), F.softshrink(x, 0.6), F.hardtanh(x, -0.2, 0.9), F.relu6(x), F.elu(x, 0.3), F.leaky_relu(x, 0.2), self.prelu(x), F.rrelu(x)]
        return torch.stack(y)

    return module(forward, prelu=nn.PReLU(4, 0.1)), (torch.randn(3, 4) * 4,)


@program("x:0=batch")
def gated():
    def forward(self, x):
        return F.glu(x, 1), F.softmin(x, -1), F.log_softmax(x, 0)

    return module(forward), (torch.randn(3, 6),)


@program("x:0=batch")
def dropouts_at_rest():
    def forward(self, x):
        return F.alpha_dropout(self.drop(x), 0.5, self.training) + F.dropout1d(x, 0.3, self.training)

    return module(forward, drop=nn.Dropout(0.9)), (torch.randn(3, 6),)


@program("x:0=batch")
def dropout_at_work():
    """Draws at random in evaluation too: no file can be held against it."""

    def forward(self, x):
        return F.dropout(x, 0.5, True)

    return module(forward), (torch.randn(3, 6),)


@program("x:0=batch")
def containers():
    """Layers in lists and dictionaries, one of them used twice."""

    def forward(self, x):
        for layer in self.list:
            x = torch.tanh(layer(x))
        return self.dict["b"](self.dict["a"](x)) + self.list[0](x)

    layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
    return module(forward, list=layers, dict=nn.ModuleDict({"a": nn.Linear(4, 6), "b": nn.Linear(6, 4)})), (torch.randn(2, 4),)
