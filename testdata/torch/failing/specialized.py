import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.reshape(4, 3) + torch.ones(4, 1)

    def example_arguments(self):
        return (torch.randn(4, 3),), {}


class Fixed(Model):
    def forward(self, x):
        return x.reshape(x.shape[0], 3) + torch.ones(x.shape[0], 1)
