"""Answers requests, one JSON object per line, with the Python package of ONNX.

A request is one of

    {"do": "backend", "out": folder}                      the models of the package's backend tests
    {"do": "same", "model": path, "other": path}          whether two files hold the same model
    {"do": "check", "model": path}                        onnx.checker
    {"do": "infer", "model": path, "out": path}           shape inference
    {"do": "extract", "model": path, "out": path,
     "inputs": [names], "outputs": [names]}               onnx.utils.extract_model

The answer is {"error": text or null}.
"""

import json
import os
import shutil
import sys
import warnings

import onnx
import onnx.checker
import onnx.shape_inference
import onnx.utils


def backend(request):
    """Writes the generated cases and copies the stored ones."""
    from onnx.backend.test.case.node import collect_testcases

    warnings.simplefilter("ignore", RuntimeWarning)  # cases that overflow on purpose
    folder = os.path.join(request["out"], "generated")
    os.makedirs(folder)
    for case in collect_testcases(None):
        onnx.save(case.model, os.path.join(folder, case.name + ".onnx"))
    stored = os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data")
    shutil.copytree(stored, os.path.join(request["out"], "stored"))


def same(request):
    """Compares messages whole, with all data loaded: a tensor may lie elsewhere,
    and nothing else may differ."""
    a, b = (onnx.load(request[key]) for key in ("model", "other"))
    plain(a)
    plain(b)
    if text(a) != text(b):
        raise AssertionError("the models differ in " + ", ".join(differing("", a, b)))


def plain(message):
    """Loading data sets the default location, which a tensor that had its data
    inside from the start does not state."""
    if isinstance(message, onnx.TensorProto) and message.data_location == onnx.TensorProto.DEFAULT:
        message.ClearField("data_location")
    for field, value in message.ListFields():
        if field.message_type is not None:
            for part in value if field.is_repeated else [value]:
                plain(part)


def text(message):
    # Bytes, since a NaN equals no NaN.
    return message.SerializeToString(deterministic=True)


def differing(path, a, b):
    """The paths of the fields that differ."""
    for field in a.DESCRIPTOR.fields:
        x, y = getattr(a, field.name), getattr(b, field.name)
        here = path + field.name
        if field.message_type is None:
            if x != y:
                yield here
        elif not field.is_repeated:
            if text(x) != text(y):
                yield from differing(here + ".", x, y)
        elif len(x) != len(y):
            yield f"{here} ({len(x)} and {len(y)})"
        else:
            for i, pair in enumerate(zip(x, y)):
                if text(pair[0]) != text(pair[1]):
                    yield from differing(f"{here}[{i}].", *pair)


def check(request):
    onnx.checker.check_model(request["model"])


def infer(request):
    onnx.save(onnx.shape_inference.infer_shapes(onnx.load(request["model"])), request["out"])


def extract(request):
    onnx.utils.extract_model(request["model"], request["out"], request["inputs"], request["outputs"])


def main():
    # The checker writes warnings to standard output, past Python's stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        request = json.loads(line)
        error = None
        try:
            {"backend": backend, "same": same, "check": check, "infer": infer, "extract": extract}[request["do"]](request)
        except Exception as e:  # what the reference raises is an answer
            error = f"{type(e).__name__}: {e}"
        print(json.dumps({"error": error}), file=answers, flush=True)


main()
