"""Quantizes a model with QuantizeLinear and DequantizeLinear around its nodes, but for one.

Arguments: the model, the result, the node to leave out, a .npz with inputs to calibrate on.
"""

import sys

import numpy as np
import onnx
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static


class Inputs(CalibrationDataReader):
    def __init__(self, path):
        self.left = [dict(np.load(path))]

    def get_next(self):
        return self.left.pop() if self.left else None


model, result, keep, inputs = sys.argv[1:]
opset = next(o.version for o in onnx.load(model, load_external_data=False).opset_import if o.domain in ("", "ai.onnx"))
quantize_static(
    model, result, Inputs(inputs), quant_format=QuantFormat.QDQ, nodes_to_exclude=[keep],
    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8, per_channel=opset >= 13,  # before that a DequantizeLinear has no axis
)
