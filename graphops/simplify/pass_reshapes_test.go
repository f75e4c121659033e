package simplify

import "testing"

func TestFoldReshapes(t *testing.T) {
	checkMovements(t, []movements{
		{"same shape by numbers", "input x f32[2,3]\ninit s i64[2] 2 -1\na = Reshape(x, s)\ny = Relu(a)\noutput y f32[2,3]", []string{"y = Relu(x)"}},
		{"same shape by copies", "input x f32[batch,seq]\ninit s i64[2] 0 0\na = Reshape(x, s)\ny = Relu(a)\noutput y f32[batch,seq]", []string{"y = Relu(x)"}},
		{
			"unknown sizes are not the same", "input x f32[?,?]\ninput z f32[?,?]\nb = Shape(z)\na = Reshape(x, b)\ny = Relu(a)\noutput y f32[?,?]",
			[]string{"b = Shape(z)", "a = Reshape(x, b)", "y = Relu(a)"},
		},
		{"flatten of two axes", "input x f32[batch,4]\na = Flatten(x)\ny = Relu(a)\noutput y f32[batch,4]", []string{"y = Relu(x)"}},
		{"flatten of more", "input x f32[batch,4,2]\na = Flatten(x)\ny = Relu(a)\noutput y f32[batch,8]", []string{"a = Flatten(x)", "y = Relu(a)"}},
		{
			"two reshapes", "input x f32[2,12]\ninit s i64[3] 4 3 2\ninit r i64[2] 6 4\na = Reshape(x, s)\nb = Reshape(a, r)\ny = Relu(b)\noutput y f32[6,4]",
			[]string{"b = Reshape(x, r)", "y = Relu(b)"},
		},
		{
			"the second copies an axis of the first", "input x f32[batch,12]\ninit s i64[3] -1 3 4\ninit r i64[2] 0 12\na = Reshape(x, s)\nb = Reshape(a, r)\ny = Relu(b)\noutput y f32[batch,12]",
			[]string{"y = Relu(x)"},
		},
		{
			"an axis copied that moves", "input x f32[6,batch]\ninit s i64[3] -1 2 3\ninit r i64[3] 0 3 2\na = Reshape(x, s)\nb = Reshape(a, r)\ny = Relu(b)\noutput y f32[batch,3,2]",
			[]string{"b = Reshape(x, b_shape)", "y = Relu(b)"},
		},
		{
			"allowzero", "opset 14\ninput x f32[0,4]\ninit s i64[2] 4 0\ninit r i64[3] 0 2 2\na = Reshape(x, s) allowzero=1\nb = Reshape(a, r) allowzero=1\ny = Relu(b)\noutput y f32[0,2,2]",
			[]string{"b = Reshape(x, r) allowzero=1", "y = Relu(b)"},
		},
		{
			"no elements and a rest", "input x f32[n,4]\ninput i i64[k]\nz = NonZero(i)\nr = Squeeze(z, zero)\ninit zero i64[1] 0\ninit s i64[2] -1 2\na = Gather(x, r)\nq = Shape(a)\nb = Reshape(a, s)\nc = Reshape(b, q)\ny = Relu(c)\noutput y f32[?,4]",
			[]string{"z = NonZero(i)", "r = Squeeze(z, zero)", "a = Gather(x, r)", "y = Relu(a)"},
		},
		{
			"two readers, both views", "input x f32[2,12]\ninit s i64[3] 4 3 2\ninit r i64[2] 6 4\ninit q i64[1] -1\na = Reshape(x, s)\nb = Reshape(a, r)\nc = Reshape(a, q)\ny = Relu(b)\nz = Relu(c)\noutput y f32[6,4]\noutput z f32[24]",
			[]string{"b = Reshape(x, r)", "c = Reshape(x, q)", "y = Relu(b)", "z = Relu(c)"},
		},
		{
			"two readers, one is none", "input x f32[2,12]\ninit s i64[3] 4 3 2\ninit r i64[2] 6 4\na = Reshape(x, s)\nb = Reshape(a, r)\ny = Relu(b)\nz = Relu(a)\noutput y f32[6,4]\noutput z f32[4,3,2]",
			[]string{"a = Reshape(x, s)", "b = Reshape(a, r)", "y = Relu(b)", "z = Relu(a)"},
		},
		{
			"an output between", "input x f32[2,12]\ninit s i64[3] 4 3 2\ninit r i64[2] 6 4\na = Reshape(x, s)\ny = Reshape(a, r)\noutput y f32[6,4]\noutput a f32[4,3,2]",
			[]string{"a = Reshape(x, s)", "y = Reshape(a, r)"},
		},
		{"input to output", "input x f32[2,3]\ninit s i64[1] -1\ninit r i64[2] 2 3\na = Reshape(x, s)\ny = Reshape(a, r)\noutput y f32[2,3]", []string{"y = Reshape(x, r)"}},
		{
			"its shape is what it reshapes", "input x i64[1,2]\ninit s i64[1] -1\ninit r i64[2] 1 2\na = Reshape(x, s)\ny = Reshape(a, a)\noutput y i64[?,?]",
			[]string{"a = Reshape(x, s)", "y = Reshape(a, a)"},
		},
	})
}

