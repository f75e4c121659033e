"""Makes digits.onnx, digits_batch1.onnx and digits_test.npz.

Packages: torch, scikit-learn (its bundled 8x8 digits), onnx, onnxscript, onnxruntime, numpy.
Takes about 10 seconds on one core.

Both models are one small CNN with one set of weights, exported at a fixed batch of 1. In
digits.onnx the batch axis can be freed: the only operator that regroups axes is Flatten(axis=1). In
digits_batch1.onnx the model computes that shape from x.size(0), which tracing turns into a Reshape
to the constant [1, -1]: with its batch axis freed, that model fails at any other batch.
"""

import training  # before torch: it sets what the math libraries read once

import numpy as np
import onnx
import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn

import modelfile

SEED = 20240501
TEST_ROWS = 360
LEAST_ACCURACY = 0.97


class DigitsNet(nn.Module):
    """Two convolutions and two linear layers; `features` is what the last layer reads."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4 * 4, 256)
        self.fc2 = nn.Linear(256, 10)

    def forward(self, images):
        x = torch.max_pool2d(torch.relu(self.conv1(images)), 2)
        x = self.flatten(torch.relu(self.conv2(x)))
        return self.fc2(torch.relu(self.fc1(x)))

    def flatten(self, x):
        return torch.flatten(x, 1)


class ReshapingDigitsNet(DigitsNet):
    """The same network, flattening the way that tracing pins to the batch of the example."""

    def flatten(self, x):
        return x.reshape(x.size(0), -1)


def split():
    """Returns train and test images as float32 [N,1,8,8] in 0..1, and their labels as int64 [N]."""
    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    return train_test_split(
        images, labels.astype(np.int64), test_size=TEST_ROWS, random_state=SEED, stratify=labels
    )


def train(images, labels):
    training.repeatable(SEED)
    model, images, labels = DigitsNet(), torch.from_numpy(images), torch.from_numpy(labels)

    def loss(rows):
        return nn.functional.cross_entropy(model(images[rows]), labels[rows])

    training.fit(model, loss, len(images), epochs=40, batch=64, rate=3e-3, seed=SEED)
    return model


def export(model):
    """Exports at batch 1, with value_info, and names the input of the last Gemm `features`."""
    onnx_model = training.export_classic(
        model, (torch.zeros(1, 1, 8, 8),), input_names=["input"], output_names=["logits"]
    )
    onnx_model = onnx.shape_inference.infer_shapes(onnx_model)
    last = onnx_model.graph.node[-1]
    training.rename_value(onnx_model.graph, last.input[0], "features")
    return onnx_model


def accuracy(path, images, labels):
    session = modelfile.session(path)
    logits = [session.run(["logits"], {"input": image[None]})[0][0] for image in images]
    return float(np.mean(np.argmax(logits, axis=1) == labels))


def main():
    out = modelfile.output_folder(__doc__)
    train_images, test_images, train_labels, test_labels = split()
    model = train(train_images, train_labels)
    reshaping = ReshapingDigitsNet().eval()
    reshaping.load_state_dict(model.state_dict())

    modelfile.write_arrays(out / "digits_test.npz", input=test_images, labels=test_labels)
    for name, network in (("digits.onnx", model), ("digits_batch1.onnx", reshaping)):
        modelfile.write_model(out / name, export(network))
        share = accuracy(out / name, test_images, test_labels)
        print(f"{name}: accuracy {share:.4f} on {len(test_labels)} images")
        if share < LEAST_ACCURACY:
            raise SystemExit(f"{name}: accuracy {share:.4f}, expected at least {LEAST_ACCURACY}")


if __name__ == "__main__":
    main()
