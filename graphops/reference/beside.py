"""What the scripts share that answer tests with ONNX Runtime's own tools: models run
beside each other, and the answering. A script finds it with

    sys.path.insert(0, <the folder of this file>)
"""

import json
import logging
import os
import sys
import time

import numpy as np
import onnx
import onnxruntime

TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(double)": np.float64,
    "tensor(int32)": np.int32,
    "tensor(int64)": np.int64,
    "tensor(bool)": np.bool_,
}


def load(path, optimized=False):
    """A session on one thread. What is fused depends on the order of nodes, and on that the
    last bits: models are not optimized unless asked for."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if not optimized:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def feed(session, seed):
    """Numbers for every input; of booleans the first seed has true, the others false."""
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
    """The outputs for feeds of another model, whose inputs may be of other types, or more."""
    given = {i.name: feeds[i.name].astype(TYPES[i.type]) for i in session.get_inputs() if i.name in feeds}
    return session.run(None, given)


def flat(value):
    return [x for v in value for x in flat(v)] if isinstance(value, list) else [value]


def difference(a, b):
    """The largest difference, relative to the largest value of the first. What is not finite
    has to be the same in both."""
    if not isinstance(a, np.ndarray) or a.dtype.kind != "f" or a.size == 0:
        return 0.0
    if a.shape != b.shape:
        return 1e9
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(a) & np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return 1e9
    if not finite.any():
        return 0.0
    return float(np.max(np.abs(a - b)[finite]) / max(np.max(np.abs(a[finite])), 1e-30))


def compare(request, seeds=(1,), optimized=False):
    """For each of the others the largest difference from the first on the same inputs, or
    the failure that kept it from being run."""
    first = load(request["model"], optimized)
    feeds = [feed(first, seed) for seed in seeds]
    expected = [flat(run(first, f)) for f in feeds]
    differences, failures = [], []
    for path in request.get("others") or []:
        worst, failure = 0.0, None
        try:
            session = load(path, optimized)
            for f, want in zip(feeds, expected):
                worst = max([worst] + [difference(a, b) for a, b in zip(want, flat(run(session, f)))])
        except Exception as e:
            worst, failure = None, str(e)
        differences.append(worst)
        failures.append(failure)
    return {"difference": differences, "failure": failures}


def answered(handle, request):
    before = time.process_time()
    try:
        answer = handle(request)
        answer["error"] = None
    except BaseException as e:  # what the reference raises is an answer
        answer = {"error": f"{type(e).__name__}: {e}"}
    answer["seconds"] = time.process_time() - before
    return json.dumps(answer)


def apart(handle, request):
    """The answer of a process of its own: a model can bring the runtime down."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(write, "w") as out:
            out.write(answered(handle, request))
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as source:
        answer = source.read()
    os.waitpid(child, 0)
    return answer or json.dumps({"error": "the process died"})


def serve(handle, runs=lambda request: False):
    """Answers a request on each line with what handle makes of it, or its error; those of
    which runs is true in a process of their own, which can be made as long as this one runs
    no model itself."""
    logging.disable(logging.CRITICAL)
    print(json.dumps({"version": onnxruntime.__version__, "onnx": onnx.__version__}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        print(apart(handle, request) if runs(request) else answered(handle, request), flush=True)