func TestSqueezes(t *testing.T) {
	checkMovements(t, []movements{
		{"unsqueezed and squeezed", "input x f32[?,?]\ninit a i64[1] 1\nu = Unsqueeze(x, a)\ns = Squeeze(u, a)\ny = Relu(s)\noutput y f32[?,?]", []string{"y = Relu(x)"}},
		{"squeezed and unsqueezed", "input x f32[?,1,?]\ninit a i64[1] 1\nu = Squeeze(x, a)\ns = Unsqueeze(u, a)\ny = Relu(s)\noutput y f32[?,1,?]", []string{"y = Relu(x)"}},
		{
			"unsqueezed twice", "input x f32[?,?]\ninit a i64[1] 0\ninit b i64[1] -1\nu = Unsqueeze(x, a)\ns = Unsqueeze(u, b)\ny = Relu(s)\noutput y f32[1,?,?,1]",
			[]string{"s = Unsqueeze(x, s_axes)", "y = Relu(s)"},
		},
		{
			"unsqueezed twice by attributes", "opset 11\ninput x f32[?,?]\nu = Unsqueeze(x) axes=[0]\ns = Unsqueeze(u) axes=[0,4]\ny = Relu(s)\noutput y f32[1,1,?,?,1]",
			[]string{"s = Unsqueeze(x) axes=[0,1,4]", "y = Relu(s)"},
		},
		{
			"squeezed twice", "opset 11\ninput x f32[1,?,1,?]\nu = Squeeze(x) axes=[2]\ns = Squeeze(u) axes=[0]\ny = Relu(s)\noutput y f32[?,?]",
			[]string{"s = Squeeze(x) axes=[0,2]", "y = Relu(s)"},
		},
		{
			"squeezed of what may be 1", "opset 11\ninput x f32[1,n]\nu = Unsqueeze(x) axes=[2]\ns = Squeeze(u)\ny = Relu(s)\noutput y f32",
			[]string{"u = Unsqueeze(x) axes=[2]", "s = Squeeze(u)", "y = Relu(s)"},
		},
		{
			"mixed, with one unknown", "input x f32[1,n]\ninit a i64[1] 0\ninit b i64[1] 1\nu = Squeeze(x, a)\ns = Unsqueeze(u, b)\ny = Relu(s)\noutput y f32[n,1]",
			[]string{"s = Reshape(x, s_shape)", "y = Relu(s)"},
		},
		{
			"mixed, with two unknown", "input x f32[1,?,?]\ninit a i64[1] 0\ninit b i64[1] 2\nu = Squeeze(x, a)\ns = Unsqueeze(u, b)\ny = Relu(s)\noutput y f32[?,?,1]",
			[]string{"u = Squeeze(x, a)", "s = Unsqueeze(u, b)", "y = Relu(s)"},
		},
		{
			"axes that the caller can replace", "input x f32[1,?,1]\ninput a i64[1]\ninit a i64[1] 0\ninit b i64[1] 0\nu = Squeeze(x, a)\ns = Unsqueeze(u, b)\ny = Relu(s)\noutput y f32",
			[]string{"u = Squeeze(x, a)", "s = Unsqueeze(u, b)", "y = Relu(s)"},
		},
		{"ones that trade places", "input x f32[1,n,1]\nt = Transpose(x) perm=[2,1,0]\ny = Relu(t)\noutput y f32[1,n,1]", []string{"y = Relu(x)"}},
		{
			"a one moved, then a reshape", "input x f32[n,1,4]\ninit s i64[2] 0 2\ninit r i64[3] -1 2 2\nt = Transpose(x) perm=[1,0,2]\nu = Reshape(t, r)\ny = Relu(u)\noutput y f32[n,2,2]",
			[]string{"u = Reshape(x, r)", "y = Relu(u)"},
		},
		{
			"more than ones moved", "input x f32[n,3,4]\ninit r i64[3] -1 2 2\nt = Transpose(x) perm=[1,0,2]\nu = Reshape(t, r)\ny = Relu(u)\noutput y f32",
			[]string{"t = Transpose(x) perm=[1,0,2]", "u = Reshape(t, r)", "y = Relu(u)"},
		},
	})
}

func TestConstantShapes(t *testing.T) {
	const heads = `
		input x f32[batch,seq,12]
		init zero i64[] 0
		init one i64[] 1
		init first i64[1] 0
		init tail i64[2] 3 4
		s = Shape(x)
		b = Gather(s, zero)
		n = Gather(s, one)
		c = Unsqueeze(b, first)
		d = Unsqueeze(n, first)
		`
	checkMovements(t, []movements{
		{"heads split off", heads + "r = Concat(c, d, tail) axis=0\nh = Reshape(x, r)\ny = Relu(h)\noutput y f32[batch,seq,3,4]", []string{"h = Reshape(x, h_shape)", "y = Relu(h)"}},
		{"batch and sequence joined", heads + "m = Mul(c, d)\nr = Concat(m, tail) axis=0\nh = Reshape(x, r)\ny = Relu(h)\noutput y f32", []string{"h = Reshape(x, h_shape)", "y = Relu(h)"}},
		{
			"two that change places", heads + "r = Concat(d, c, tail) axis=0\nh = Reshape(x, r)\ny = Relu(h)\noutput y f32",
			[]string{"s = Shape(x)", "b = Gather(s, zero)", "n = Gather(s, one)", "c = Unsqueeze(b, first)", "d = Unsqueeze(n, first)", "r = Concat(d, c, tail) axis=0", "h = Reshape(x, r)", "y = Relu(h)"},
		},
		{
			"expand of an axis that stays", "input x f32[batch,1]\ninit four i64[1] 4\ninit z i64[1] 0\ninit o i64[1] 1\ns = Shape(x)\nb = Slice(s, z, o)\nr = Concat(b, four) axis=0\ne = Expand(x, r)\ny = Relu(e)\noutput y f32[batch,4]",
			[]string{"e = Expand(x, e_shape)", "y = Relu(e)"},
		},
		{
			"expand to another's axis", "input x f32[1,4]\ninput w f32[batch,4]\ns = Shape(w)\ne = Expand(x, s)\ny = Relu(e)\noutput y f32[batch,4]",
			[]string{"s = Shape(w)", "e = Expand(x, s)", "y = Relu(e)"},
		},
	})
}
