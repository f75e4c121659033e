import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x + 1
        return x - 1

    def example_arguments(self):
        return (torch.randn(2, 3),), {}


class Fixed(Model):
    def forward(self, x):
        return torch.where(x.sum() > 0, x + 1, x - 1)
