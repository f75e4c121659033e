import sys

import torch


class NotInstalled:
    """As where there is no onnxscript."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "onnxscript":
            raise ModuleNotFoundError("No module named 'onnxscript'", name="onnxscript")


sys.meta_path.insert(0, NotInstalled())


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1

    def example_arguments(self):
        return (torch.randn(2, 3),), {}
