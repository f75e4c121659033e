"""What forward gives: names that collide, inputs and weights themselves, numbers, nothing."""

import dataclasses
from typing import NamedTuple, Optional

import torch
from free import module, program
from torch import nn


class Found(NamedTuple):
    value: torch.Tensor
    at: torch.Tensor


@dataclasses.dataclass
class Result:
    logits: torch.Tensor
    loss: Optional[torch.Tensor] = None


@program("x:0=batch")
def tuple_nested():
    def forward(self, x):
        return x + 1, (x + 2, [x + 3, x.sum(1)])

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def dictionary():
    def forward(self, x):
        return {"b": x * 2, "a": x + 1, "c": {"d": x.mean(1)}}

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def named_tuple():
    def forward(self, x):
        return Found(*x.max(1))

    return module(forward), (torch.randn(4, 5),)


@program("x:0=batch")
def of_library():
    """The tuple of torch itself, with fields."""

    def forward(self, x):
        return torch.sort(x, 1, descending=True)

    return module(forward), (torch.randn(2, 5),)


@program("x:0=batch")
def dataclass_with_nothing():
    def forward(self, x):
        return Result(self.fc(x))

    return module(forward, fc=nn.Linear(3, 4)), (torch.randn(2, 3),)


@program("x:0=batch")
def none_among():
    def forward(self, x):
        return x * 2, None, x + 1

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def number_among():
    def forward(self, x):
        return x * 2, 5, x + 1

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def input_itself():
    def forward(self, x):
        return x, x * 2

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def input_alone():
    def forward(self, x):
        return x

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def same_twice():
    def forward(self, x):
        y = x * 2
        return y, y, y

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def weight_itself():
    def forward(self, x):
        return x @ self.w, self.w, self.w.T

    return module(forward, w=nn.Parameter(torch.randn(3, 4))), (torch.randn(2, 3),)


@program("x:0=batch")
def constant():
    """An output that follows from no input."""

    def forward(self, x):
        return x * 2, torch.arange(4), torch.tensor(2.5)

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def constant_alone():
    def forward(self, x):
        return torch.ones(2, 2)

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def size():
    def forward(self, x):
        return torch.tensor(x.shape[0]), x.new_full((x.shape[0],), x.shape[0])

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def scalar():
    def forward(self, x):
        return x.sum(), x.argmax()

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def named_like_input():
    def forward(self, x, y):
        return {"y": x * 2, "x": y + 1}

    return module(forward), (torch.randn(2, 3), torch.randn(2))


@program("x:0=batch")
def named_like_weight():
    def forward(self, x):
        y = self.fc(x)
        return {"fc.weight": y, "fc.bias": y * 2, "relu": torch.relu(y)}

    return module(forward, fc=nn.Linear(3, 3)), (torch.randn(2, 3),)


@program("x:0=batch")
def named_by_number():
    def forward(self, x):
        return {0: x * 2, 1: x + 1}

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def views():
    """Views of the input and of each other."""

    def forward(self, x):
        y = x.t()
        return y, y[1:], x.view(-1), x[..., 0]

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def empty():
    """An output without elements."""

    def forward(self, x):
        return x[:, 3:], x[:, :0].sum(1), x * 2

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def data_sized():
    """As long as the data say."""

    def forward(self, x):
        return x[x > 0]

    return module(forward), (torch.randn(4, 5),)


@program("x:0=batch")
def truth_and_whole():
    def forward(self, x):
        return x > 0, (x * 10).int(), (x * 10).to(torch.uint8).clamp(max=3) * 0, x.sign().to(torch.int8)

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def complex_given():
    def forward(self, x):
        return torch.complex(x, x * 2)

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def many():
    def forward(self, x):
        return x.unbind(1)

    return module(forward), (torch.randn(2, 5),)


@program("x:0=batch")
def list_by_length():
    """A list of as many tensors as the batch is long."""

    def forward(self, x):
        return list(x)

    return module(forward), (torch.randn(3, 4),)
