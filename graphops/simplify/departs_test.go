package simplify

import "testing"

// TestDepartures leaves alone what ONNX Runtime makes otherwise than the standard says,
// constants and shapes of it included.
func TestDepartures(t *testing.T) {
	checkMovements(t, []movements{
		{
			"squeezes no axis", "opset 13\ninput x f32[1,3,1]\ninit a i64[0]\nh = Squeeze(x, a)\ny = Relu(h)\ns = Shape(h)\noutput y f32\noutput s i64",
			[]string{"h = Squeeze(x, a)", "y = Relu(h)", "s = Shape(h)"},
		},
		{
			"squeezes a constant", "opset 13\ninput x f32[1,3,1]\ninit a i64[0]\ninit c f32[1,3,1] 1 2 3\nh = Squeeze(c, a)\ny = Add(x, h)\noutput y f32",
			[]string{"h = Squeeze(c, a)", "y = Add(x, h)"},
		},
		{
			"splits a constant", "opset 18\ninput x f32[1,3]\ninit c f32[1,9] 1\nh, g = Split(c) axis=1 num_outputs=3\ny = Add(x, g)\noutput y f32\nz = Neg(h)\noutput z f32",
			[]string{"h, g = Split(c) axis=1 num_outputs=3", "y = Add(x, g)", "z = Neg(h)"},
		},
		{
			"splits into sizes that are asked for", "opset 18\ninput x f32[1,9]\nh, g = Split(x) axis=1 num_outputs=3\ny = Shape(g)\nz = Neg(h)\noutput y i64\noutput z f32",
			[]string{"h, g = Split(x) axis=1 num_outputs=3", "y = Shape(g)", "z = Neg(h)"},
		},
	})
}
