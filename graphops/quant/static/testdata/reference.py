"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime. A request is one of

    {"model": path, "out": path, "cache": path, "options": {...}}
        quantize_static over random samples of a fixed seed; the ranges are
        written to cache, or read from it where it is there
    {"model": path, "others": [paths], "plain": bool}
        outputs on the same inputs; unless they are to run plain, the others run
        optimized, which makes operators of integers of pairs

The answer is {"error": text or null}, and for the second kind "difference":
for each of the others the largest difference from the first, relative to its
largest value, or null where it cannot be run.
"""

import contextlib
import json
import logging
import sys

import numpy as np
import onnxruntime
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantFormat, QuantType, quantize_static

TYPES = {
    "tensor(float)": np.float32,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}

QUANTIZED = {
    "i8": QuantType.QInt8,
    "u8": QuantType.QUInt8,
    "i16": QuantType.QInt16,
    "u16": QuantType.QUInt16,
    "i4": QuantType.QInt4,
    "u4": QuantType.QUInt4,
    "f8e4m3fn": QuantType.QFLOAT8E4M3FN,
}


def session_of(path, optimized=False):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feeds_of(session, seed):
    random = np.random.default_rng(seed)
    feeds = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else 3 for d in i.shape]
        if i.type in ("tensor(int64)", "tensor(int32)", "tensor(bool)"):
            feeds[i.name] = random.integers(0, 2, shape).astype(TYPES[i.type])
        else:
            feeds[i.name] = np.asarray(random.standard_normal(shape)).astype(TYPES[i.type])
    return feeds


class Samples(CalibrationDataReader):
    def __init__(self, path):
        session = session_of(path)
        self.feeds = iter([feeds_of(session, seed) for seed in range(4)])

    def get_next(self):
        return next(self.feeds, None)


NAMED = {str(t): t for t in QuantType} | {t.name: t for t in QuantType}


def overrides_of(entry):
    """One override as the reference takes it, whose parameters are arrays of a type."""
    out = dict(entry)
    if "quant_type" in out:
        out["quant_type"] = NAMED[out["quant_type"]]
    for key in ("scale", "rmin", "rmax"):
        if key in out:
            out[key] = np.array(out[key], np.float32)
    if "zero_point" in out:
        kind = out.get("quant_type")
        kind = kind.numpy_type if hasattr(kind, "numpy_type") else None
        out["zero_point"] = np.array(out["zero_point"], kind or np.int32)
    if "convert" in out:
        out["convert"] = overrides_of(out["convert"])
    if "recv_nodes" in out:
        out["recv_nodes"] = set(out["recv_nodes"])
    return out


def quantize(request):
    o = request["options"]
    extra = {k: v for k, v in o["Extra"].items()}
    if o.get("Overrides"):
        extra["TensorQuantOverrides"] = {k: [overrides_of(v) for v in list_] for k, list_ in o["Overrides"].items()}
    quantize_static(
        request["model"],
        request["out"],
        Samples(request["model"]),
        quant_format=QuantFormat.QOperator if o["Operators"] else QuantFormat.QDQ,
        per_channel=o["PerChannel"],
        reduce_range=o["ReduceRange"],
        activation_type=QUANTIZED[o["ActivationType"]],
        weight_type=QUANTIZED[o["WeightType"]],
        op_types_to_quantize=o["OpTypes"],
        nodes_to_quantize=o["Include"],
        nodes_to_exclude=o["Exclude"],
        extra_options=extra,
        calibrate_method=CalibrationMethod.Distribution if o["WeightType"] == "f8e4m3fn" else CalibrationMethod.MinMax,
        calibration_cache_path=request["cache"],
    )
    return {}


def compare(request):
    first = session_of(request["model"])
    feeds = feeds_of(first, 1)
    expected = first.run(None, feeds)
    differences = []
    for path in request["others"]:
        try:
            outputs = session_of(path, optimized=not request.get("plain")).run(None, feeds)
        except Exception as e:
            differences.append(None)
            print(e, file=sys.stderr)
            continue
        worst = 0.0
        for a, b in zip(expected, outputs):
            if a.dtype.kind != "f" or a.size == 0:
                continue
            a, b = a.astype(np.float64), b.astype(np.float64)
            worst = max(worst, float(np.max(np.abs(a - b)) / max(np.max(np.abs(a)), 1e-30)))
        differences.append(worst)
    return {"difference": differences}


def main():
    logging.disable(logging.CRITICAL)
    print(json.dumps({"version": onnxruntime.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            with contextlib.redirect_stdout(sys.stderr):  # histograms are talked about
                answer = quantize(request) if "out" in request else compare(request)
            answer["error"] = None
        except BaseException as e:  # what the reference raises is an answer
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)


main()
