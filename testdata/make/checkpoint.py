"""Makes checkpoint/: a checkpoint that ONNX Runtime's training API wrote, and the eval model for it.

Packages: onnxruntime-training, onnx, numpy (checkpoint.sh has the versions).
Takes about one second.

checkpoint.ckpt has the parameters, nominal.ckpt only their names, as ONNX Runtime calls it. The
parameters are inputs of eval_model.onnx, which returns the loss. They are random numbers.
"""

import os
import tempfile

import numpy as np
import onnx.numpy_helper
import onnx.parser
from onnxruntime.capi import _pybind_state

import modelfile

SHAPES = {"fc1.weight": (6, 8), "fc1.bias": (6,), "fc2.weight": (3, 6), "fc2.bias": (3,)}

EVAL_MODEL = """
<ir_version: 8, opset_import: ["" : 17], producer_name: "lathe-testdata", producer_version: "1">
eval_model (float[batch, 8] x, int64[batch] labels,
            float[6, 8] "fc1.weight", float[6] "fc1.bias", float[3, 6] "fc2.weight", float[3] "fc2.bias")
    => (float loss)
{
  [fc1] hidden = Gemm <transB = 1> (x, "fc1.weight", "fc1.bias")
  [relu] active = Relu (hidden)
  [fc2] scores = Gemm <transB = 1> (active, "fc2.weight", "fc2.bias")
  [loss] loss, log_prob = SoftmaxCrossEntropyLoss <reduction = "mean"> (scores, labels)
}
"""


def checkpoint(parameters, nominal):
    """Returns the file that ONNX Runtime writes for trainable parameters."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "checkpoint")
        _pybind_state.save_checkpoint([p.SerializeToString() for p in parameters], [], path, nominal)
        with open(path, "rb") as file:
            return file.read()


def main():
    out = modelfile.output_folder(__doc__) / "checkpoint"
    numbers = np.random.default_rng(1)
    parameters = [
        onnx.numpy_helper.from_array(numbers.standard_normal(shape, dtype=np.float32) / 4, name)
        for name, shape in SHAPES.items()
    ]
    modelfile.write_model(out / "eval_model.onnx", onnx.parser.parse_model(EVAL_MODEL))
    modelfile.write(out / "checkpoint.ckpt", checkpoint(parameters, nominal=False))
    modelfile.write(out / "nominal.ckpt", checkpoint(parameters, nominal=True))


if __name__ == "__main__":
    main()
