"""Code that branches, loops and returns early: by sizes, by data, by what it is given."""

import torch
from free import module, program
from torch import nn


@program("x:0=batch")
def branch_by_size():
    def forward(self, x):
        return x * 2 if x.shape[0] > 5 else x - 1

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def branch_by_one_size():
    def forward(self, x):
        if x.shape[0] == 4:
            return x + 10
        return x

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def branch_by_even_size():
    def forward(self, x):
        n = x.size(0)
        if n % 2 == 0:
            return x[: n // 2]
        return x[: n // 2 + 1] * 3

    return module(forward), (torch.randn(6, 4),)


@program("x:0=batch")
def branch_by_fixed_size():
    """The size that decides is not free, so that there is one path alone."""

    def forward(self, x):
        return x.sum(1) if x.shape[1] < 10 else x.mean(1)

    return module(forward), (torch.randn(3, 4),)


@program("x:0=rows", "x:1=columns")
def branch_by_two_sizes():
    def forward(self, x):
        return x.sum(0) if x.shape[0] > x.shape[1] else x.sum(1)

    return module(forward), (torch.randn(5, 3),)


@program("x:0=batch")
def branch_by_sum():
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x - 1

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def branch_rare():
    """The other path is taken by one value in thousands."""

    def forward(self, x):
        if x.max() > 4.5:
            return x.clamp(max=4.5)
        return x

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def branch_harmless():
    """Both paths give the same."""

    def forward(self, x):
        if x.sum() > 0:
            return torch.relu(x)
        return x.clamp(min=0)

    return module(forward), (torch.randn(3, 4),)


@program()
def branch_nested():
    def forward(self, x, y):
        if x.mean() > 0:
            if y.mean() > 0:
                return x + y
            return x - y
        return x * y

    return module(forward), (torch.rand(3, 4), torch.rand(3, 4))


@program("x:0=batch", also=lambda: [(torch.full((3, 4), float("nan")),)])
def branch_by_isnan():
    """A check that ends in another path, not in an exception."""

    def forward(self, x):
        if torch.isnan(x).any():
            return torch.zeros_like(x)
        return x * 2

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def branch_that_raises():
    def forward(self, x):
        if torch.isnan(x).any():
            raise ValueError("not a number")
        return x * 2

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def asserted_size():
    def forward(self, x):
        assert x.shape[1] == 4, "four columns"
        torch._check(x.shape[0] < 100)
        return x * 2

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def asserted_data():
    def forward(self, x):
        assert (x.abs() < 1e6).all()
        return x * 2

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def condition():
    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,))

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def condition_modules():
    def forward(self, x):
        return torch.cond(x.mean() > 0, self.yes, self.no, (x,))

    return module(forward, yes=nn.Linear(4, 3), no=nn.Sequential(nn.Linear(4, 3), nn.Tanh())), (torch.randn(3, 4),)


@program("x:0=batch")
def where_for_branch():
    def forward(self, x):
        return torch.where(x.sum() > 0, x * 2, x - 1)

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch", also=lambda: [(torch.ones(2, 4), torch.tensor(n)) for n in (0, 1, 5)])
def loop_to_data():
    """As many steps as a number among the inputs says."""

    def forward(self, x, n):
        for _ in range(int(n)):
            x = x * 2
        return x

    return module(forward), (torch.randn(3, 4), torch.tensor(3))


@program("x:0=batch")
def loop_while():
    def forward(self, x):
        while x.abs().max() > 1:
            x = x / 2
        return x

    return module(forward), (torch.randn(3, 4) * 3,)


@program("x:0=batch")
def loop_over_rows():
    """A step for each item of the batch."""

    def forward(self, x):
        return torch.stack([row.cumsum(0) for row in x])

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def loop_over_layers():
    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x) + (x if i % 2 else 0)
        return x

    return module(forward, layers=nn.ModuleList(nn.Linear(4, 4) for _ in range(4))), (torch.randn(3, 4),)


@program("x:0=batch", also=lambda: [(torch.full((3, 4), 100.0),)])
def early_return():
    """Leaves at the first layer that is sure enough."""

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
            if x.abs().mean() > 0.9:
                return x
        return x * 0

    return module(forward, layers=nn.ModuleList(nn.Linear(4, 4) for _ in range(3))), (torch.randn(3, 4),)


@program("x:0=batch")
def number_of_data():
    """A Python number that is read of a tensor, and used as a factor."""

    def forward(self, x):
        return x * x.mean().item()

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch", also=lambda: [(torch.ones(2, 6), torch.tensor(n)) for n in (1, 5)])
def slice_by_data():
    def forward(self, x, n):
        return x[:, : n.item()]

    return module(forward), (torch.randn(3, 6), torch.tensor(2))


@program("x:0=batch")
def list_of_data():
    def forward(self, x):
        return x * torch.tensor(x.sum(0).tolist())

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch")
def choice_by_string():
    def forward(self, x):
        return {"relu": torch.relu, "tanh": torch.tanh}[self.kind](x)

    return module(forward, kind="tanh"), (torch.randn(3, 4),)


@program("x:0=batch")
def optional_layer():
    def forward(self, x):
        return x if self.extra is None else self.extra(x)

    return module(forward, extra=None), (torch.randn(3, 4),)


@program("x:0=batch")
def caught():
    """An exception that the code itself catches."""

    def forward(self, x):
        try:
            return x @ self.w
        except RuntimeError:
            return x @ self.w.T

    return module(forward, w=torch.randn(3, 4)), (torch.randn(2, 4),)


@program("x:0=batch")
def recursion():
    def forward(self, x):
        def halves(v):
            return v if v.shape[1] == 1 else halves(v[:, : v.shape[1] // 2]) - halves(v[:, v.shape[1] // 2 :])

        return halves(x)

    return module(forward), (torch.randn(3, 8),)


@program("x:0=batch")
def expert_by_argmax():
    """Chooses one of its layers for each item by what the item holds."""

    def forward(self, x):
        chosen = self.gate(x).argmax(-1)
        y = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            at = chosen == i
            y[at] = expert(x[at])
        return y

    return module(forward, gate=nn.Linear(4, 2), experts=nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])), (torch.randn(5, 4),)


@program("x:0=batch")
def chunks_of_free_size():
    """Goes through the batch two by two."""

    def forward(self, x):
        return torch.cat([part - part.mean() for part in x.split(2)])

    return module(forward), (torch.randn(4, 3),)
