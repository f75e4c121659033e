"""Cuts models with the reference, onnx.utils.extract_model. Needs onnx.

Reads requests, one JSON object per line: {"model": path, "out": path, "inputs":
[names], "outputs": [names]}, and answers each with {"error": text or null}.
"""

import json
import sys

import onnx.utils

for line in sys.stdin:
    request = json.loads(line)
    error = None
    try:
        onnx.utils.extract_model(request["model"], request["out"], request["inputs"], request["outputs"])
    except Exception as e:  # what the reference raises is an answer
        error = f"{type(e).__name__}: {e}"
    print(json.dumps({"error": error}), flush=True)
