"""What forward takes: containers, numbers, nothing, types that ONNX has not."""

import dataclasses
from typing import NamedTuple, Optional

import torch
from free import module, program
from torch import nn


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


@dataclasses.dataclass
class Box:
    low: torch.Tensor
    high: torch.Tensor
    label: Optional[torch.Tensor] = None


@program("batch.ids:0=batch", "batch.mask:0=batch")
def dictionary():
    def forward(self, batch):
        return self.table(batch["ids"]) * batch["mask"][..., None]

    return module(forward, table=nn.Embedding(9, 4)), ({"ids": torch.tensor([[1, 2, 8], [0, 4, 4]]), "mask": torch.ones(2, 3)},)


@program("batch.b:0=batch", "batch.a:0=batch")
def dictionary_out_of_order():
    """Keys that are not in the order of the alphabet."""

    def forward(self, batch):
        return batch["b"] - 2 * batch["a"]

    return module(forward), ({"b": torch.randn(2, 3), "a": torch.randn(2, 3)},)


@program("xs.0:0=batch", "xs.1:0=batch", "xs.2:0=batch")
def list_of_tensors():
    def forward(self, xs):
        return torch.cat(xs, 1) * len(xs)

    return module(forward), ([torch.randn(2, 1), torch.randn(2, 2), torch.randn(2, 3)],)


@program("pair.left:0=batch", "pair.right:0=batch")
def named_tuple():
    def forward(self, pair):
        return pair.left @ pair.right.mT

    return module(forward), (Pair(torch.randn(2, 3, 4), torch.randn(2, 5, 4)),)


@program("box.low:0=batch", "box.high:0=batch")
def dataclass_with_nothing():
    def forward(self, box: Box):
        y = box.high - box.low
        return y if box.label is None else y * box.label

    return module(forward), (Box(torch.randn(2, 3), torch.randn(2, 3)),)


@program("batch.boxes.0.low:0=batch", "batch.boxes.0.high:0=batch", "batch.boxes.0.label:0=batch")
def nested():
    def forward(self, batch):
        box = batch["boxes"][0]
        return (box.high - box.low) * box.label + batch["by"]

    return module(forward), ({"boxes": [Box(torch.randn(2, 3), torch.randn(2, 3), torch.randn(2, 1))], "by": torch.randn(3)},)


@program("x:0=batch")
def optional_none():
    def forward(self, x, mask=None):
        return x if mask is None else x * mask

    return module(forward), (torch.randn(2, 3), None)


@program("x:0=batch", "mask:0=batch")
def none_between():
    """Nothing is given in the midst of the arguments."""

    def forward(self, x, bias=None, mask=None):
        y = x if bias is None else x + bias
        return y if mask is None else y.masked_fill(mask, -1)

    return module(forward), (torch.randn(2, 3), None, torch.tensor([[True, False, True], [False, False, True]]))


@program("x:0=batch")
def number():
    """A Python number among the arguments is fixed by an export."""

    def forward(self, x, n):
        return x * n

    return module(forward), (torch.randn(2, 3), 3)


@program("x:0=batch")
def number_and_truth():
    def forward(self, x, scale, flip):
        return -x * scale if flip else x * scale

    return module(forward), (torch.randn(2, 3), 0.5, True)


@program("x:0=batch")
def zero_dimensional():
    def forward(self, x, k):
        return x * k + k.abs()

    return module(forward), (torch.randn(2, 3), torch.tensor(0.5))


@program("x:0=batch", "y:0=batch")
def truths():
    def forward(self, x, y):
        return x & ~y, x ^ y, (x | y).sum(1), x.any(1), y.all(0)

    return module(forward), (torch.tensor([[True, False, True], [False, False, True]]), torch.tensor([[True, True, False], [False, True, True]]))


@program("x:0=batch")
def complex_product():
    def forward(self, x, y):
        return x * y, x.abs(), (x + y).real

    return module(forward), (torch.randn(2, 3, dtype=torch.complex64), torch.randn(3, dtype=torch.complex64))


@program("x:0=batch")
def complex_parts():
    def forward(self, x):
        return torch.complex(x.imag, x.real), x.angle()

    return module(forward), (torch.randn(2, 3, dtype=torch.complex64),)


@program("x:0=batch")
def half():
    def forward(self, x):
        return (x * 3 + 1).relu()

    return module(forward), (torch.randn(2, 3).half(),)


@program("x:0=batch")
def double():
    def forward(self, x):
        return x @ self.w

    return module(forward, w=torch.randn(3, 4, dtype=torch.float64)), (torch.randn(2, 3, dtype=torch.float64),)


@program("image:0=batch", "image:2=height", "image:3=width")
def bytes_of_an_image():
    def forward(self, image):
        return (image.float() / 255 - self.mean) / 0.2

    return module(forward, mean=torch.rand(3, 1, 1)), (torch.randint(0, 256, (2, 3, 4, 5), dtype=torch.uint8),)


@program("x:0=batch")
def unused():
    """An argument that nothing reads still is one."""

    def forward(self, x, y):
        return x * 2

    return module(forward), (torch.randn(2, 3), torch.randn(4))


@program("x:0=batch")
def unused_first():
    def forward(self, skip, x):
        return x * 2 + skip.shape[0]

    return module(forward), (torch.randn(4), torch.randn(2, 3))


@program("input:0=batch")
def named_like_python():
    """Names that are words of Python, of ONNX, or of nodes that an exporter makes."""

    def forward(self, input, add, output):
        return input + add * output

    return module(forward), (torch.randn(2, 3), torch.randn(3), torch.randn(3))


@program("x:0=batch", "y:0=batch")
def same_tensor_twice():
    """The example gives one tensor for two arguments."""

    def forward(self, x, y):
        return x - 2 * y

    x = torch.randn(2, 3)
    return module(forward), (x, x)


@program("x:0=batch")
def not_contiguous():
    def forward(self, x):
        return x.reshape(x.shape[0], -1) * 2

    return module(forward), (torch.randn(3, 4, 2).permute(2, 0, 1),)


@program()
def star_arguments():
    def forward(self, *xs):
        return xs[0] - xs[1]

    return module(forward), (torch.randn(2, 3), torch.randn(2, 3))


@program("a:0=n", "b:0=m")
def two_free_lengths():
    def forward(self, a, b):
        return a[:, None] * b[None, :], torch.cat([a, b])

    return module(forward), (torch.randn(3), torch.randn(4))


@program("x:0=n", "y:0=n")
def one_symbol_two_inputs():
    def forward(self, x, y):
        return x + y.sum(1, keepdim=True)

    return module(forward), (torch.randn(3, 2), torch.randn(3, 5))
