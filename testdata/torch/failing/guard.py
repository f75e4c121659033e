import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.reshape(-1, 8, x.shape[1])

    def example_arguments(self):
        return (torch.randn(16, 3),), {}

    def dynamic_shapes(self):
        return {"x": {0: torch.export.Dim("batch", min=2, max=64)}}


class Fixed(Model):
    def dynamic_shapes(self):
        return {"x": {0: 8 * torch.export.Dim("_batch", min=1, max=8)}}
