"""Answers at which sizes ONNX Runtime runs a model, one JSON object per line.

A request is

    {"model": the model in base64,
     "runs": [{symbol: size}],      what to try
     "feed": {input: expression}}   in the symbols, the value of all elements, else 0 for integers and 0.5

and the answer

    {"error": text,                 why the model does not load, "" if it does
     "runs": [text]}                why each run fails, "" if it does not
"""

import base64
import json
import sys

import numpy
import onnx
import onnxruntime

onnxruntime.set_default_logger_severity(4)

TYPES = {
    "tensor(float)": numpy.float32, "tensor(float16)": numpy.float16, "tensor(double)": numpy.float64,
    "tensor(int64)": numpy.int64, "tensor(int32)": numpy.int32, "tensor(uint8)": numpy.uint8, "tensor(int8)": numpy.int8,
    "tensor(bool)": numpy.bool_,
}


def load(model):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def feed(session, sizes, values):
    fed = {}
    for i in session.get_inputs():
        shape = [sizes[d] if isinstance(d, str) else d for d in i.shape]
        kind = TYPES[i.type]
        value = eval(values[i.name], {"numpy": numpy}, sizes) if i.name in values else 0.5 if numpy.issubdtype(kind, numpy.floating) else 0
        fed[i.name] = numpy.broadcast_to(numpy.asarray(value), shape).astype(kind)
    return fed


def tried(session, sizes, values):
    try:
        session.run(None, feed(session, sizes, values))
        return ""
    except Exception as e:
        return str(e) or type(e).__name__


def answer(request):
    model = onnx.load_from_string(base64.b64decode(request["model"]))
    if not model.graph.output:
        made = {o for n in model.graph.node for o in n.output if o}
        model.graph.output.extend(onnx.ValueInfoProto(name=o) for o in sorted(made))
    try:
        session = load(model)
    except Exception as e:
        return {"error": str(e), "runs": []}
    return {"error": "", "runs": [tried(session, r, request["feed"]) for r in request["runs"]]}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
