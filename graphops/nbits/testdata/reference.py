"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime. A request is one of

    {"model": path, "out": path, "options": {...}}   MatMulNBitsQuantizer
    {"model": path, "others": [paths]}               outputs on the same inputs
    {"model": path, "load": true}                    whether a session takes it

The answer is {"error": text or null}, and for the second kind "difference": for each of the others
the largest difference from the first, relative to its largest value, or null where it cannot be run.
"seconds" is the time of the processor that it took.
"""

import os
import sys

import onnx
from onnxruntime.quantization import QuantFormat
from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference"))
import beside  # noqa: E402


def quantize(request):
    o = request["options"]
    q = MatMulNBitsQuantizer(
        onnx.load(request["model"]),
        bits=o["Bits"],
        block_size=o["BlockSize"],
        is_symmetric=o["Symmetric"],
        accuracy_level=o["AccuracyLevel"],
        nodes_to_exclude=o["Exclude"],
        nodes_to_include=o["Include"],
        quant_format=QuantFormat.QDQ if o["Format"] == 1 else QuantFormat.QOperator,
        op_types_to_quantize=tuple(o["OpTypes"] or ["MatMul"]),
        quant_axes=(("MatMul", 0), ("Gather", o["TableAxis"])),
        channel_wised_quantize=o["PerChannel"],
    )
    q.process()
    q.model.save_model_to_file(request["out"], False)
    return {}


def handle(request):
    if "load" in request:
        beside.load(request["model"])
        return {}
    return quantize(request) if "out" in request else beside.compare(request, seeds=(1, 2))


beside.serve(handle)
