"""Reductions, running sums, norms and functions of mathematics."""

import torch
from free import module, program
from torch.nn import functional as F


@program("x:0=batch", "x:1=n")
def sums():
    def forward(self, x):
        return x.sum((0, 2)), x.mean(-1, keepdim=True), x.prod(1), x.sum(), torch.nansum(x)

    return module(forward), (torch.randn(2, 3, 4),)


@program("x:0=batch", "x:1=n")
def extremes():
    def forward(self, x):
        low, high = torch.aminmax(x, dim=1)
        return x.amax((0, 1)), low, high, x.max(1).indices, x.min(-1).values, x.argmin(1, keepdim=True)

    return module(forward), (torch.randn(2, 3, 4),)


@program("x:0=batch", "x:1=n", also=lambda: [(torch.randn(1, 1, 2),)])
def spreads():
    """Corrections of the divisor; of one value the spread is not a number."""

    def forward(self, x):
        return x.std(1), x.var(1, unbiased=False), x.var((0, 1), correction=2), torch.std_mean(x)[0]

    return module(forward), (torch.randn(3, 4, 2),)


@program("x:0=batch", "x:1=n")
def norms():
    def forward(self, x):
        return x.norm(), x.norm(1, 1), torch.linalg.vector_norm(x, float("inf"), 1), F.normalize(x, dim=1), torch.linalg.norm(x, dim=-1), x.norm(3, -1)

    return module(forward), (torch.randn(2, 4),)


@program("a:0=batch", "b:0=batch")
def distances():
    def forward(self, a, b):
        return F.cosine_similarity(a, b), F.pairwise_distance(a, b), torch.dist(a, b), (a * b).sum(-1)

    return module(forward), (torch.randn(3, 4), torch.randn(3, 4))


@program("x:0=batch", "x:1=n")
def running():
    def forward(self, x):
        return x.cumsum(1), x.cumsum(0).flip(0), x.cumprod(1), x.diff(dim=1)

    return module(forward), (torch.randn(3, 5),)


@program("x:0=batch")
def running_extremes():
    def forward(self, x):
        return x.cummax(1).values, x.cummin(1).values, torch.logcumsumexp(x, 1)

    return module(forward), (torch.randn(3, 5),)


@program("x:0=batch", "x:1=n")
def logarithms_of_sums():
    def forward(self, x):
        return x.logsumexp(1), torch.logaddexp(x, x * 2), (x * 100).softmax(1), (x * 1000).log_softmax(0)

    return module(forward), (torch.randn(3, 5),)


@program("x:0=n")
def sums_of_nothing():
    """The sum, product and mean of no elements."""

    def forward(self, x):
        y = x[:0]
        return y.sum(), y.prod(), y.mean(), x.sum()

    return module(forward), (torch.randn(3),)


@program("x:0=n")
def any_and_all():
    def forward(self, x):
        return (x > 0).any(), (x > 0).all(0), x.any(1), (x > 0).sum(1), (x > 0).float().mean()

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def medians():
    def forward(self, x):
        return x.median(1).values, x.quantile(0.3, 1), x.nanmedian()

    return module(forward), (torch.randn(3, 5),)


@program("x:0=n")
def modes():
    def forward(self, x):
        return x.mode(1).values

    return module(forward), (torch.tensor([[1, 2, 2], [3, 3, 0]]),)


@program("x:0=n")
def histogram():
    def forward(self, x):
        return torch.histc(x, 4, -2, 2)

    return module(forward), (torch.randn(9),)


@program("x:0=n")
def trigonometry():
    def forward(self, x):
        y = x.tanh() * 0.9
        return torch.stack([x.sin(), y.asin(), y.acos(), x.atan(), x.sinh().tanh(), y.atanh(), x.asinh(), (x.abs() + 1).acosh(), x.tan().atan(), torch.atan2(x, y)])

    return module(forward), (torch.randn(5),)


@program("x:0=n")
def exponentials():
    def forward(self, x):
        y = x.abs() + 0.1
        return torch.stack([x.exp(), x.expm1(), y.log(), y.log2(), y.log10(), x.abs().log1p(), x.exp2(), y.rsqrt(), y.reciprocal(), x.square()])

    return module(forward), (torch.randn(5),)


