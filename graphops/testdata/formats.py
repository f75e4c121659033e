"""Makes the files of formats/, which are no ONNX models, with the tools that they belong to.

Packages: tensorflow-cpu 2.21, coremltools 9.0, openvino 2026.4, safetensors 0.8, numpy.
Usage: formats.py FOLDER
"""

import os
import pathlib
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
import openvino
import openvino.opset8 as ops
from coremltools.models import datatypes, neural_network
from safetensors.numpy import save_file


class AddOne(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([1], tf.float32)])
    def __call__(self, x):
        return x + 1


def tensorflow(out):
    module = AddOne()
    function = module.__call__.get_concrete_function()
    (out / "graph.pb").write_bytes(function.graph.as_graph_def().SerializeToString())
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function], module)
    (out / "model.tflite").write_bytes(converter.convert())
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder)
        (out / "saved_model.pb").write_bytes((pathlib.Path(folder) / "saved_model.pb").read_bytes())


def core_ml(out):
    builder = neural_network.NeuralNetworkBuilder([("x", datatypes.Array(2))], [("y", datatypes.Array(2))])
    builder.add_activation("r", "RELU", "x", "y")
    (out / "model.mlmodel").write_bytes(builder.spec.SerializeToString())


def open_vino(out):
    x = ops.parameter([1, 2], np.float32, name="x")
    model = openvino.Model([ops.add(x, ops.constant(np.ones((1, 2), np.float32)))], [x], "m")
    openvino.save_model(model, out / "openvino.xml")


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(exist_ok=True)
    tensorflow(out)
    core_ml(out)
    open_vino(out)
    save_file({"a": np.ones(2, np.float32)}, out / "model.safetensors")


main()
