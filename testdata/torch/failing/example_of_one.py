import torch


class Twice(torch.nn.Module):
    def forward(self, x):
        return x * 2


def program(size):
    """The exporter fixes such an axis by itself; a program that is made before has an error."""
    batch = torch.export.Dim("batch")
    return torch.export.export(Twice(), (torch.randn(size, 3),), dynamic_shapes={"x": {0: batch}})


def Model():
    return program(1)


def Fixed():
    return program(2)
