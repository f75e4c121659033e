"""Says whether files hold what they should, one line for each, in the order of the arguments.

    right.py models ORIGINAL INPUTS TOLERANCE MODEL...   do models compute what the original does?
    right.py values ORIGINAL INPUTS TOLERANCE NPZ...     are these the outputs of the original?

A line is "ok ERROR SIZE" or "wrong: REASON". The error is the largest of all outputs:
the norm of the difference, divided by the norm of what the original computes. A missing file is wrong.
Packages: numpy, onnx, onnxruntime.
"""

import functools
import os
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime


def session_of(model):
    """Loads a model as it is, so that no optimization hides what it computes."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def run(session, inputs):
    """Runs a session on those inputs that it has, in its types. Returns its outputs by name."""
    feeds = {}
    for i in session.get_inputs():
        value = inputs[i.name]
        feeds[i.name] = value.astype(np.float16) if i.type == "tensor(float16)" else value
    names = [o.name for o in session.get_outputs()]
    return dict(zip(names, session.run(names, feeds)))


def reference(path, inputs, names):
    """Returns values of the original, also of those inside its graph."""
    session = session_of(path)
    missing = names - {o.name for o in session.get_outputs()}
    if not missing:
        return run(session, inputs)
    del session
    model = onnx.load(path, load_external_data=False)
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in missing)
    inside = Path(path).with_name("inside.onnx")
    try:
        onnx.save(model, inside)
        del model
        return run(session_of(inside), inputs)
    finally:
        inside.unlink(missing_ok=True)


def error(want, got):
    """Returns the relative error of an output. Sizes that differ, and values that are not finite, raise."""
    if want.shape != got.shape:
        raise ValueError(f"its shape is {got.shape}, not {want.shape}")
    if want.size == 0:
        return 0.0
    want, got = want.astype(np.float64), got.astype(np.float64)
    difference = np.linalg.norm(got - want)
    if not np.isfinite(difference):
        raise ValueError("it is not finite")
    return difference / max(np.linalg.norm(want), 1e-30)


def size(path):
    """Returns the bytes of a file and of the data beside it."""
    return sum(f.stat().st_size for f in Path(path).parent.iterdir())


def judge(path, values, wanted, tolerance):
    """Returns the line about a file. Both values and wanted are functions."""
    if not os.path.exists(path):
        return "wrong: there is no result"
    try:
        got = values(path)
        want = wanted(frozenset(got))
        worst = 0.0
        for name, value in got.items():
            if name not in want:
                return f"wrong: {name} is not an output of the original"
            worst = max(worst, error(want[name], value))
    except Exception as reason:  # of ONNX Runtime, onnx or NumPy: the reason stands in the row
        return "wrong: " + " ".join(str(reason).split())[:160]
    if worst > tolerance:
        return f"wrong: the error is {worst:.2g}, at most {tolerance:g} is expected"
    return f"ok {worst:.1e} {size(path)}"


def main(kind, original, given, tolerance, *paths):
    with np.load(given) as archive:
        inputs = dict(archive)
    values = {"models": lambda path: run(session_of(path), inputs), "values": lambda path: dict(np.load(path))}[kind]
    wanted = functools.cache(lambda names: reference(original, inputs, names))
    for path in paths:
        print(judge(path, values, wanted, float(tolerance)), flush=True)


main(*sys.argv[1:])
