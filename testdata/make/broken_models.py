"""The broken models that decode: graphs, tensors and external data that do not fit together.

Packages: onnx.
broken.py writes them.
"""

import struct

from onnx import TensorProto, helper

import small_models

FLOAT = TensorProto.FLOAT


def model(nodes, initializers=(), opset=17, ir=8):
    """Returns a model without any check, from x to y, both float32 [2]."""
    x, y = (helper.make_tensor_value_info(name, FLOAT, [2]) for name in "xy")
    return helper.make_model(
        helper.make_graph(nodes, "broken", [x], [y], initializers),
        ir_version=ir,
        opset_imports=[helper.make_opsetid("", opset)],
        producer_name="lathe-testdata",
        producer_version="1",
    )


def node(op, inputs, outputs, **more):
    return helper.make_node(
        op, inputs.split(), outputs.split(), name=f"make_{outputs.split()[0]}", **more
    )


def weight(dims, raw, data_type=FLOAT):
    """Returns a tensor named w whose parts need not fit together."""
    return TensorProto(name="w", dims=dims, data_type=data_type, raw_data=raw)


def with_weight(tensor):
    return model([node("Add", "x w", "y")], [tensor])


def wrong_graphs():
    """Yields models that decode, and whose nodes and values do not fit together."""
    yield "unsorted.onnx", model([node("Neg", "h", "y"), node("Relu", "x", "h")])
    yield "cycle.onnx", model(
        [node("Add", "x b", "a"), node("Relu", "a", "b"), node("Neg", "b", "y")]
    )
    yield "unknown_op.onnx", model([node("Frobnicate", "x", "y")])
    yield "unknown_domain.onnx", model([node("Relu", "x", "y", domain="nobody.example")])
    yield "missing_input.onnx", model(
        [node("Relu", "x", "hidden"), node("Add", "hidden hiden", "y")]
    )
    yield "missing_output.onnx", model([node("Relu", "x", "h")])
    yield "duplicate_output.onnx", model(
        [node("Relu", "x", "h"), node("Neg", "x", "h"), node("Identity", "h", "y")]
    )
    yield "duplicate_initializer.onnx", model(
        [node("Add", "x w", "y")], [weight([2], bytes(8)), weight([2], struct.pack("<2f", 1, 1))]
    )
    yield "type_mismatch.onnx", with_weight(weight([2], bytes(16), TensorProto.INT64))
    yield "shape_mismatch.onnx", with_weight(weight([3], bytes(12)))
    yield "opset_unknown.onnx", model([node("Relu", "x", "y")], opset=9999)
    yield "ir_unknown.onnx", model([node("Relu", "x", "y")], ir=9999)
    yield "recursive_function.onnx", recursive_function()


def recursive_function():
    """Returns a model whose function calls itself."""
    broken = model([node("Again", "x", "y", domain="lathe.testdata")])
    broken.opset_import.add(domain="lathe.testdata", version=1)
    opsets = [helper.make_opsetid("lathe.testdata", 1)]
    again = [node("Again", "a", "b", domain="lathe.testdata")]
    broken.functions.append(
        helper.make_function("lathe.testdata", "Again", ["a"], ["b"], again, opsets)
    )
    return broken


def summed(tensor):
    """Returns a model that adds the sum of w, so that no shape of w is wrong in itself."""
    return model(
        [node("ReduceSum", "w", "total", keepdims=0), node("Add", "x total", "y")], [tensor]
    )


def wrong_tensors():
    """Yields models with an initializer w whose dims, type and data contradict each other."""
    yield "bad_raw_size.onnx", summed(weight([2], bytes(4)))
    # The product of the dims is 2^64: in 64 bits it wraps to 0, which fits the empty data.
    yield "huge_dims.onnx", summed(weight([1 << 32, 1 << 32], b""))
    yield "negative_dims.onnx", summed(weight([-2], bytes(8)))
    yield "bad_data_type.onnx", summed(weight([2], bytes(8), 999))


def external(**entries):
    """Returns a model whose w, float32 [2], lies elsewhere."""
    tensor = weight([2], b"")
    small_models.point(tensor, **entries)
    return with_weight(tensor)


def wrong_references():
    """Yields models whose external data cannot or must not be read, and the file some refer to."""
    yield "weights.data", struct.pack("<4f", 1, 2, 3, 4)
    yield "external_missing.onnx", external(location="absent.data", offset=0, length=8)
    # That file exists: only the rule that data lies below the model's folder keeps it unread.
    yield "external_outside.onnx", external(location="../external.data", offset=0, length=8)
    yield "external_absolute.onnx", external(location="/etc/passwd", offset=0, length=8)
    yield "external_short.onnx", external(location="weights.data", offset=12, length=8)
    yield "external_negative.onnx", external(location="weights.data", offset=-8, length=8)
    yield "external_length.onnx", external(location="weights.data", offset=0, length=4)
    # In 64 signed bits offset + length wraps to a negative number: not past the end of the file.
    yield "external_overflow.onnx", external(
        location="weights.data", offset=(1 << 63) - 1, length=8
    )
    yield "external_number.onnx", external(location="weights.data", offset="8 bytes", length=8)
    yield "external_folder.onnx", external(location=".", offset=0, length=8)
    yield "external_no_location.onnx", external(offset=0, length=8)
    # ONNX Runtime's own mark for data in memory: the offset is taken for an address.
    yield "external_memory.onnx", external(location="*/_ORT_MEM_ADDR_/*", offset=4096, length=8)
