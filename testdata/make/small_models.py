"""Makes gather_mlp.onnx, scalar_f16.onnx, strings.onnx, and external.onnx with external.data.

Packages: onnx, onnxruntime, numpy.
Takes about one second.
"""

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, numpy_helper

import modelfile

SEED = 20240504

HEADER = """
<ir_version: {ir}, opset_import: ["" : {opset}],
 producer_name: "lathe-testdata", producer_version: "1">
"""

# An embedding and two linear layers: what dynamic quantization rewrites, but for Conv.
GATHER_MLP = """
gather_mlp (int64[batch] ids) => (float[batch, 8] scores) {
  [embed] embedded = Gather (embedding, ids)
  [fc1] fc1_product = MatMul (embedded, fc1_weight)
  [fc1_add] fc1_sum = Add (fc1_product, fc1_bias)
  [relu] hidden = Relu (fc1_sum)
  [fc2] scores = Gemm <transB = 1> (hidden, fc2_weight, fc2_bias)
}
"""

# Inputs and outputs of rank 0, an empty output, and types that are hard to hold. In Cast, 10 is
# float16 and 16 is bfloat16.
SCALAR_F16 = """
scalar_f16 (float[batch, 4] x, float16 factor) => (
  float total, float16 half_total, float16[batch, 4] half, bfloat16[batch, 4] brain,
  int64[batch] best, bool[batch, 4] is_positive, bool any_positive, float[0, 4] nothing)
{
  [total] total = ReduceSum <keepdims = 0> (x)
  [to_half] x_half = Cast <to = 10> (x)
  [scale] scaled = Mul (x_half, factor)
  [shift] half = Add (scaled, half_bias)
  [total_to_half] half_total = Cast <to = 10> (total)
  [to_brain] brain = Cast <to = 16> (x)
  [best] best = ArgMax <axis = 1, keepdims = 0> (x)
  [compare] is_positive = Greater (x, zero)
  [largest] largest = ReduceMax <keepdims = 0> (x)
  [compare_largest] any_positive = Greater (largest, zero)
  [slice_none] nothing = Slice (x, first_row, first_row)
}
"""

# Strings in and out, and in initializers: one of them empty, one outside ASCII.
STRINGS = """
strings (string[batch] text, string closing)
  => (string[batch] marked, bool[batch] is_number, string[batch, 2] pairs)
{
  [append] appended = StringConcat (text, closing)
  [mark] marked = StringConcat (marker, appended)
  [match] is_number = RegexFullMatch <pattern = "[0-9]+"> (text)
  [column] column = Unsqueeze (text, axis)
  [pair] pairs = StringConcat (column, endings)
}
"""

EXTERNAL = """
external (float[batch, 16] x) => (float[batch, 4] y) {
  [fc1] fc1_sum = Gemm (x, fc1_weight, fc1_bias)
  [relu] hidden = Relu (fc1_sum)
  [fc2] product = MatMul (hidden, fc2_weight)
  [add] y = Add (product, fc2_bias)
}
"""


def build(text, ir=8, opset=17, **initializers):
    """Returns the model that the text describes, with these arrays and with value_info."""
    model = onnx.parser.parse_model(HEADER.format(ir=ir, opset=opset) + text)
    for name, array in initializers.items():
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    return onnx.shape_inference.infer_shapes(model)


def normal(random, *shape):
    """Returns float32 values with a spread that keeps activations near one."""
    return (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


def gather_mlp():
    random = np.random.default_rng(SEED)
    return build(
        GATHER_MLP,
        embedding=normal(random, 64, 32),
        fc1_weight=normal(random, 32, 48),
        fc1_bias=normal(random, 48),
        fc2_weight=normal(random, 8, 48),
        fc2_bias=normal(random, 8),
    )


def scalar_f16():
    return build(
        SCALAR_F16,
        zero=np.array(0, np.float32),
        # The largest float16 and the smallest are among them.
        half_bias=np.array([0.5, -0.5, 65504, 6e-8], np.float16),
        first_row=np.array([0], np.int64),
    )


def strings():
    return build(
        STRINGS,
        ir=9,
        opset=20,
        marker=np.array("→ ", dtype=object),
        endings=np.array(["", "!"], dtype=object),
        axis=np.array([1], np.int64),
    )


def external():
    """Returns a model whose weights lie in external.data, and that file's bytes.

    Its references differ as exporters differ: one without an offset, one on a page, one on an odd
    byte and without a length (it ends with the file). A small tensor stays in the model.
    """
    random = np.random.default_rng(SEED)
    model = build(
        EXTERNAL,
        fc1_weight=normal(random, 16, 32),
        fc1_bias=normal(random, 32),
        fc2_weight=normal(random, 32, 4),
        fc2_bias=normal(random, 4),
    )
    first, page, last, _ = model.graph.initializer
    data = first.raw_data.ljust(4096, b"\0") + page.raw_data.ljust(131, b"\0") + last.raw_data
    point(first, location="external.data", length=2048)
    point(page, location="external.data", offset=4096, length=128)
    point(last, location="external.data", offset=4096 + 131)
    return model, data


def point(tensor, **entries):
    """Replaces a tensor's data by the entries of a reference to external data."""
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in entries.items():
        tensor.external_data.add(key=key, value=str(value))


def main():
    out = modelfile.output_folder(__doc__)
    modelfile.write_model(out / "gather_mlp.onnx", gather_mlp())
    modelfile.write_model(out / "scalar_f16.onnx", scalar_f16())
    modelfile.write_model(out / "strings.onnx", strings())
    model, data = external()
    modelfile.write(out / "external.data", data)
    modelfile.write_model(out / "external.onnx", model)


if __name__ == "__main__":
    main()
