"""Reading and writing by index, mask and slice."""

import torch
from free import module, program
from torch.nn import functional as F


@program("x:0=batch", "at:0=batch")
def gather():
    def forward(self, x, at):
        return x.gather(1, at), torch.take_along_dim(x, at, 1)

    return module(forward), (torch.randn(2, 5), torch.tensor([[4, 0, 2], [1, 1, 0]]))


@program("x:0=batch")
def index_negative():
    """Indices from the end."""

    def forward(self, x, at):
        return x[:, at]

    return module(forward), (torch.randn(2, 5), torch.tensor([-1, 0, -5, 4]))


@program("x:0=batch")
def index_two_tensors_apart():
    """Two index tensors with an axis between them: their axis goes to the front."""

    def forward(self, x, a, b):
        return x[a, :, b]

    return module(forward), (torch.randn(3, 4, 5), torch.tensor([0, 1]), torch.tensor([4, 2]))


@program("x:0=batch")
def index_two_tensors_together():
    def forward(self, x, a, b):
        return x[:, a, b], x[:, a[:, None], b[None]]

    return module(forward), (torch.randn(2, 4, 5), torch.tensor([0, 3]), torch.tensor([4, 2]))


@program("x:0=batch")
def index_new_axes():
    def forward(self, x):
        return x[:, None, ..., 0], x[..., None, 1:], x[None]

    return module(forward), (torch.randn(2, 4, 5),)


@program("x:0=batch", "x:1=seq")
def slice_with_steps():
    def forward(self, x):
        return x[:, ::2], x[:, 1::3], x[:, -3:-1], x[:-1, :4:2]

    return module(forward), (torch.randn(3, 9),)


@program("x:0=batch", "x:1=seq")
def slice_beyond():
    """Ends that lie beyond the axis."""

    def forward(self, x):
        return x[:, 2:100], x[:, -100:3]

    return module(forward), (torch.randn(3, 9),)


@program("x:0=batch", "x:1=seq")
def flipped():
    def forward(self, x):
        return x.flip(1), x.flip([0, 1]), torch.rot90(x, 1, (0, 1)), x.roll((1, -2), (0, 1)), x.roll(2)

    return module(forward), (torch.randn(3, 5),)


@program("x:0=batch")
def mask_written():
    def forward(self, x):
        y = x.clone()
        y[y < 0] = 0.5
        y[:, 0][x[:, 1] > 0] = 9
        return y

    return module(forward), (torch.randn(4, 5),)


@program("x:0=batch", "mask:0=batch")
def mask_filled_and_scattered():
    def forward(self, x, mask):
        return x.masked_fill(mask, float("-inf")), x.masked_scatter(mask, torch.arange(100.0))

    return module(forward), (torch.randn(3, 4), torch.rand(3, 4) < 0.5)


@program("x:0=batch", "mask:0=batch")
def mask_of_rows():
    def forward(self, x, mask):
        return x[mask].sum(0), x[mask, 1:].shape[1] * x

    return module(forward), (torch.randn(4, 3), torch.tensor([True, False, True, True]))


@program("x:0=batch")
def scatter_at_once():
    def forward(self, x, at):
        return torch.zeros(x.shape[0], 6).scatter(1, at.expand(x.shape[0], -1), x)

    return module(forward), (torch.randn(2, 3), torch.tensor([[5, 0, 2]]))


@program("x:0=batch", "at:0=batch")
def scatter_added():
    """Indices that occur more than once."""

    def forward(self, x, at):
        return torch.zeros(5).scatter_add(0, at, x), torch.ones(5).index_add(0, at, x, alpha=2)

    return module(forward), (torch.randn(6), torch.tensor([0, 1, 1, 4, 1, 0]))


@program("x:0=batch", "at:0=batch")
def scatter_reduced():
    def forward(self, x, at):
        y = torch.ones(5)
        return y.scatter_reduce(0, at, x, "amax"), y.scatter_reduce(0, at, x, "amin", include_self=False), y.scatter_reduce(0, at, x, "prod")

    return module(forward), (torch.randn(6), torch.tensor([0, 1, 1, 4, 1, 0]))


@program("x:0=batch", "at:0=batch")
def scatter_mean():
    def forward(self, x, at):
        return torch.zeros(5).scatter_reduce(0, at, x, "mean", include_self=False)

    return module(forward), (torch.randn(6), torch.tensor([0, 1, 1, 4, 1, 0]))


