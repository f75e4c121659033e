import torch

taken_apart = []


@torch.library.custom_op("lathe_test::broken", mutates_args=())
def broken(x: torch.Tensor) -> torch.Tensor:
    return x + 1


@broken.register_fake
def _(x):
    taken_apart.append(x)
    if len(taken_apart) > MOST:
        raise IndexError("list index out of range")
    return torch.empty_like(x)


MOST = 1


class Model(torch.nn.Module):
    """The graph is captured, and the fake of its operator breaks when it is taken apart."""

    def forward(self, x):
        return torch.ops.lathe_test.broken(x)

    def example_arguments(self):
        return (torch.randn(2, 3),), {}
