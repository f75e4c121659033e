"""Makes if_loop.onnx and function.onnx.

Packages: onnx, onnxruntime, numpy.
Takes about one second.
"""

import onnx.parser

import modelfile

# The branches and the loop body read values of the graph around them: hidden, norm, bias, weight.
# The loop also yields a scan output, one row per iteration.
IF_LOOP = """
<ir_version: 8, opset_import: ["" : 17], producer_name: "lathe-testdata", producer_version: "1">
if_loop (float[batch, 4] x, int64 steps) => (float[batch, 4] y, float[rounds] norms)
<
  float[4, 4] weight = {
    0.5, -0.25, 0, 0.125, 0.25, 0.5, -0.5, 0, 0, 0.25, 0.5, -0.25, -0.125, 0, 0.25, 0.5},
  float[4] bias = {0.5, -0.5, 0.25, -0.25},
  float limit = {4},
  bool always = {1}
>
{
  [project] hidden = MatMul (x, weight)
  [measure] norm = ReduceL2 <keepdims = 0> (hidden)
  [compare] is_large = Greater (norm, limit)
  [choose] chosen = If (is_large) <
    then_branch = shrink () => (float[batch, 4] shrunk) {
      [divide] shrunk = Div (hidden, norm)
    },
    else_branch = shift () => (float[batch, 4] shifted) {
      [add_bias] shifted = Add (hidden, bias)
    }
  >
  [repeat] y, norms = Loop (steps, always, chosen) <
    body = step (int64 round, bool go_on, float[batch, 4] state)
        => (bool still, float[batch, 4] next, float state_norm)
    {
      [keep_going] still = Identity (go_on)
      [turn] turned = MatMul (state, weight)
      [remember] next = Add (turned, hidden)
      [measure_state] state_norm = ReduceL2 <keepdims = 0> (next)
    }
  >
}
"""

# Swish is called once in the graph, with its default slope, and once inside a branch, with another.
FUNCTION = """
<
  ir_version: 8,
  opset_import: ["" : 17, "lathe.testdata" : 1],
  producer_name: "lathe-testdata", producer_version: "1"
>
function (float[batch, 4] x) => (float[batch, 4] y)
<
  float[4, 4] weight = {
    0.5, -0.25, 0, 0.125, 0.25, 0.5, -0.5, 0, 0, 0.25, 0.5, -0.25, -0.125, 0, 0.25, 0.5},
  float zero = {0}
>
{
  [project] hidden = MatMul (x, weight)
  [activate] active = lathe.testdata.Swish (hidden)
  [sum] total = ReduceSum <keepdims = 0> (active)
  [compare] is_positive = Greater (total, zero)
  [choose] y = If (is_positive) <
    then_branch = steep () => (float[batch, 4] steepened) {
      [activate_again] steepened = lathe.testdata.Swish <slope = 4.0> (active)
    },
    else_branch = flip () => (float[batch, 4] flipped) {
      [negate] flipped = Neg (active)
    }
  >
}

<domain: "lathe.testdata", opset_import: ["" : 17]>
Swish <slope: float = 1.0> (x) => (y)
{
  [slope_value] slope_scalar = Constant <value_float: float = @slope> ()
  [scale] scaled = Mul (x, slope_scalar)
  [gate] gate = Sigmoid (scaled)
  [apply] y = Mul (x, gate)
}
"""


def main():
    out = modelfile.output_folder(__doc__)
    modelfile.write_model(out / "if_loop.onnx", onnx.parser.parse_model(IF_LOOP))
    modelfile.write_model(out / "function.onnx", onnx.parser.parse_model(FUNCTION))


if __name__ == "__main__":
    main()
