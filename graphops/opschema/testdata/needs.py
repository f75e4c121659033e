"""Tells for which types and opsets ONNX Runtime loads a node on the CPU.

Each line of the output is a node: its operator, the opset, the types of its
inputs and outputs by their numbers, and whether a session with it can be
created. A node that the operator's schema forbids is reported like one without
a kernel.
"""

import json

import onnxruntime
from onnx import TensorProto, helper
from onnx.defs import onnx_opset_version

onnxruntime.set_default_logger_severity(4)

F32, F16, BF16, F64, I64 = (
    TensorProto.FLOAT,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.DOUBLE,
    TensorProto.INT64,
)
FLOATS = [F32, F16, BF16, F64]
OPSETS = range(7, min(onnx_opset_version(), 26) + 1)

UNARY = """Celu Clip Elu Gelu HardSigmoid HardSwish LeakyRelu LogSoftmax
MeanVarianceNormalization Mish ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp
ReduceSumSquare Relu Selu Shrink Softmax Softplus Softsign Swish ThresholdedRelu
Abs Erf Identity Reciprocal""".split()
BINARY = ["PRelu", "Add", "Pow"]
COMPARISONS = ["GreaterOrEqual", "LessOrEqual", "Less"]
LIKE = ["Bernoulli", "EyeLike", "RandomNormalLike", "RandomUniformLike"]
WINDOWS = ["BlackmanWindow", "HammingWindow", "HannWindow"]


def nodes():
    """Operators with the types of their inputs, that of the output and attributes."""
    for t in FLOATS:
        for op in UNARY:
            yield op, [t], t, {}
        for op in BINARY:
            yield op, [t, t], t, {}
        for op in COMPARISONS:
            yield op, [t, t], TensorProto.BOOL, {}
        yield "Clip", [t, t], t, {}
        yield "AffineGrid", [t, I64], t, {}
        yield "Attention", [t, t, t], t, {}
        yield "CenterCropPad", [t, I64], t, {}
        yield "NegativeLogLikelihoodLoss", [t, I64], t, {}
        yield "SoftmaxCrossEntropyLoss", [t, I64], t, {}
        yield "Range", [t, t, t], t, {}
        yield "RotaryEmbedding", [t, t, t], t, {}
        for scale in FLOATS:
            yield "RMSNormalization", [t, scale], scale, {}
        yield "LayerNormalization", [t, t], t, {}
        yield "GroupNormalization", [t, t, t], t, {"num_groups": 1}
        for op in WINDOWS:
            yield op, [I64], t, {"output_datatype": t}
        for other in FLOATS:
            yield "CastLike", [other, t], t, {}
            for op in LIKE:
                yield op, [other], t, {"dtype": t}
            yield "MelWeightMatrix", [I64, I64, I64, other, other], t, {"output_datatype": t}


SHAPES = {
    "AffineGrid": [[1, 2, 3], [4]],
    "Attention": [[1, 2, 4, 4]] * 3,
    "CenterCropPad": [[2, 2], [2]],
    "Clip": [[2, 2], []],
    "GroupNormalization": [[1, 2, 4, 4], [2], [2]],
    "MeanVarianceNormalization": [[1, 2, 4, 4]],
    "MelWeightMatrix": [[]] * 5,
    "NegativeLogLikelihoodLoss": [[2, 2], [2]],
    "Range": [[]] * 3,
    "RotaryEmbedding": [[1, 2, 4, 4], [1, 4, 2], [1, 4, 2]],
    "SoftmaxCrossEntropyLoss": [[2, 2], [2]],
    **{op: [[]] for op in WINDOWS},
}


def shape(op, at):
    return SHAPES[op][at] if op in SHAPES else [2, 2]


def loads(op, opset, ins, out, attributes):
    names = [f"x{i}" for i in range(len(ins))]
    graph = helper.make_graph(
        [helper.make_node(op, names, ["y"], **attributes)],
        "g",
        [helper.make_tensor_value_info(n, t, shape(op, i)) for i, (n, t) in enumerate(zip(names, ins))],
        [helper.make_tensor_value_info("y", out, None)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    except Exception:
        return False
    return True


for op, ins, out, attributes in nodes():
    for opset in OPSETS:
        print(json.dumps({"op": op, "opset": opset, "in": ins, "out": out, "loads": loads(op, opset, ins, out, attributes)}))
