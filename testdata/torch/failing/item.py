import torch


class Model(torch.nn.Module):
    def forward(self, x):
        n = int(x.max())
        return torch.zeros(n) if n > 2 else x

    def example_arguments(self):
        return (torch.arange(4),), {}
