"""Answers requests, one JSON object per line, with the reference.

Needs onnx and onnxruntime. A request is one of

    {"model": path, "out": path, "options": {...}}   convert_float_to_float16
    {"model": path, "others": [paths]}               outputs on the same inputs
    {"bits": [...]}                                  float32 by its bits, to bfloat16

The answer is {"error": text or null}; for the second kind "difference": for each of
the others the largest difference from the first, relative to its largest value, or
"failure": why it cannot be run; for the third "codes".
"""

import json
import logging
import sys
import warnings

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnxruntime.transformers.float16 import convert_float_to_float16, convert_np_to_float16

TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}


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


def run(path, feeds):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    if feeds is None:
        random = np.random.default_rng(1)
        feeds = {}
        for i in session.get_inputs():
            shape = [d if isinstance(d, int) else 3 for d in i.shape]
            if i.type == "tensor(int64)" or i.type == "tensor(int32)":
                feeds[i.name] = random.integers(0, 3, shape).astype(TYPES[i.type])
            elif i.type == "tensor(bool)":
                feeds[i.name] = np.ones(shape, np.bool_)
            else:
                feeds[i.name] = np.asarray(random.standard_normal(shape)).astype(TYPES[i.type])
    given = {i.name: feeds[i.name].astype(TYPES[i.type]) for i in session.get_inputs() if i.type in TYPES}
    return session.run(None, given), feeds


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, list) else [value]


def compare(request):
    first, feeds = run(request["model"], None)
    differences, failures = [], []
    for path in request.get("others") or []:
        try:
            outputs, _ = run(path, feeds)
        except Exception as e:
            differences.append(None)
            failures.append(str(e))
            continue
        worst = 0.0
        for a, b in zip(flat(first), flat(outputs)):
            if not isinstance(a, np.ndarray) or a.dtype.kind != "f" or a.size == 0:
                continue
            a, b = a.astype(np.float64), b.astype(np.float64)
            if a.shape != b.shape:
                worst = 1e9
                continue
            finite = np.isfinite(a) & np.isfinite(b)
            if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
                worst = 1e9
            if finite.any():
                worst = max(worst, float(np.max(np.abs(a - b)[finite]) / max(np.max(np.abs(a[finite])), 1e-30)))
        differences.append(worst)
        failures.append(None)
    return {"difference": differences, "failure": failures}


def narrow(request):
    x = np.array(request["bits"], np.uint32).view(np.float32)
    return {
        "codes": x.astype(ml_dtypes.bfloat16).view(np.uint16).tolist(),
        "halves": convert_np_to_float16(x).view(np.uint16).tolist(),
    }


def main():
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    print(json.dumps({"version": onnxruntime.__version__, "onnx": onnx.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = convert(request) if request.get("out") else narrow(request) if request.get("bits") else compare(request)
            answer["error"] = None
        except BaseException as e:  # what the reference raises is an answer
            answer = {"error": f"{type(e).__name__}: {e}"}
        print(json.dumps(answer), flush=True)


main()
