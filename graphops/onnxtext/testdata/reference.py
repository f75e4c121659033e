"""Reads and writes ONNX's text syntax with the package onnx.

Every line of the input is {"do": "parse" or "print", "from": path, "to": path},
every line of the output {"error": message or null}.
"""

import json
import sys

import onnx
import onnx.parser
import onnx.printer


def parse(source, target):
    with open(source, "rb") as f:
        text = f.read().decode()
    with open(target, "wb") as f:
        f.write(onnx.parser.parse_model(text).SerializeToString())


def print_(source, target):
    text = onnx.printer.to_text(onnx.load(source, load_external_data=False))
    with open(target, "wb") as f:
        f.write(text.encode())


for line in sys.stdin:
    ask = json.loads(line)
    error = None
    try:
        {"parse": parse, "print": print_}[ask["do"]](ask["from"], ask["to"])
    except Exception as e:
        error = f"{type(e).__name__}: {e}"
    print(json.dumps({"error": error}), flush=True)
