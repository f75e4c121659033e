"""A model to export: lathe torch export testdata/torch/mlp.py:make -o mlp.onnx"""

import torch


class MLP(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, 16)
        self.dropout = torch.nn.Dropout(0.2)
        self.second = torch.nn.Linear(16, 4)

    def forward(self, x, mask=None):
        h = torch.relu(self.first(x["dense"])) + sum(x["more"])
        h = self.dropout(h)
        if mask is not None:
            h = h * mask
        return {"logits": self.second(h), "hidden": h}


def make():
    torch.manual_seed(0)
    example = {"dense": torch.randn(2, 8), "more": [torch.randn(2, 16), torch.randn(2, 16)]}
    return MLP(), (example,), {"mask": torch.ones(2, 16)}
