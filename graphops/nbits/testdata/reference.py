"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime, and for HQQ and GPTQ PyTorch, which is looked for in the environment of
LATHE_PARITY_TORCH if it is not in this one. A request is one of

    {"model": path, "out": path, "options": {...}}   MatMulNBitsQuantizer
    {"model": path, "others": [paths]}               outputs on the same inputs
    {"model": path, "load": true}                    whether a session takes it
    {"model": path, "others": [paths], "data": path, "options": {...}}
        errors of products with float32 numbers from a file, and that of GPTQ as its paper has it

With GPTQ, the first kind has "data" too.

The answer is {"error": text or null}, and for the second kind "difference": for each of the others
the largest difference from the first, relative to its largest value, or null where it cannot be run.
"seconds" is the time of the processor that it took.
"""

import importlib.util
import inspect
import os
import subprocess
import sys

import numpy as np
import onnx
from onnxruntime.quantization import QuantFormat
from onnxruntime.quantization.matmul_nbits_quantizer import (
    GPTQWeightOnlyQuantConfig,
    HQQWeightOnlyQuantConfig,
    KQuantWeightOnlyQuantConfig,
    MatMulNBitsQuantizer,
)
from onnxruntime.quantization.neural_compressor import weight_only

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "reference"))
import beside  # noqa: E402


K_QUANT, HQQ, GPTQ = 1, 2, 3

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


class Data(list):
    """Inputs of a model whose only input is x, in the form of a CalibrationDataReader."""

    def __init__(self, request, rows):
        super().__init__()
        k = onnx.load(request["model"]).graph.input[0].type.tensor_type.shape.dim[-1].dim_value
        x = np.fromfile(request["data"], np.float32).reshape(-1, k)
        self.extend({"x": x[i : i + rows]} for i in range(0, len(x), rows))


def error(request):
    """The square error of the product of each of the others, relative to the product."""
    data = Data(request, 1 << 30)[0]
    first, *others = [beside.load(p).run(None, data)[0] for p in [request["model"], *request["others"]]]
    x, w = data["x"], onnx.numpy_helper.to_array(onnx.load(request["model"]).graph.initializer[0])
    others.append(x @ paper(w, x, request["options"]))
    o = request["options"]
    if np.abs(x).sum(0).all() and not o["LargestFirst"] and not o["Symmetric"]:
        others.append(x @ repaired(w, x, request["options"]))
    return {"difference": [float(((y - first) ** 2).sum() / (first**2).sum()) for y in others]}


def repaired(w, x, o):
    """What the reference makes of a matrix if it reads its factor above the diagonal. It reads the part
    below, which is 0, so that it makes up for nothing."""
    source = inspect.getsource(weight_only.gptq)
    for wrong, right in [("Hinv1[i:, i]", "Hinv1[i, i:]"), ("Hinv[i2:, i1:i2]", "Hinv[i1:i2, i2:].T")]:
        assert source.count(wrong) == 1
        source = source.replace(wrong, right)
    scope = dict(vars(weight_only))
    exec(source, scope)
    h = x.astype(np.float64).T @ x.astype(np.float64) * (2 / len(x))
    size = o["BlockSize"]
    return scope["gptq"](w.copy(), h, o["Bits"], size, "asym", blocksize=size, percdamp=o["Damping"])


def paper(w, x, o):
    """What the paper of GPTQ (arXiv 2210.17323, algorithm 1) makes of a matrix, one row at a time. The
    inverse of the Hessian is computed as such."""
    w = w.astype(np.float64)
    h = 2 * x.astype(np.float64).T @ x.astype(np.float64)
    live = np.diag(h) > 0
    mean = np.diag(h)[live].mean()
    h[~live, ~live] = mean
    h += o["Damping"] * mean * np.eye(len(h))
    order = np.argsort(-np.diag(h), kind="stable") if o["LargestFirst"] else np.arange(len(h))
    upper = np.linalg.cholesky(np.linalg.inv(h[order][:, order])).T
    scales, zeros = np.zeros_like(w), np.zeros_like(w)
    original, out, size = w.copy(), np.zeros_like(w), o["BlockSize"]
    w = w[order]
    most = 2 ** o["Bits"] - 1

    def fit(block, at):
        rows = np.arange(block, min(block + size, len(w)))
        alive = rows[live[rows]] if live[rows].any() else rows
        lo, hi = at[alive].min(0), at[alive].max(0)
        if o["Symmetric"]:
            scale = np.where(np.abs(hi) > np.abs(lo), hi, lo) / -((most + 1) / 2)
            zero = np.full_like(scale, (most + 1) / 2)
        else:
            lo, hi = np.minimum(lo, 0), np.maximum(hi, 0)
            scale = (hi - lo) / most
            zero = np.round(-lo / scale)
        scales[rows], zeros[rows] = scale, zero

    if o["LargestFirst"]:
        for block in range(0, len(w), size):
            fit(block, original)
    for i, row in enumerate(order):
        if not o["LargestFirst"] and i % size == 0:
            fit(i, w)
        scale, zero = scales[row], zeros[row]
        out[row] = scale * (np.clip(np.round(w[i] / scale + zero), 0, most) - zero)
        w[i:] -= np.outer(upper[i, i:], (w[i] - out[row]) / upper[i, i])
    return out


def quantizer_of(model, request):
    """The quantizer for a method other than the default one."""
    o = request["options"]
    if o["Method"] == HQQ:
        need_torch()
        config = HQQWeightOnlyQuantConfig(block_size=o["BlockSize"], bits=o["Bits"])
    elif o["Method"] == GPTQ:
        need_torch()  # which it imports to look whether inputs are from PyTorch
        config = GPTQWeightOnlyQuantConfig(Data(request, 16), percdamp=o["Damping"], actorder=o["LargestFirst"])
    else:
        names = {n.name: {"bits": o["Bits"]} for n in model.graph.node} if o["Bits"] != 4 else None
        config = KQuantWeightOnlyQuantConfig(customized_weight_config=names)
    return MatMulNBitsQuantizer(
        model,
        block_size=o["BlockSize"],
        is_symmetric=o["Symmetric"],
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
    q = quantizer_of(model, request) if o["Method"] else default_quantizer(model, o)
    q.process()
    q.model.save_model_to_file(request["out"], False)
    return {}


def handle(request):
    if "load" in request:
        beside.load(request["model"])
        return {}
    if "others" in request and "data" in request:
        return error(request)
    return quantize(request) if "out" in request else beside.compare(request, seeds=(1, 2))


beside.serve(handle)
