"""Makes mlp_dynamo.onnx.

Packages: torch, onnx, onnxscript, onnxruntime, numpy.
Takes about 15 seconds on one core.

An untrained residual MLP, exported with torch.onnx.export(dynamo=True): its nodes and values carry
the pkg.torch.* metadata_props from which a module tree can be read.
"""

import training  # before torch: it sets what the math libraries read once

import pathlib
import re

import torch
from torch import nn

import modelfile

SEED = 20240503


class Block(nn.Module):
    """A normalized two-layer perceptron with a residual."""

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class ResidualMLP(nn.Module):
    """Maps features, float32 [batch, 16], to scores, float32 [batch, 4]."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Linear(16, 32)
        self.blocks = nn.ModuleList(Block(32) for _ in range(3))
        self.head = nn.Linear(32, 4)

    def forward(self, features):
        x = self.stem(features)
        for block in self.blocks:
            x = block(x)
        return torch.softmax(self.head(x), dim=-1)


def portable(text):
    """Takes the folders of this machine out of a stack trace."""
    packages = str(pathlib.Path(torch.__file__).parent.parent)
    here = str(pathlib.Path(__file__).resolve().parent)
    return text.replace(packages + "/", "").replace(here + "/", "")


def export():
    training.repeatable(SEED)
    program = torch.onnx.export(
        ResidualMLP().eval(),
        (torch.zeros(2, 16),),
        dynamo=True,
        input_names=["features"],
        output_names=["scores"],
        dynamic_shapes={"features": {0: "batch"}},
        verbose=False,
    )
    model = program.model_proto
    # The build tag says which wheel exported (+cpu, +cu132), not what was exported.
    model.producer_version = re.sub(r"\+.*", "", model.producer_version)
    for node in model.graph.node:
        for prop in node.metadata_props:
            prop.value = portable(prop.value)
    return model


def main():
    out = modelfile.output_folder(__doc__)
    model = export()
    if not any(p.key.startswith("pkg.torch.") for n in model.graph.node for p in n.metadata_props):
        raise SystemExit("mlp_dynamo.onnx: the exporter wrote no pkg.torch.* metadata")
    modelfile.write_model(out / "mlp_dynamo.onnx", model)


if __name__ == "__main__":
    main()
