import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.mul(x, 2.0)

    def example_arguments(self):
        return (torch.randn(2, 3),), {}


def mul(x, y):
    raise AttributeError("'float' object has no attribute 'dtype'")


TABLE = {torch.ops.aten.mul.Tensor: mul}
