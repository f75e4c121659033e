"""Simplifies models with onnxslim and onnxsim, and runs what they and Lathe made beside the original.

Needs onnx, onnxruntime, onnxslim and onnxsim. A request is one JSON object on a line,

    {"model": path, "ours": path or "", "folder": path}

and the answer has "original", "slim", "sim" and "ours". Each has

    error       why there is none, or ""
    nodes, ops  how many nodes stand in main graph, bodies and functions, and of which
                operators; Constant is not counted
    seconds     of the processor for reading, simplifying and writing, without imports
    loads, runs whether ONNX Runtime loads it, and runs it on inputs that the original takes
    wrong       what differs from the original, or why it does not load or run, or ""; for
                the original, what differs from one run to the next
    fixed       whether initializers that a caller may feed are gone

Inputs are those kept beside the model (NAME.npz, or test_data_set_0 as in the conformance
suite), else random ones. Everything happens in children with limits of time and memory,
since all of these packages crash on some models.
"""

import collections
import json
import logging
import os
import resource
import signal
import sys
import time

import numpy as np
import onnx
import onnxruntime
import onnxsim
import onnxslim
from onnx import numpy_helper

SECONDS = 120  # of the processor; what hangs may take HANGS by the clock
HANGS = 900
BYTES = 10 << 30


def nodes_of(nodes):
    for n in nodes:
        yield n
        for a in n.attribute:
            for g in [a.g] if a.HasField("g") else a.graphs:
                yield from nodes_of(g.node)


def counted(model):
    ops = collections.Counter()
    for place in [model.graph, *model.functions]:
        for n in nodes_of(place.node):
            ops[n.op_type if n.domain in ("", "ai.onnx") else f"{n.domain}::{n.op_type}"] += 1
    del ops["Constant"]
    return {"nodes": sum(ops.values()), "ops": ops}


def count(path):
    return counted(onnx.load(path, load_external_data=False))


def simplify(tool, path, out):
    start = time.process_time()
    model = onnx.load(path)
    result = onnxslim.slim(model) if tool == "slim" else onnxsim.simplify(model)[0]
    if not isinstance(result, onnx.ModelProto):
        raise TypeError(f"the result is {type(result).__name__}")
    onnx.save(result, out)
    return {**counted(result), "seconds": time.process_time() - start}


def session(path):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    # Optimizing would hide what differs, and add what does not.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def decoded(value, raw):
    message, read = {
        "sequence_type": (onnx.SequenceProto, numpy_helper.to_list),
        "optional_type": (onnx.OptionalProto, numpy_helper.to_optional),
    }.get(value.type.WhichOneof("value"), (onnx.TensorProto, numpy_helper.to_array))
    return read(message.FromString(raw))


def kept(path):
    """The inputs that came with a model, or None."""
    beside = path.removesuffix(".onnx") + ".npz"
    folder = os.path.join(os.path.dirname(path), "test_data_set_0")
    if os.path.exists(beside):
        with np.load(beside) as arrays:
            return dict(arrays)
    if not os.path.isdir(folder):
        return None
    feeds = {}
    for i, value in enumerate(onnx.load(path, load_external_data=False).graph.input):
        file = os.path.join(folder, f"input_{i}.pb")
        if os.path.exists(file):
            with open(file, "rb") as f:
                feeds[value.name] = decoded(value, f.read())
    return feeds


def made(value, batch, size):
    random = np.random.default_rng(len(value.name))
    free = [batch if i == 0 else size for i in range(len(value.shape))]
    shape = [d if isinstance(d, int) and d >= 0 else f for d, f in zip(value.shape, free)]
    kind = value.type.removeprefix("tensor(").removesuffix(")")
    if kind == "string":
        return random.choice(np.array(["a", "b", "1"]), shape).astype(object)
    dtype = np.dtype({"float": "float32", "double": "float64"}.get(kind, kind))
    if dtype.kind == "f":
        return np.asarray(random.standard_normal(shape)).astype(dtype)
    return np.asarray(random.integers(0, 2, shape)).astype(dtype)


def candidates(path, s):
    feeds = kept(path)
    if feeds is not None:
        yield feeds
    for batch, size in ((2, 4), (1, 1), (1, 8), (1, 3), (2, 2), (1, 64), (1, 224)):
        yield {v.name: made(v, batch, size) for v in s.get_inputs()}


