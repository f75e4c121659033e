package simplify

import "testing"

func TestFoldClips(t *testing.T) {
	checkMovements(t, []movements{
		{"relu6", "input x f32[n]\ninit z f32[] 0\ninit s f32[] 6\na = Relu(x)\ny = Clip(a, z, s)\noutput y f32", []string{"y = Clip(x, z, s)"}},
		{"relu of a clip", "input x f32[n]\ninit z f32[] -1\ninit s f32[] 6\na = Clip(x, z, s)\ny = Relu(a)\noutput y f32", []string{"y = Clip(x, y_bound, s)"}},
		{"relu of a clip without a low", "input x f16[n]\ninit s f16[] 6\na = Clip(x, , s)\ny = Relu(a)\noutput y f16", []string{"y = Clip(x, y_bound, s)"}},
		{"clip of a clip", "input x f32[n]\ninit z f32[] -1\ninit s f32[] 6\ninit w f32[] 3\na = Clip(x, z, s)\ny = Clip(a, , w)\noutput y f32", []string{"y = Clip(x, z, w)"}},
		{"old", "opset 6\ninput x f32[n]\na = Clip(x) min=-1.0 max=4.0\ny = Clip(a) max=3.0\noutput y f32", []string{"y = Clip(x) min=-1 max=3"}},
		{"bounds that cross", "input x f32[n]\ninit z f32[] -1\ninit s f32[] 6\ninit w f32[] -3\na = Clip(x, z, s)\ny = Clip(a, , w)\noutput y f32", []string{"a = Clip(x, z, s)", "y = Clip(a, , w)"}},
		{"a bound that is computed", "input x f32[n]\ninput w f32[]\na = Relu(x)\ny = Clip(a, w)\noutput y f32", []string{"a = Relu(x)", "y = Clip(a, w)"}},
		{"read by another", "input x f32[n]\ninit z f32[] 0\ninit s f32[] 6\na = Relu(x)\ny = Clip(a, z, s)\noutput y f32\noutput a f32", []string{"a = Relu(x)", "y = Clip(a, z, s)"}},
		{"of integers", "input x i32[n]\ninit z i32[] 1\na = Clip(x, z)\ny = Clip(a, z)\noutput y i32", []string{"a = Clip(x, z)", "y = Clip(a, z)"}},
	})
}
