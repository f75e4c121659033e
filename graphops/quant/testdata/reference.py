"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime. A request is one of

    {"model": path, "out": path, "options": {...}}   quantize_dynamic
    {"model": path, "others": [paths]}               outputs on the same inputs

The answer is {"error": text or null}, and for the second kind "difference":
for each of the others the largest difference from the first, relative to its
largest value, or null where it cannot be run.
"""

import json
import logging
import sys

import numpy as np
import onnx
import onnxruntime
from onnxruntime.quantization import QuantType, quantize_dynamic

TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}


def quantize(request):
    options = request["options"]
    extra = {"MatMulConstBOnly": options["MatMulConstBOnly"]}
    if options["WeightSymmetric"] is not None:
        extra["WeightSymmetric"] = options["WeightSymmetric"]
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


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # What is fused depends on the order of nodes, and on that the last bits.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    if feeds is None:
        random = np.random.default_rng(1)
        feeds = {}
        for i in session.get_inputs():
            shape = [d if isinstance(d, int) else 3 for d in i.shape]
            if i.type == "tensor(int64)":
                feeds[i.name] = random.integers(0, 3, shape)
            else:
                feeds[i.name] = np.asarray(random.standard_normal(shape)).astype(TYPES[i.type])
    # An input may be gone that was the default of a weight.
    known = {i.name for i in session.get_inputs()}
    return session.run(None, {k: v for k, v in feeds.items() if k in known}), feeds


def compare(request):
    first, feeds = run(request["model"], None)
    differences = []
    for path in request.get("others", []):
        try:
            outputs, _ = run(path, feeds)
        except Exception:
            differences.append(None)
            continue
        worst = 0.0
        for a, b in zip(first, outputs):
            if a.dtype.kind != "f" or a.size == 0:
                continue
            a, b = a.astype(np.float64), b.astype(np.float64)
            if not (np.isfinite(a).all() and np.isfinite(b).all()):
                worst = 1e9
                continue
            worst = max(worst, float(np.max(np.abs(a - b)) / max(np.max(np.abs(a)), 1e-30)))
        differences.append(worst)
    return {"difference": differences}


def main():
    logging.disable(logging.CRITICAL)
    print(json.dumps({"version": onnxruntime.__version__, "onnx": onnx.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = quantize(request) if "out" in request else compare(request)
            answer["error"] = None
        except Exception as e:  # what the reference raises is an answer
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)


main()
