"""Answers, for a model and a level, which operators ONNX Runtime's own dump has."""
import collections, json, os, sys, tempfile

import onnx
import onnxruntime

levels = {
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def count(graph, into):
    for node in graph.node:
        domain = "" if node.domain in ("", "ai.onnx") else node.domain + "::"
        into[domain + node.op_type] += 1
        for a in node.attribute:
            for body in [a.g] if a.type == onnx.AttributeProto.GRAPH else a.graphs:
                count(body, into)


def answer(model, level):
    with tempfile.TemporaryDirectory() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = levels[level]
        options.optimized_model_filepath = os.path.join(folder, "m.onnx")
        options.log_severity_level = 4
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        into = collections.Counter()
        count(onnx.load(options.optimized_model_filepath, load_external_data=False).graph, into)
        return into


print(json.dumps({"version": onnxruntime.__version__}), flush=True)
for line in sys.stdin:
    ask = json.loads(line)
    try:
        print(json.dumps({"ops": answer(ask["model"], ask["level"])}), flush=True)
    except Exception as e:
        print(json.dumps({"error": str(e)}), flush=True)
