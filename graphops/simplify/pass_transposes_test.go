package simplify

import "testing"

func TestFoldTransposes(t *testing.T) {
	checkMovements(t, []movements{
		{"identity", "input x f32[?,?]\na = Transpose(x) perm=[0,1]\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"undone", "input x f32[?,?,?]\na = Transpose(x) perm=[1,2,0]\nb = Transpose(a) perm=[2,0,1]\ny = Relu(b)\noutput y f32", []string{"y = Relu(x)"}},
		{
			"composed", "input x f32[?,?,?]\na = Transpose(x) perm=[1,2,0]\nb = Transpose(a) perm=[1,2,0]\ny = Relu(b)\noutput y f32",
			[]string{"b = Transpose(x) perm=[2,0,1]", "y = Relu(b)"},
		},
		{
			"reversed by default", "input x f32[?,?,?]\na = Transpose(x)\nb = Transpose(a) perm=[0,2,1]\ny = Relu(b)\noutput y f32",
			[]string{"b = Transpose(x) perm=[2,0,1]", "y = Relu(b)"},
		},
		{
			"undone beside another reader", "input x f32[?,?]\na = Transpose(x)\nb = Transpose(a)\ny = Relu(b)\nz = Relu(a)\noutput y f32\noutput z f32",
			[]string{"a = Transpose(x)", "y = Relu(x)", "z = Relu(a)"},
		},
		{"not a permutation", "input x f32[2,2]\na = Transpose(x) perm=[0,0]\ny = Relu(a)\noutput y f32", []string{"a = Transpose(x) perm=[0,0]", "y = Relu(a)"}},
		{"of another rank", "input x f32[2,2]\na = Transpose(x) perm=[0,1,2]\ny = Relu(a)\noutput y f32", []string{"a = Transpose(x) perm=[0,1,2]", "y = Relu(a)"}},
		{"undone from input to output", "input x f32[?,?]\na = Transpose(x)\ny = Transpose(a)\noutput y f32", []string{"y = Transpose(x) perm=[0,1]"}},
	})
}

func TestMeetTransposes(t *testing.T) {
	checkMovements(t, []movements{
		{
			"around what is elementwise", "input x f32[?,?]\na = Transpose(x)\nb = Relu(a)\nc = Sigmoid(b)\ny = Transpose(c)\noutput y f32[?,?]",
			[]string{"b = Relu(x)", "y = Sigmoid(b)"},
		},
		{"around a scalar", "input x f32[?,?]\ninit h f32[1] 2\na = Transpose(x)\nb = Mul(h, a)\ny = Transpose(b)\noutput y f32[?,?]", []string{"y = Mul(h, x)"}},
		{
			"around a vector", "input x f32[?,2]\ninit h f32[2] 2 3\na = Transpose(x)\nb = Mul(h, a)\ny = Transpose(b)\noutput y f32[?,?]",
			[]string{"a = Transpose(x)", "b = Mul(h, a)", "y = Transpose(b)"},
		},
		{
			"around a square", "input x f32[?,?]\na = Transpose(x)\nb = Mul(a, a)\ny = Transpose(b)\noutput y f32[?,?]",
			[]string{"a = Transpose(x)", "b = Mul(a, a)", "y = Transpose(b)"},
		},
		{
			"what is between is read elsewhere", "input x f32[?,?]\na = Transpose(x)\nb = Relu(a)\ny = Transpose(b)\nz = Neg(b)\noutput y f32[?,?]\noutput z f32",
			[]string{"a = Transpose(x)", "b = Relu(a)", "y = Transpose(b)", "z = Neg(b)"},
		},
		{
			"around a new axis", "input x f32[?,?,?]\ninit o i64[1] 1\na = Transpose(x) perm=[2,0,1]\nb = Unsqueeze(a, o)\nc = Transpose(b) perm=[2,3,0,1]\ny = Relu(c)\noutput y f32",
			[]string{"c = Unsqueeze(x, c_axes)", "y = Relu(c)"},
		},
		{
			"around an axis that goes", "input x f32[?,?,1]\ninit o i64[1] 0\na = Transpose(x) perm=[2,1,0]\nb = Squeeze(a, o)\ny = Transpose(b)\noutput y f32",
			[]string{"y = Squeeze(x, b_axes)"},
		},
		{
			"around a softmax", "input x f32[?,?]\na = Transpose(x)\nb = Softmax(a)\ny = Transpose(b)\noutput y f32",
			[]string{"a = Transpose(x)", "b = Softmax(a)", "y = Transpose(b)"},
		},
	})
}
