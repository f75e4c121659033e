"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime. A request is one of

    {"model": path, "out": path, "options": {...}}   quantize_dynamic
    {"model": path, "others": [paths]}               outputs on the same inputs
    {"model": path, "load": true}                    whether a session takes it

The answer is {"error": text or null}, and for the second kind "difference":
for each of the others the largest difference from the first, relative to its
largest value, or null where it cannot be run. "seconds" is the time of the processor
that it took.
"""

import os
import sys

from onnxruntime.quantization import QuantType, quantize_dynamic

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference"))
import beside  # noqa: E402


def quantize(request):
    options = request["options"]
    extra = {"MatMulConstBOnly": options["MatMulConstBOnly"], "EnableSubgraph": options["EnableSubgraph"]}
    if options["WeightSymmetric"] is not None:
        extra["WeightSymmetric"] = options["WeightSymmetric"]
    if options["MinimumRealRange"]:
        extra["MinimumRealRange"] = options["MinimumRealRange"]
    if options.get("DefaultTensorType"):
        extra["DefaultTensorType"] = options["DefaultTensorType"]
    quantize_dynamic(
        request["model"],
        request["out"],
        op_types_to_quantize=options["OpTypes"],
        per_channel=options["PerChannel"],
        reduce_range=options["ReduceRange"],
        weight_type=QuantType.QInt8 if options["WeightType"] == "i8" else QuantType.QUInt8,
        nodes_to_quantize=options["Include"],
        nodes_to_exclude=options["Exclude"],
        extra_options=extra,
    )
    return {}


def handle(request):
    if "load" in request:
        beside.load(request["model"])
        return {}
    return quantize(request) if "out" in request else beside.compare(request, seeds=(1, 2))


beside.serve(handle)
