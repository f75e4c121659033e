"""Does one job with the Python interface of another tool: peer.py JOB MODEL [ARGUMENT...].

A job imports only what it needs, because whole processes are timed.
Packages: onnx, and for some jobs numpy or onnxruntime.
"""

import sys


def load(model):
    import onnx

    print(len(onnx.load(model).graph.node))


def check(model):
    import onnx

    onnx.checker.check_model(model, full_check=True)


def convert(model, out, opset):
    import onnx.version_converter

    onnx.save(onnx.version_converter.convert_version(onnx.load(model), int(opset)), out)


def dynamic(model, out):
    from onnxruntime.quantization import QuantType, quantize_dynamic

    quantize_dynamic(model, out, weight_type=QuantType.QInt8)


def float16(model, out):
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    onnx.save(convert_float_to_float16(onnx.load(model)), out)


def extract(model, out, inputs, outputs):
    import onnx

    onnx.utils.extract_model(model, out, inputs.split(","), outputs.split(","))


def run(model, inputs, out):
    import numpy
    import onnxruntime

    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    with numpy.load(inputs) as given:
        values = session.run(names, dict(given))
    numpy.savez(out, **dict(zip(names, values)))


JOBS = {f.__name__: f for f in (load, check, convert, dynamic, float16, extract, run)}
JOBS[sys.argv[1]](*sys.argv[2:])
