"""Makes the models that `make compare` times: models.py FOLDER TESTDATA.

Packages: numpy, onnx. Takes half a minute and 2.1 GB of disk.
"""

import shutil
import sys
from pathlib import Path

import numpy as np
import onnx
import onnx.version_converter
from onnx import TensorProto, helper, numpy_helper

SEED = 20240504
WIDTH = 2048
LAYERS = 64
NODES = 200_000
MODULE = 200  # nodes have the name of the same module
FILES = 8

# The sizes of free axes. The cache of the decoder has 7 of 12 tokens.
SIZES = {"batch": 2, "sequence": 5, "frames": 6, "past": 7, "total": 12}

# The networks that PyTorch exported, and the names that they have here.
EXPORTED = {
    "transformer": "text_classifier.onnx",
    "convolutional": "digits.onnx",
    "control-flow": "decoders/encoded.onnx",
}

# Of these there is a copy of opset 20, to compare with.
CONVERTED = ("transformer", "convolutional")


def model_of(nodes, inputs, output, initializers=()):
    """Returns a model of opset 17 whose inputs and output are float32 of the given shapes."""
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in (*inputs, output)]
    graph = helper.make_graph(nodes, "compared", infos[:-1], infos[-1:], list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def layers():
    """Returns a model of 1 GiB: 64 products with weights of 2048 x 2048, normally distributed.

    The deviation keeps the magnitude of the values the same from product to product.
    """
    random = np.random.default_rng(SEED)
    weights, nodes = [], []
    for i in range(LAYERS):
        weight = random.standard_normal((WIDTH, WIDTH), dtype=np.float32) / np.float32(WIDTH**0.5)
        weights.append(numpy_helper.from_array(weight, f"layers.{i}.weight"))
        nodes.append(helper.make_node("MatMul", [f"h{i}", weights[-1].name], [f"h{i + 1}"], name=f"/layers.{i}/MatMul"))
    return model_of(nodes, [("h0", ["batch", WIDTH])], (f"h{LAYERS}", ["batch", WIDTH]), weights)


def chain():
    """Returns a chain of 200,000 Adds. What they add are inputs, so that none can be folded.

    Their names are those that PyTorch gives to a model of 1,000 layers. With up = 0.5 and
    down = -0.5 all values stay near those of x, in float16 too.
    """
    modules = [f"/model/layers.{i // MODULE}/Add_{i % MODULE}" for i in range(NODES)]
    names = ["x"] + [f"{m}_output_0" for m in modules]
    nodes = [
        helper.make_node("Add", [names[i], "down" if i % 2 else "up"], [names[i + 1]], name=modules[i])
        for i in range(NODES)
    ]
    inputs = [("x", ["batch", 4]), ("up", [4]), ("down", [4])]
    return model_of(nodes, inputs, (names[-1], ["batch", 4]))


def move_weights(model, folder):
    """Moves the weights into eight files in folder, an eighth of the layers into each."""
    for i, tensor in enumerate(model.graph.initializer):
        location = f"external-{i * FILES // LAYERS}.data"
        with open(folder / location, "ab") as data:
            offset = data.tell()
            data.write(tensor.raw_data)
        onnx.external_data_helper.set_external_data(tensor, location, offset, len(tensor.raw_data))
        tensor.ClearField("raw_data")


def inputs_of(model):
    """Returns inputs of a model: normally distributed, identifiers, or ones."""
    random = np.random.default_rng(SEED)
    out = {}
    for info in model.graph.input:
        kind = info.type.tensor_type
        shape = [SIZES[d.dim_param] if d.dim_param else d.dim_value for d in kind.shape.dim]
        values = random.standard_normal(shape)
        if info.name in ("up", "down"):
            values = np.full(shape, 0.5 if info.name == "up" else -0.5)
        elif info.name == "input_ids":
            values = random.integers(0, 90, shape)
        elif kind.elem_type != TensorProto.FLOAT:
            values = np.ones(shape)
        out[info.name] = np.asarray(values, helper.tensor_dtype_to_np_dtype(kind.elem_type))
    return out


def main(folder, testdata):
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in EXPORTED.items():
        shutil.copyfile(testdata / source, folder / f"{name}.onnx")
        if name in CONVERTED:
            other = onnx.version_converter.convert_version(onnx.load(folder / f"{name}.onnx"), 20)
            onnx.save(other, folder / f"{name}-20.onnx")
    onnx.save(chain(), folder / "chain.onnx")
    model = layers()
    onnx.save(model, folder / "large.onnx")
    for data in folder.glob("external-*.data"):
        data.unlink()
    move_weights(model, folder)
    onnx.save(model, folder / "external.onnx")
    for path in folder.glob("*.onnx"):
        model = onnx.load(path, load_external_data=False)
        np.savez(path.with_suffix(".npz"), **inputs_of(model))


main(Path(sys.argv[1]), Path(sys.argv[2]))
