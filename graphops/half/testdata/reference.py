"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime. A request is one of

    {"model": path, "out": path, "options": {...}}   convert_float_to_float16
    {"model": path, "others": [paths]}               outputs on the same inputs
    {"bits": [...]}                                  float32 by its bits, to bfloat16

The answer is {"error": text or null}; for the second kind "difference": for each of
the others the largest difference from the first, relative to its largest value, or
"failure": why it cannot be run; for the third "codes".
"""

import os
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
from onnxruntime.transformers.float16 import convert_float_to_float16, convert_np_to_float16

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference"))
import beside  # noqa: E402


def convert(request):
    options = request["options"]
    model = convert_float_to_float16(onnx.load(request["model"]), **options)
    # Every attribute has the fields t and g in what the reference makes, which says nothing.
    for graph in graphs(model.graph):
        for node in graph.node:
            for a in node.attribute:
                if a.type != onnx.AttributeProto.TENSOR:
                    a.ClearField("t")
                if a.type != onnx.AttributeProto.GRAPH:
                    a.ClearField("g")
    onnx.save(model, request["out"])
    return {}


def graphs(graph):
    yield graph
    for node in graph.node:
        for a in node.attribute:
            if a.type == onnx.AttributeProto.GRAPH:
                yield from graphs(a.g)
            for g in a.graphs:
                yield from graphs(g)


def narrow(request):
    x = np.array(request["bits"], np.uint32).view(np.float32)
    return {
        "codes": x.astype(ml_dtypes.bfloat16).view(np.uint16).tolist(),
        "halves": convert_np_to_float16(x).view(np.uint16).tolist(),
    }


def handle(request):
    if request.get("out"):
        return convert(request)
    return narrow(request) if request.get("bits") else beside.compare(request, optimized=True)


warnings.simplefilter("ignore")
beside.serve(handle, runs=lambda request: not request.get("out") and not request.get("bits"))
