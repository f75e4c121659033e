"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime, and for HQQ PyTorch, which is looked for in the environment of
LATHE_PARITY_TORCH if it is not in this one. A request is one of

    {"model": path, "out": path, "options": {...}}   MatMulNBitsQuantizer
    {"model": path, "others": [paths]}               outputs on the same inputs
    {"model": path, "load": true}                    whether a session takes it

The answer is {"error": text or null}, and for the second kind "difference": for each of the others
the largest difference from the first, relative to its largest value, or null where it cannot be run.
"seconds" is the time of the processor that it took.
"""

import importlib.util
import os
import subprocess
import sys

import numpy as np
import onnx
from onnxruntime.quantization import QuantFormat
from onnxruntime.quantization.matmul_nbits_quantizer import (
    HQQWeightOnlyQuantConfig,
    KQuantWeightOnlyQuantConfig,
    MatMulNBitsQuantizer,
)
from onnxruntime.quantization.neural_compressor import weight_only

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference"))
import beside  # noqa: E402


K_QUANT, HQQ = 1, 2

np.seterr(all="ignore")  # blocks of extreme numbers divide by zero
weight_only.simple_progress_bar = lambda *_: None  # it prints where answers are printed


def need_torch():
    """Imports PyTorch. One thread adds up numbers in the same order each time."""
    if importlib.util.find_spec("torch") is None:
        python = os.environ["LATHE_PARITY_TORCH"]
        code = "import sysconfig; print(sysconfig.get_path('purelib'))"
        sys.path.append(subprocess.check_output([python, "-c", code], text=True).strip())
    os.environ["ATEN_CPU_CAPABILITY"] = "avx2"  # sums of eight numbers at a time, on every processor
    import torch

    torch.set_num_threads(1)


def quantizer_of(model, o):
    """The quantizer for a method other than the default one."""
    if o["Method"] == HQQ:
        need_torch()
        config = HQQWeightOnlyQuantConfig(block_size=o["BlockSize"], bits=o["Bits"])
    else:
        names = {n.name: {"bits": o["Bits"]} for n in model.graph.node} if o["Bits"] != 4 else None
        config = KQuantWeightOnlyQuantConfig(customized_weight_config=names)
    return MatMulNBitsQuantizer(
        model,
        block_size=o["BlockSize"],
        accuracy_level=o["AccuracyLevel"],
        nodes_to_exclude=o["Exclude"],
        nodes_to_include=o["Include"],
        algo_config=config,
    )


def default_quantizer(model, o):
    return MatMulNBitsQuantizer(
        model,
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


def quantize(request):
    o = request["options"]
    model = onnx.load(request["model"])
    q = quantizer_of(model, o) if o["Method"] in (K_QUANT, HQQ) else default_quantizer(model, o)
    q.process()
    q.model.save_model_to_file(request["out"], False)
    return {}


def handle(request):
    if "load" in request:
        beside.load(request["model"])
        return {}
    return quantize(request) if "out" in request else beside.compare(request, seeds=(1, 2))


beside.serve(handle)
