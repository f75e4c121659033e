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

import json
import logging
import sys
import time

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


def load(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # What is fused depends on the order of nodes, and on that the last bits.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feed(session, seed):
    """Numbers for every input; of booleans the first seed has true, the second false."""
    random = np.random.default_rng(seed)
    feeds = {}
    for i in session.get_inputs():
        shape = [d if isinstance(d, int) else 3 for d in i.shape]
        dtype = TYPES[i.type]
        if dtype == np.bool_:
            feeds[i.name] = np.full(shape, seed == 1)
        elif dtype in (np.int32, np.int64):
            feeds[i.name] = np.asarray(random.integers(0, 2, shape)).astype(dtype)
        else:
            feeds[i.name] = np.asarray(random.standard_normal(shape)).astype(dtype)
    return feeds


def run(session, feeds):
    # An input may be gone that was the default of a weight.
    known = {i.name for i in session.get_inputs()}
    return session.run(None, {k: v for k, v in feeds.items() if k in known})


def difference(a, b):
    """The largest difference, relative to the largest value of the first."""
    if a.dtype.kind != "f" or a.size == 0:
        return 0.0
    a, b = a.astype(np.float64), b.astype(np.float64)
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        return 1e9
    return float(np.max(np.abs(a - b)) / max(np.max(np.abs(a)), 1e-30))


def compare(request):
    first = load(request["model"])
    feeds = [feed(first, seed) for seed in (1, 2)]
    expected = [run(first, f) for f in feeds]
    differences = []
    for path in request.get("others", []):
        try:
            session = load(path)
            worst = 0.0
            for f, want in zip(feeds, expected):
                worst = max([worst] + [difference(a, b) for a, b in zip(want, run(session, f))])
            differences.append(worst)
        except Exception:
            differences.append(None)
    return {"difference": differences}


def main():
    logging.disable(logging.CRITICAL)
    print(json.dumps({"version": onnxruntime.__version__, "onnx": onnx.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        before = time.process_time()
        try:
            if "load" in request:
                load(request["model"])
                answer = {}
            else:
                answer = quantize(request) if "out" in request else compare(request)
            answer["error"] = None
        except Exception as e:  # what the reference raises is an answer
            answer = {"error": f"{type(e).__name__}: {e}"}
        answer["seconds"] = time.process_time() - before
        print(json.dumps(answer), flush=True)


main()
