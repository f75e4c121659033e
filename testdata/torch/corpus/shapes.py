"""Shapes: reshaping, joining, padding, pooling, windows and resizing, with sizes that are free."""

import torch
from free import module, program
from torch.nn import functional as F


@program("x:0=batch", "x:1=seq")
def reshaped():
    def forward(self, x):
        b, n, c = x.shape
        return x.view(b, n, 2, c // 2).transpose(1, 2).reshape(b * 2, n, -1)

    return module(forward), (torch.randn(2, 3, 8),)


@program("x:0=batch", "x:2=height", "x:3=width")
def flattened():
    def forward(self, x):
        return x.flatten(2).permute(0, 2, 1), x.flatten(), x.unflatten(1, (2, -1))

    return module(forward), (torch.randn(2, 4, 3, 5),)


@program("x:0=n")
def reshaped_by_number():
    """A size that only some lengths allow."""

    def forward(self, x):
        return x.reshape(-1, 4).sum(1)

    return module(forward), (torch.randn(12),)


@program("x:0=batch")
def squeezed_free():
    """Squeezing an axis that is 1 for some inputs alone."""

    def forward(self, x):
        return x.squeeze(), x.squeeze(1)

    return module(forward), (torch.randn(3, 1, 4),)


@program("x:0=batch", "y:0=batch")
def spread():
    def forward(self, x, y):
        return x[:, None].expand(-1, 4, -1) + y, x.expand_as(y[:, 0]), torch.broadcast_to(x[:, None], y.shape), x.repeat(2, 3), x.repeat_interleave(2, 1)

    return module(forward), (torch.randn(3, 2), torch.randn(3, 4, 2))


@program("x:0=batch")
def repeated_by_tensor():
    def forward(self, x, n):
        return torch.repeat_interleave(x, n, 1)

    return module(forward), (torch.randn(2, 3), torch.tensor([2, 0, 3]))


@program("a:0=batch", "b:0=batch", "a:1=n", "b:1=m")
def joined():
    def forward(self, a, b):
        return torch.cat([a, b], 1), torch.cat([a[:, :1], b[:, :1]], 0), torch.hstack((a, b))

    return module(forward), (torch.randn(2, 3), torch.randn(2, 4))


@program("x:0=batch")
def split_unevenly():
    def forward(self, x):
        return x.split([1, 4, 2], 1)[1], x.chunk(3, 1)[2], torch.tensor_split(x, 3, 1)[0], x.split(3, 1)[-1]

    return module(forward), (torch.randn(2, 7),)


@program("x:0=batch", "x:1=seq")
def chunked_free():
    """Two halves of a length that may be odd."""

    def forward(self, x):
        a, b = x.chunk(2, 1)
        return a.sum(1) - b.sum(1)

    return module(forward), (torch.randn(2, 6),)


@program("a:0=batch", "b:0=batch")
def summed_products():
    def forward(self, a, b):
        return torch.einsum("bij,bkj->bik", a, b), torch.einsum("bij->b", a), torch.einsum("bii->bi", a[:, :, :3]), torch.tensordot(a, b, dims=([1, 2], [1, 2]))

    return module(forward), (torch.randn(2, 3, 4), torch.randn(2, 3, 4))


@program("a:0=batch", "b:0=batch")
def products():
    def forward(self, a, b):
        return torch.bmm(a, b.mT), torch.baddbmm(a[:, :, :3], a, b.mT, beta=0.5, alpha=2), a[:, 0] @ self.w, torch.kron(self.w[:2], self.w[1:3])

    return module(forward, w=torch.randn(4, 4)), (torch.randn(2, 3, 4), torch.randn(2, 3, 4))


@program("x:0=batch", "x:2=height", "x:3=width")
def padded():
    def forward(self, x):
        return F.pad(x, (1, 2, 3, 0), value=-1), F.pad(x, (1, 1, 2, 2), mode="replicate"), F.pad(x, (0, 0, 0, 0, 1, 2))

    return module(forward), (torch.randn(2, 3, 4, 5),)


@program("x:0=batch")
def padded_negative():
    """Negative padding cuts."""

    def forward(self, x):
        return F.pad(x, (-1, 2)), F.pad(x, (1, -2), mode="constant", value=3)

    return module(forward), (torch.randn(2, 3, 5),)


@program("x:0=batch")
def padded_circular():
    def forward(self, x):
        return F.pad(x, (2, 1, 1, 0), mode="circular"), F.pad(x, (1, 2, 2, 1), mode="reflect")

    return module(forward), (torch.randn(2, 3, 4, 5),)


@program("x:0=batch", "x:2=n")
def padded_to_multiple():
    def forward(self, x):
        return F.pad(x, (0, (4 - x.shape[-1] % 4) % 4))

    return module(forward), (torch.randn(2, 3, 6),)


@program("x:0=batch", "x:2=height", "x:3=width")
def pooled():
    def forward(self, x):
        return F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, (2, 3), 1, (1, 1), count_include_pad=False), F.lp_pool2d(x.abs(), 2, 2)

    return module(forward), (torch.randn(2, 3, 8, 9),)


@program("x:0=batch")
def pooled_rounding_up():
    """A last window that lies partly outside."""

    def forward(self, x):
        return F.max_pool2d(x, 2, 2, ceil_mode=True), F.avg_pool2d(x, 3, 2, ceil_mode=True), F.avg_pool1d(x[:, :, 0], 3, 2, 1, ceil_mode=True)

    return module(forward), (torch.randn(2, 3, 7, 8),)


