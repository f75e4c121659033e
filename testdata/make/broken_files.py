"""The broken files that do not decode: other formats, cut-off files, impossible bytes.

Packages: numpy.
broken.py writes them.
"""

import io
import json
import struct
import zipfile

import numpy as np

import broken_models
import small_models
import wire

SEED = 20240505


def other_formats():
    """Yields files of other formats, and a model that stops in the middle."""
    whole = small_models.gather_mlp().SerializeToString(deterministic=True)
    yield "empty.onnx", b""
    yield "truncated.onnx", whole[:4000]
    yield "text.onnx", b"# A model\n\nThe download page, saved in place of the model.\n"
    yield "not_onnx.bin", np.random.default_rng(SEED).bytes(1024)
    yield "checkpoint", checkpoint()
    yield "zip_like.pt", zip_archive()
    yield "safetensors_like.safetensors", safetensors()
    yield "no_graph.onnx", no_graph()


def no_graph():
    whole = broken_models.model([])
    whole.ClearField("graph")
    return whole.SerializeToString(deterministic=True)


def checkpoint():
    """Returns the smallest training checkpoint of ONNX Runtime.

    It is a FlatBuffer whose root table has one field, the version.
    """
    # Where the root table starts, and the identifier of the file.
    header = struct.pack("<I4s", 16, b"ODTC")
    # The size of the vtable, that of its table, and where field 0, the version, lies in the table.
    vtable = struct.pack("<HHH2x", 6, 8, 4)
    # The way back to the vtable, and the version.
    root = struct.pack("<iI", len(vtable), 2)
    return header + vtable + root


def zip_archive():
    """Returns the outer form of what torch.save writes, around a pickled empty dictionary."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("archive/data.pkl"), b"\x80\x02}q\x00.")
        archive.writestr(zipfile.ZipInfo("archive/version"), b"3\n")
    return buffer.getvalue()


def safetensors():
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    return struct.pack("<Q", len(header)) + header + struct.pack("<2f", 1, 2)


# The numbers of the fields in onnx.proto.

MODEL_GRAPH, GRAPH_NODE, GRAPH_OUTPUT = 7, 1, 12
NODE_INPUT, NODE_OUTPUT, NODE_OP_TYPE, NODE_ATTRIBUTE = 1, 2, 4, 5
ATTRIBUTE_NAME, ATTRIBUTE_GRAPH, ATTRIBUTE_TYPE, ATTRIBUTE_TYPE_GRAPH = 1, 6, 20, 5
VALUE_NAME = 1


def wrong_bytes():
    """Yields what breaks a decoder: depth, and lengths and tags that lead nowhere."""
    head = no_graph()
    graph_tag = wire.varint(MODEL_GRAPH << 3 | 2)
    yield "deep_nesting.onnx", head + wire.message(MODEL_GRAPH, nested_ifs(200))
    yield "deep_groups.onnx", head + wire.open_group(1000) * 20_000
    yield "length_past_end.onnx", head + graph_tag + wire.varint((1 << 63) - 1)
    yield "endless_varint.onnx", head + graph_tag + b"\xff" * 16


def nested_ifs(depth):
    """Returns a GraphProto with an If whose branches hold an If, and so on, depth of them."""
    graph = wire.message(GRAPH_OUTPUT, wire.message(VALUE_NAME, b"y"))
    for _ in range(depth):
        branch = wire.message(
            NODE_ATTRIBUTE,
            wire.message(ATTRIBUTE_NAME, b"then_branch"),
            wire.message(ATTRIBUTE_GRAPH, graph),
            wire.integer(ATTRIBUTE_TYPE, ATTRIBUTE_TYPE_GRAPH),
        )
        graph = wire.message(
            GRAPH_NODE,
            wire.message(NODE_INPUT, b"x"),
            wire.message(NODE_OUTPUT, b"y"),
            wire.message(NODE_OP_TYPE, b"If"),
            branch,
        ) + wire.message(GRAPH_OUTPUT, wire.message(VALUE_NAME, b"y"))
    return graph
