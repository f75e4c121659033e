"""What forward leaves behind: buffers, attributes, lists and caches. A file does what a first call does."""

import torch
from free import module, program
from torch import nn


@program("x:0=batch")
def counter():
    def forward(self, x):
        self.n += 1
        return x * self.n

    return module(forward, n=torch.zeros(())), (torch.randn(2, 3),)


@program("x:0=batch")
def counter_of_python():
    def forward(self, x):
        self.n += 1
        return x * self.n

    return module(forward, n=0), (torch.randn(2, 3),)


@program("x:0=batch")
def counter_that_decides():
    """The third call does something else."""

    def forward(self, x):
        self.n += 1
        return x * 2 if self.n < 3 else x - 1

    return module(forward, n=0), (torch.randn(2, 3),)


@program("x:0=batch")
def moving_average():
    def forward(self, x):
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean

    return module(forward, mean=torch.ones(3)), (torch.randn(2, 3),)


@program("x:0=batch")
def replaced_buffer():
    def forward(self, x):
        self.last = x.mean(0)
        return x + self.last

    return module(forward, last=torch.zeros(3)), (torch.randn(2, 3),)


@program("x:0=batch")
def read_before_written():
    """Gives what the call before left, and leaves its own."""

    def forward(self, x):
        before = self.last.clone()
        self.last.copy_(x.mean(0))
        return x + before

    return module(forward, last=torch.ones(3)), (torch.randn(2, 3),)


@program("x:0=batch")
def parameter_changed():
    def forward(self, x):
        with torch.no_grad():
            self.w.mul_(0.5)
        return x * self.w

    return module(forward, w=nn.Parameter(torch.randn(3))), (torch.randn(2, 3),)


@program("x:0=batch")
def list_grows():
    def forward(self, x):
        self.seen.append(x.mean())
        return x + sum(self.seen)

    return module(forward, seen=[]), (torch.randn(2, 3),)


@program("x:0=batch")
def dictionary_fills():
    def forward(self, x):
        if "scale" not in self.cache:
            self.cache["scale"] = x.abs().max()
        return x / self.cache["scale"]

    return module(forward, cache={}), (torch.randn(2, 3),)


@program("x:0=batch", "x:1=seq")
def table_made_at_need():
    """A table that is made longer when an input asks for it."""

    def forward(self, x):
        if self.table is None or self.table.shape[0] < x.shape[1]:
            self.table = torch.arange(x.shape[1], dtype=torch.float32).cos()[:, None]
        return x + self.table[: x.shape[1]]

    return module(forward, table=None), (torch.randn(2, 5, 3),)


@program("x:0=batch")
def key_value_cache():
    def forward(self, x):
        self.keys[:, self.at] = x.mean(0)
        self.at += 1
        return x @ self.keys.sum(1)[:3]

    return module(forward, keys=torch.zeros(3, 4), at=0), (torch.randn(2, 3),)


@program("x:0=batch", "at:0=batch")
def cache_by_index():
    def forward(self, x, at):
        self.keys.index_copy_(0, at, x)
        return self.keys * 2

    return module(forward, keys=torch.zeros(8, 3)), (torch.randn(2, 3), torch.tensor([6, 1]))


@program("x:0=batch")
def argument_changed():
    """Writes to what it was given."""

    def forward(self, x):
        x += 1
        return x * 2

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def argument_changed_after():
    """What was computed of the argument before it changed keeps the old values."""

    def forward(self, x):
        y = x * 2
        x.zero_()
        return y + x

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def view_changed():
    """Writing to a part of a tensor changes the whole."""

    def forward(self, x):
        y = x * 1
        y[:, 1] = 7
        row = y[0]
        row += 100
        return y

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def view_of_transposed_changed():
    def forward(self, x):
        y = x.clone()
        y.t()[1].mul_(3)
        y.view(-1)[0] = 5
        return y

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def not_persistent():
    def forward(self, x):
        return x + self.table

    made = module(forward)
    made.register_buffer("table", torch.randn(3), persistent=False)
    return made, (torch.randn(2, 3),)


@program("x:0=batch")
def plain_tensor():
    """A tensor that is neither parameter nor buffer."""

    def forward(self, x):
        return x + self.held[0]

    return module(forward, held=[torch.randn(3)]), (torch.randn(2, 3),)


@program("x:0=batch")
def tied():
    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))

    made = module(forward, a=nn.Linear(3, 3), b=nn.Linear(3, 3))
    made.b.weight = made.a.weight
    return made, (torch.randn(2, 3),)


@program("x:0=batch")
def hooked():
    """A hook changes what a layer gives."""

    def forward(self, x):
        return self.fc(x)

    made = module(forward, fc=nn.Linear(3, 3))
    made.fc.register_forward_hook(lambda m, args, out: out * 2)
    made.fc.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
    return made, (torch.randn(2, 3),)


@program("x:0=batch")
def random_seeded():
    """Draws the same at every call: the seed is set inside."""

    def forward(self, x):
        return x + torch.randn(3, generator=torch.Generator().manual_seed(3))

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def random_drawn():
    def forward(self, x):
        return x + torch.rand(3)

    return module(forward), (torch.randn(2, 3),)


SCALE = torch.tensor([1.0, 2.0, 3.0])


@program("x:0=batch")
def global_tensor():
    def forward(self, x):
        return x * SCALE

    return module(forward), (torch.randn(2, 3),)