@program("x:0=batch")
def pooled_with_indices():
    def forward(self, x):
        y, at = F.max_pool2d(x, 2, return_indices=True)
        return y, at, F.max_unpool2d(y, at, 2)

    return module(forward), (torch.randn(2, 3, 4, 6),)


@program("x:0=batch")
def pooled_adaptively():
    def forward(self, x):
        return F.adaptive_avg_pool2d(x, (3, 2)), F.adaptive_max_pool1d(x[:, :, 0], 4), F.adaptive_avg_pool2d(x, 1)

    return module(forward), (torch.randn(2, 3, 6, 8),)


@program("x:0=batch")
def pooled_adaptively_unevenly():
    """Windows that are not all of one size."""

    def forward(self, x):
        return F.adaptive_avg_pool2d(x, (3, 5))

    return module(forward), (torch.randn(2, 3, 7, 8),)


@program("x:0=batch", "x:2=height", "x:3=width")
def pooled_to_one_free():
    def forward(self, x):
        return F.adaptive_avg_pool2d(x, 1).flatten(1), x.amax((2, 3)), F.adaptive_max_pool2d(x, (1, 1))

    return module(forward), (torch.randn(2, 3, 6, 8),)


@program("x:0=batch", "x:2=height", "x:3=width")
def resized_nearest():
    def forward(self, x):
        return F.interpolate(x, scale_factor=2), F.interpolate(x, size=(7, 5)), F.interpolate(x, scale_factor=(1.5, 0.5), mode="nearest-exact")

    return module(forward), (torch.randn(2, 3, 4, 6),)


@program("x:0=batch", "x:2=height", "x:3=width")
def resized_bilinear():
    def forward(self, x):
        return F.interpolate(x, scale_factor=2.0, mode="bilinear"), F.interpolate(x, size=(7, 5), mode="bilinear", align_corners=True)

    return module(forward), (torch.randn(2, 3, 4, 6),)


@program("x:0=batch")
def resized_bicubic():
    def forward(self, x):
        return F.interpolate(x, size=(7, 9), mode="bicubic"), F.interpolate(x, size=(3, 4), mode="area")

    return module(forward), (torch.randn(2, 3, 6, 8),)


@program("x:0=batch")
def resized_smoothly():
    """Smaller, with a filter wide enough for it."""

    def forward(self, x):
        return F.interpolate(x, size=(3, 4), mode="bilinear", antialias=True)

    return module(forward), (torch.randn(2, 3, 7, 9),)


@program("x:0=batch", "like:2=height", "like:3=width")
def resized_like_another():
    def forward(self, x, like):
        return F.interpolate(x, size=like.shape[2:], mode="bilinear")

    return module(forward), (torch.randn(2, 3, 4, 6), torch.randn(1, 1, 7, 9))


@program("x:0=batch")
def windows():
    def forward(self, x):
        return x.unfold(2, 3, 2), F.unfold(x, 2, padding=1, stride=2), F.fold(F.unfold(x, 2), (5, 6), 2)

    return module(forward), (torch.randn(2, 3, 5, 6),)


@program("x:0=batch", "x:1=seq")
def windows_free():
    def forward(self, x):
        return x.unfold(1, 3, 1).mean(-1)

    return module(forward), (torch.randn(2, 7),)


@program("x:0=batch")
def shuffled():
    def forward(self, x):
        return F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2)

    return module(forward), (torch.randn(2, 8, 4, 6),)


@program("x:0=batch", "grid:0=batch")
def sampled_by_grid():
    def forward(self, x, grid):
        return F.grid_sample(x, grid, align_corners=False), F.grid_sample(x, grid, mode="nearest", padding_mode="border", align_corners=True)

    return module(forward), (torch.randn(2, 3, 4, 6), torch.rand(2, 5, 5, 2) * 2 - 1)


@program("theta:0=batch")
def grid_made():
    def forward(self, theta):
        return F.affine_grid(theta, (theta.shape[0], 1, 3, 4), align_corners=False)

    return module(forward), (torch.randn(2, 2, 3),)


@program("x:0=batch")
def strided():
    def forward(self, x):
        return torch.as_strided(x[0].contiguous(), (2, 3), (1, 2)) + x.mean()

    return module(forward), (torch.randn(2, 8),)


@program("x:0=batch", "x:1=seq")
def made_by_size():
    def forward(self, x):
        b, n = x.shape
        return torch.arange(n).expand(b, n), torch.linspace(0, 1, 5), torch.eye(n), torch.full((b, 1), n), torch.zeros_like(x, dtype=torch.int64)

    return module(forward), (torch.randn(2, 3),)


@program("x:0=n", "y:0=m")
def crossed():
    def forward(self, x, y):
        a, b = torch.meshgrid(x, y, indexing="ij")
        return a - b, torch.outer(x, y), torch.cartesian_prod(x, y)

    return module(forward), (torch.randn(3), torch.randn(4))


@program("x:0=batch", "x:1=n")
def pairs():
    def forward(self, x):
        return torch.cdist(x, x), torch.stack([x, x * 2], -2).flatten(1, 2), x.swapaxes(0, 1).movedim(-1, 0)

    return module(forward), (torch.randn(2, 4, 3),)


@program("x:0=batch")
def size_in_arithmetic():
    """Sizes as numbers in what is computed."""

    def forward(self, x):
        return x / x.shape[0] + x.numel() ** 0.5, x.sum(0) / max(x.shape[0], 4)

    return module(forward), (torch.randn(3, 5),)