@program("x:0=n")
def small_values():
    """Where a formula other than PyTorch's loses everything."""

    def forward(self, x):
        y = x * 1e-6
        return y.expm1() * 1e6, y.log1p() * 1e6, (1 - y.cos()) * 1e12, torch.sinc(x)

    return module(forward), (torch.randn(5),)


@program("x:0=n")
def special():
    def forward(self, x):
        return torch.erf(x), torch.erfc(x), torch.special.expit(x), torch.logit(x.sigmoid(), eps=1e-3), torch.xlogy(x.abs(), x.abs() + 1), torch.special.entr(x.sigmoid())

    return module(forward), (torch.randn(5),)


@program("x:0=n")
def gammas():
    def forward(self, x):
        y = x.abs() + 0.5
        return torch.lgamma(y), torch.digamma(y), torch.erfinv(x.tanh() * 0.9)

    return module(forward), (torch.randn(5),)


@program("x:0=n")
def bessel():
    def forward(self, x):
        return torch.special.i0(x), torch.special.bessel_j0(x)

    return module(forward), (torch.randn(5),)


@program("x:0=batch")
def fourier_real():
    def forward(self, x):
        return torch.fft.rfft(x).abs(), torch.fft.irfft(torch.fft.rfft(x), n=8)

    return module(forward), (torch.randn(2, 8),)


@program("x:0=batch")
def fourier_plane():
    def forward(self, x):
        y = torch.fft.fft2(x)
        return y.real, y.imag, torch.fft.fftshift(x, 1)

    return module(forward), (torch.randn(2, 4, 6),)


@program("x:0=batch")
def fourier_short():
    def forward(self, x):
        y = torch.stft(x, 8, 4, window=self.window, return_complex=True)
        return torch.view_as_real(y)

    return module(forward, window=torch.hann_window(8)), (torch.randn(2, 32),)


@program("x:0=batch")
def solved():
    """Linear algebra that ONNX has not."""

    def forward(self, x):
        return torch.linalg.solve(x @ x.mT + torch.eye(3), x[..., :1])

    return module(forward), (torch.randn(2, 3, 3),)


@program("x:0=batch")
def determinants():
    def forward(self, x):
        return torch.linalg.det(x), torch.inverse(x @ x.mT + torch.eye(3))

    return module(forward), (torch.randn(2, 3, 3),)


@program("x:0=batch", "y:0=batch")
def losses():
    def forward(self, x, y):
        return F.cross_entropy(x, y, label_smoothing=0.1), F.nll_loss(x.log_softmax(1), y, reduction="none"), F.mse_loss(x, x * 2), F.huber_loss(x, x + 2), F.kl_div(x.log_softmax(1), x.softmax(1), reduction="batchmean")

    return module(forward), (torch.randn(3, 4), torch.tensor([0, 3, 1]))


@program("x:0=batch", "y:0=batch")
def losses_of_truths():
    def forward(self, x, y):
        return F.binary_cross_entropy_with_logits(x, y.float(), pos_weight=torch.tensor(2.0)), F.cross_entropy(x, y[:, 0].long(), ignore_index=0, weight=torch.tensor([1.0, 2.0, 3.0]))

    return module(forward), (torch.randn(4, 3), torch.rand(4, 3) < 0.5)


@program("x:0=n")
def clamped():
    def forward(self, x):
        return x.clamp(-0.5, 0.5), x.clamp(min=torch.tensor(0.1)), torch.clip(x, 1, -1), torch.lerp(x, x * 2, 0.3), torch.addcmul(x, x, x, value=0.1), torch.addcdiv(x, x, x.abs() + 1)

    return module(forward), (torch.randn(5),)


@program("x:0=n", "x:1=m")
def centred():
    """A variance that cancels: the mean is large."""

    def forward(self, x):
        return ((x + 1000) - (x + 1000).mean(1, keepdim=True)).abs().mean() > 0, (x + 100).var(1)

    return module(forward), (torch.randn(3, 6),)
