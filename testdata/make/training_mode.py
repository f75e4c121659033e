"""Makes training/: three untrained networks exported in training mode, and in evaluation mode.

Packages: torch, onnx, onnxscript, onnxruntime, numpy.
Takes about 20 seconds on one core.

A perceptron with Dropout, a small residual network with BatchNormalization, and a transformer
encoder, each traced with training=TrainingMode.TRAINING and without folded constants, at opset 17,
and the perceptron and the residual network at opset 11 as well, where modes are told otherwise.
The same networks in evaluation mode, and what PyTorch itself computes then: an inference graph
that is made of the former gives what the latter gives.
"""

import training  # before torch: it sets what the math libraries read once

import io

import onnx
import torch
from torch import nn

import modelfile

SEED = 20240506
FOLDER = "training"


class Perceptron(nn.Module):
    """Maps x, float32 [2, 8], to y, float32 [2, 4]."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 16)
        self.dropout = nn.Dropout(0.3)
        self.output = nn.Linear(16, 4)

    def forward(self, x):
        return self.output(self.dropout(torch.relu(self.hidden(x))))


class Residual(nn.Module):
    """Two convolutions, normalized by the batch, beside what they are added to."""

    def __init__(self, channels):
        super().__init__()
        self.first = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.first_norm = nn.BatchNorm2d(channels)
        self.second = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.second_norm = nn.BatchNorm2d(channels)

    def forward(self, x):
        return torch.relu(x + self.second_norm(self.second(torch.relu(self.first_norm(self.first(x))))))


class ResidualNetwork(nn.Module):
    """Maps x, float32 [2, 3, 9, 9], to y, float32 [2, 4]."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.block = Residual(8)
        self.dropout = nn.Dropout(0.2)
        self.output = nn.Linear(8, 4)

    def forward(self, x):
        x = self.block(torch.relu(self.norm(self.stem(x))))
        return self.output(self.dropout(x.mean((2, 3))))


class Encoder(nn.Module):
    """Maps x, float32 [2, 5, 16], to y, float32 [2, 3]."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.output = nn.Linear(16, 3)

    def forward(self, x):
        return self.output(self.encoder(x).mean(1))


NETWORKS = (
    ("mlp", Perceptron, (2, 8), (11, 17)),
    ("resnet", ResidualNetwork, (2, 3, 9, 9), (11, 17)),
    ("transformer", Encoder, (2, 5, 16), (17,)),
)
MODES = (
    ("training", torch.onnx.TrainingMode.TRAINING),
    ("evaluation", torch.onnx.TrainingMode.EVAL),
)


def traced(network, example, opset, mode):
    buffer = io.BytesIO()
    torch.onnx.export(
        network, (example,), buffer, dynamo=False, opset_version=opset, training=mode,
        do_constant_folding=False, input_names=["x"], output_names=["y"],
    )
    model = onnx.load_model_from_string(buffer.getvalue())
    # The build tag says which wheel exported (+cpu, +cu132), not what was exported.
    model.producer_version = model.producer_version.partition("+")[0]
    return model


def main():
    out = modelfile.output_folder(__doc__) / FOLDER
    for name, network, shape, opsets in NETWORKS:
        training.repeatable(SEED)
        network = network().train()
        example = torch.randn(shape)
        for _ in range(4):  # the running statistics become some
            network(2 * torch.randn(shape) + 1)
        kept = {key: value.clone() for key, value in network.state_dict().items()}
        for opset in opsets:
            network.load_state_dict(kept)
            for mode, flag in MODES:  # training first: tracing it updates the statistics that it writes
                model = traced(network.train(mode == "training"), example, opset, flag)
                write = modelfile.write_model if mode == "evaluation" else write_training
                write(out / f"{name}_{mode}_{opset}.onnx", model)
        with torch.no_grad():
            y = network.eval()(example)
        modelfile.write_arrays(out / f"{name}.npz", x=example.numpy(), y=y.numpy())


def write_training(path, model):
    """Writes a model that ONNX Runtime need not run as it is."""
    modelfile.write(path, model.SerializeToString(deterministic=True), onnx.checker.check_model)


if __name__ == "__main__":
    main()
