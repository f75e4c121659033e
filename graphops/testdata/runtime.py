"""Loads models with ONNX Runtime, each in a process of its own: some of them crash it.

The first line is {"version": text}. A request is {"model": path}, the answer {"error": text},
empty where the model loads.
"""

import json
import os
import sys

import onnxruntime


def load(path):
    try:
        onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as e:
        return str(e) or type(e).__name__
    return ""


def load_apart(path):
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(send, load(path).encode()[:4000])
        os._exit(0)
    os.close(send)
    with os.fdopen(receive, "rb") as answer:
        error = answer.read().decode(errors="replace")
    _, status = os.waitpid(child, 0)
    return error if status == 0 else f"crash {status}"


def answer(**values):
    print(json.dumps(values), flush=True)


onnxruntime.set_default_logger_severity(4)
answer(version=onnxruntime.__version__)
for line in sys.stdin:
    answer(error=load_apart(json.loads(line)["model"]))