def outputs(s, feeds):
    known = {v.name for v in [*s.get_inputs(), *s.get_overridable_initializers()]}
    return s.run(None, {k: v for k, v in feeds.items() if k in known})


def first_run(path, s):
    """Inputs that a model takes, and its outputs."""
    for feeds in candidates(path, s):
        try:
            return feeds, outputs(s, feeds)
        except Exception as e:  # other sizes may do
            error = e
    raise error


def flat(value):
    if isinstance(value, dict):
        value = [value[k] for k in sorted(value)]
    if isinstance(value, list):
        for v in value:
            yield from flat(v)
    else:
        yield value


def differs(a, b):
    """What differs by more than rounding: that of an element, or of the largest of its tensor."""
    if a is None or b is None:
        return "" if a is b else "is absent in one"
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape or a.dtype != b.dtype:
        return f"is {b.dtype}{list(b.shape)}, not {a.dtype}{list(a.shape)}"
    if a.dtype.kind != "f":
        return "" if np.array_equal(a, b) else "differs"
    rounding = 2e-3 if a.dtype.itemsize == 2 else 1e-4
    a, b = a.astype(np.float64), b.astype(np.float64)
    finite = np.isfinite(a)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True):
        return "differs where it is not finite"
    a, b = a[finite], b[finite]
    if a.size == 0:
        return ""
    largest, off = np.abs(a).max(), np.abs(a - b)
    if (off <= rounding * np.abs(a) + rounding / 10 * largest + 1e-7).all():
        return ""
    return f"differs by {off.max():.3g}, its largest being {largest:.3g}"


def wrong(want, got):
    want, got = list(flat(want)), list(flat(got))
    if len(want) != len(got):
        return f"{len(got)} values, not {len(want)}"
    found = [f"value {i} {d}" for i, (a, b) in enumerate(zip(want, got)) if (d := differs(a, b))]
    return "; ".join(found[:3])


def tried(path):
    """How the original does."""
    answer = {"loads": False, "runs": False, "wrong": ""}
    try:
        s = session(path)
        answer["loads"] = True
        feeds, want = first_run(path, s)
        answer["runs"] = True
        answer["wrong"] = wrong(want, outputs(s, feeds))
    except Exception as e:
        answer["wrong"] = str(e)[:300]
    return answer


def names(values):
    return [v.name for v in values]


def interface(s):
    return names(s.get_inputs()), names(s.get_outputs())


def compared(path, result, runs):
    """How a result does beside the original, which loads, and runs or does not."""
    answer = {"loads": False, "runs": False, "wrong": ""}
    try:
        b = session(result)
        answer["loads"] = True
        a = session(path)
        kept_open = set(names(b.get_overridable_initializers()))
        answer["fixed"] = not kept_open.issuperset(names(a.get_overridable_initializers()))
        if interface(a) != interface(b):
            answer["wrong"] = "other inputs or outputs"
        elif runs:
            feeds, want = first_run(path, a)
            got = outputs(b, feeds)
            answer["runs"] = True
            answer["wrong"] = wrong(want, got)
    except Exception as e:
        answer["wrong"] = str(e)[:300]
    return answer


def apart(function, *args):
    """The answer of a function, given in a child."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(HANGS)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        try:
            answer = {"error": "", **function(*args)}
        except BaseException as e:
            answer = {"error": f"{type(e).__name__}: {e}"[:300]}
        with os.fdopen(writer, "w") as f:
            json.dump(answer, f)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as f:
        text = f.read()
    _, status = os.waitpid(pid, 0)
    if text:
        return json.loads(text)
    return {"error": f"ended by signal {os.WTERMSIG(status)}"}


def beside(original, path, answer, result):
    """Adds to a result how it does beside the original."""
    if not answer["error"] and original.get("loads"):
        found = apart(compared, path, result, original["runs"])
        answer.update(found, error="", wrong=found["error"] or found["wrong"])
    return answer


def judged(path, ours, folder):
    original = apart(count, path)
    original.update(apart(tried, path))
    answer = {"original": original}
    for tool in ("slim", "sim"):
        out = os.path.join(folder, tool + ".onnx")
        answer[tool] = beside(original, path, apart(simplify, tool, path, out), out)
    if ours:
        answer["ours"] = beside(original, path, apart(count, ours), ours)
    return answer


def main():
    logging.disable(logging.CRITICAL)
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(judged(request["model"], request["ours"], request["folder"])), flush=True)


main()
