import torch


class Guarded(torch.nn.Module):
    def forward(self, x):
        return x + 1 if x.shape[0] <= 32 else x - 1


def program(most):
    """The exporter takes what is suggested by itself; a program that is made before does not."""
    batch = torch.export.Dim("batch", max=most)
    return torch.export.export(Guarded(), (torch.randn(16, 3),), dynamic_shapes={"x": {0: batch}})


def Model():
    return program(64)


def Fixed():
    return program(32)