@program("x:0=batch")
def put_accumulated():
    def forward(self, x, at):
        y = torch.zeros(x.shape[0], 5)
        return y.index_put((torch.arange(x.shape[0])[:, None], at[None]), x, accumulate=True)

    return module(forward), (torch.randn(2, 3), torch.tensor([0, 4, 0]))


@program("x:0=batch")
def put_by_slice():
    def forward(self, x):
        y = torch.zeros(x.shape[0], 8)
        y[:, 1:4] = x
        y[:, 4:] += 2
        y[..., -1] = x.mean(1)
        return y

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def filled_by_index():
    def forward(self, x, at):
        return x.index_fill(1, at, 7.0), x.index_copy(1, at, torch.zeros(x.shape[0], 2)), x.index_select(1, at)

    return module(forward), (torch.randn(2, 5), torch.tensor([3, 0]))


@program("x:0=batch")
def best_few():
    def forward(self, x):
        value, at = x.topk(3, largest=False)
        return value, at, x.kthvalue(2)[0], x.topk(2, 0 if x.dim() == 1 else 1).values

    return module(forward), (torch.randn(3, 6),)


@program("x:0=batch", "x:1=seq")
def best_of_length():
    """As many as half of the length."""

    def forward(self, x):
        return x.topk(x.shape[1] // 2 + 1, sorted=True).values

    return module(forward), (torch.randn(3, 6),)


@program("x:0=batch")
def ordered():
    def forward(self, x):
        return x.sort(-1, descending=True).values, x.argsort(0), x.msort()

    return module(forward), (torch.randn(3, 6),)


@program("x:0=batch")
def ordered_stably():
    """Equal values keep their order."""

    def forward(self, x):
        return torch.sort(x, dim=1, stable=True).indices, torch.argsort(x, dim=1, descending=True, stable=True)

    return module(forward), (torch.randint(0, 4, (3, 9)),)


@program("x:0=n")
def unique():
    def forward(self, x):
        return torch.unique(x, return_inverse=True, return_counts=True)

    return module(forward), (torch.tensor([3, 1, 3, 0, 7, 1]),)


@program("x:0=n")
def unique_runs():
    def forward(self, x):
        return torch.unique_consecutive(x)

    return module(forward), (torch.tensor([3, 3, 1, 0, 0, 3]),)


@program("x:0=n")
def not_zero():
    def forward(self, x):
        return x.nonzero(), torch.nonzero(x > 1, as_tuple=True)[0], torch.count_nonzero(x)

    return module(forward), (torch.tensor([3, 0, 1, 0, 0, 2]),)


@program("x:0=batch")
def where_three_ways():
    def forward(self, x):
        return torch.where(x > 0, x, 0.0), torch.where(x > 0)[1].sum(), x.where(x.abs() < 1, torch.tensor(2.0))

    return module(forward), (torch.randn(3, 4),)


@program("ids:0=batch")
def one_hot():
    def forward(self, ids):
        return F.one_hot(ids, 5), (ids[:, None] == torch.arange(5)).float()

    return module(forward), (torch.tensor([0, 4, 2]),)


@program("ids:0=batch")
def one_hot_by_data():
    """As many classes as the largest index says."""

    def forward(self, ids):
        return F.one_hot(ids)

    return module(forward), (torch.tensor([0, 4, 2]),)


@program("x:0=rows", "x:1=columns")
def triangles():
    def forward(self, x):
        return x.tril(-1), x.triu(1), x.diagonal(), torch.diag_embed(x[0], 1), x.trace()

    return module(forward), (torch.randn(4, 5),)


@program("x:0=n")
def bins():
    def forward(self, x):
        return torch.bincount(x, minlength=6), torch.bucketize(x, torch.tensor([1, 3, 5])), torch.searchsorted(torch.tensor([0, 2, 2, 9]), x, right=True)

    return module(forward), (torch.tensor([3, 0, 1, 5, 5, 2]),)


@program("x:0=batch")
def selected():
    def forward(self, x):
        return x.select(1, -1), x.narrow(1, 1, 2), x.take(torch.tensor([0, 2])), torch.masked_select(x, x > 0)

    return module(forward), (torch.randn(2, 4),)
