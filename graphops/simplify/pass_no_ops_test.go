package simplify

import "testing"

func TestNoOps(t *testing.T) {
	var cases []movements
	gone := func(name, text string) {
		cases = append(cases, movements{name, text + "\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}})
	}
	stays := func(name, text, node string) {
		cases = append(cases, movements{name, text + "\ny = Relu(a)\noutput y f32", []string{node, "y = Relu(a)"}})
	}
	gone("pad", "input x f32[n,2]\ninit p i64[4] 0\na = Pad(x, p) mode='reflect'")
	gone("pad of old", "opset 9\ninput x f32[n,2]\na = Pad(x) pads=[0,0,0,0]")
	stays("pad by one", "input x f32[n,2]\ninit p i64[4] 0 0 0 1\na = Pad(x, p)", "a = Pad(x, p)")
	stays("pad that cuts", "opset 9\ninput x f32[n,2]\na = Pad(x) pads=[0,0,0,-1]", "a = Pad(x) pads=[0,0,0,-1]")
	gone("expand", "input x f32[n,2]\ninit s i64[2] 1 2\na = Expand(x, s)")
	stays("expand by another axis", "input x f32[2]\ninit s i64[2] 1 2\na = Expand(x, s)", "a = Expand(x, s)")
	stays("expand of what may be one", "input x f32[n]\ninit s i64[1] 4\na = Expand(x, s)", "a = Expand(x, s)")
	gone("tile", "input x f32[n,2]\ninit s i64[2] 1 1\na = Tile(x, s)")
	stays("tile twice", "input x f32[n,2]\ninit s i64[2] 1 2\na = Tile(x, s)", "a = Tile(x, s)")
	gone("resize by one", "input x f32[1,1,n,n]\ninit s f32[4] 1\na = Resize(x, , s) mode='linear'")
	stays("resize by nearly one", "input x f32[1,1,4,4]\ninit s f32[4] 1 1 1 1.1\na = Resize(x, , s) mode='linear'", "a = Resize(x, , s) mode=linear")
	gone("resize to its sizes", "input x f32[1,1,4,4]\ninit s i64[4] 1 1 4 4\na = Resize(x, , , s) mode='cubic'")
	stays("resize of a region", "input x f32[1,1,4,4]\ninit r f32[8] 0 0 0 0 1 1 0.5 0.5\ninit s i64[4] 1 1 4 4\na = Resize(x, r, , s) coordinate_transformation_mode='tf_crop_and_resize'",
		"a = Resize(x, r, , s) coordinate_transformation_mode='tf_crop_and_resize'")
	stays("resize that moves by a half", "opset 11\ninput x f32[1,1,4,4]\ninit s f32[4] 1\na = Resize(x, s, s) coordinate_transformation_mode='tf_half_pixel_for_nn'",
		"a = Resize(x, s, s) coordinate_transformation_mode='tf_half_pixel_for_nn'")
	gone("upsample", "opset 9\ninput x f32[1,1,n,n]\ninit s f32[4] 1\na = Upsample(x, s)")
	gone("concat of one", "input x f32[n]\na = Concat(x) axis=0")
	gone("split into one", "input x f32[4]\na = Split(x)")
	gone("gather of all", "input x f32[n,3]\ninit i i64[3] 0 1 -1\na = Gather(x, i) axis=1")
	stays("gather of a few", "input x f32[n,3]\ninit i i64[2] 0 1\na = Gather(x, i) axis=1", "a = Gather(x, i) axis=1")
	stays("gather in another order", "input x f32[n,3]\ninit i i64[3] 0 2 1\na = Gather(x, i) axis=1", "a = Gather(x, i) axis=1")
	stays("gather of one at no axis", "input x f32[1,3]\ninit i i64[] 0\na = Gather(x, i)", "a = Gather(x, i)")
	gone("dropout", "input x f32[n]\na = Dropout(x)")
	gone("dropout of old", "opset 6\ninput x f32[n]\na = Dropout(x) is_test=1")
	stays("dropout that trained in old", "opset 6\ninput x f32[n]\na = Dropout(x)", "a = Dropout(x)")
	gone("dropout told not to train", "input x f32[n]\ninit r f32[] 0.5\ninit f bool[] 0\na = Dropout(x, r, f)")
	stays("dropout that trains", "input x f32[n]\ninit r f32[] 0.5\ninit f bool[] 1\na = Dropout(x, r, f)", "a = Dropout(x, r, f)")
	stays("dropout that is told", "input x f32[n]\ninput f bool[]\ninit r f32[] 0.5\na = Dropout(x, r, f)", "a = Dropout(x, r, f)")
	stays("dropout whose mask is wanted", "input x f32[n]\noutput m bool[n]\na, m = Dropout(x)", "a, m = Dropout(x)")
	gone("sum of one", "input x f32[n]\na = Sum(x)")
	stays("sum of two", "input x f32[n]\na = Sum(x, x)", "a = Sum(x, x)")
	gone("blocks of one", "input x f32[1,4,2,2]\na = DepthToSpace(x) blocksize=1")
	for i, c := range cases {
		for j, w := range c.want {
			if w == "a = Resize(x, , s) mode=linear" {
				cases[i].want[j] = "a = Resize(x, , s) mode='linear'"
			}
		}
	}
	checkMovements(t, cases)
}

func TestNeutralOperands(t *testing.T) {
	checkMovements(t, []movements{
		{"add nothing", "input x f32[n,2]\ninit c f32[2] 0\na = Add(c, x)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"add a number", "input x f32[n,2]\ninit c f32[2] 0 1\na = Add(c, x)\ny = Relu(a)\noutput y f32", []string{"a = Add(c, x)", "y = Relu(a)"}},
		{"add what makes it wider", "input x f32[2]\ninit c f32[3,2] 0\na = Add(x, c)\ny = Relu(a)\noutput y f32", []string{"a = Add(x, c)", "y = Relu(a)"}},
		{"add what may make it wider", "input x f32[n]\ninit c f32[3] 0\na = Add(x, c)\ny = Relu(a)\noutput y f32", []string{"a = Add(x, c)", "y = Relu(a)"}},
		{"add what the caller can replace", "input x f32[n]\ninput c f32[]\ninit c f32[] 0\na = Add(x, c)\ny = Relu(a)\noutput y f32", []string{"a = Add(x, c)", "y = Relu(a)"}},
		{"add a scalar to anything", "input x f32\ninit c f32[] 0\na = Add(x, c)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"subtract nothing", "input x f32[n]\ninit c f32[] 0\na = Sub(x, c)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"subtract from nothing", "input x f32[n]\ninit c f32[] 0\na = Sub(c, x)\ny = Relu(a)\noutput y f32", []string{"a = Sub(c, x)", "y = Relu(a)"}},
		{"divide one", "input x f32[n]\ninit c f32[] 1\na = Div(c, x)\ny = Relu(a)\noutput y f32", []string{"a = Div(c, x)", "y = Relu(a)"}},
		{"times one, divided by one, to the power of one", "input x f16[n]\ninit c f16[1] 1\ninit e i64[] 1\na = Mul(x, c)\nb = Div(a, c)\nd = Pow(b, e)\ny = Relu(d)\noutput y f16", []string{"y = Relu(x)"}},
		{"many elements", "input x f32[n,5000]\ninit c f32[5000] 1\na = Mul(x, c)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"and, or, xor", "input x bool[n]\ninit yes bool[] 1\ninit no bool[] 0\na = And(x, yes)\nb = Or(a, no)\nd = Xor(b, no)\ny = Not(d)\noutput y bool[n]", []string{"y = Not(x)"}},
		{"and no", "input x bool[n]\ninit no bool[] 0\na = And(x, no)\ny = Not(a)\noutput y bool[n]", []string{"a = And(x, no)", "y = Not(a)"}},
		{"where always", "input x f32[n]\ninput z f32[]\ninit yes bool[1] 1\ninit no bool[1] 0\na = Where(yes, x, z)\nb = Where(no, z, a)\ny = Relu(b)\noutput y f32[n]", []string{"y = Relu(x)"}},
		{"where always, but wider", "input x f32[]\ninput z f32[n]\ninit yes bool[1] 1\na = Where(yes, x, z)\ny = Relu(a)\noutput y f32[n]", []string{"a = Where(yes, x, z)", "y = Relu(a)"}},
	})
}

func TestStatesLeftOut(t *testing.T) {
	const made = "input x f32[seq,batch,4]\ninit w f32[1,8,4] 1\ninit r f32[1,8,8] 1\ninit z i64[] 1\ninit first i64[1] 0\ninit o i64[1] 1\ninit e i64[1] 8\n" +
		"s = Shape(x)\nb = Gather(s, z)\nu = Unsqueeze(b, first)\nd = Concat(o, u, e) axis=0\n"
	computed := []string{"s = Shape(x)", "b = Gather(s, z)", "u = Unsqueeze(b, first)", "d = Concat(o, u, e) axis=0"}
	checkMovements(t, []movements{
		{"zeros", made + "h = ConstantOfShape(d)\ng = Slice(h, first, o)\ny, _ = RNN(x, w, r, , , g) hidden_size=8\noutput y f32", []string{"y, _ = RNN(x, w, r) hidden_size=8"}},
		{
			"ones", made + "h = ConstantOfShape(d) value={f32[1] 1}\ny, _ = RNN(x, w, r, , , h) hidden_size=8\noutput y f32",
			append(computed[:4:4], "h = ConstantOfShape(d) value=kind(4)", "y, _ = RNN(x, w, r, , , h) hidden_size=8"),
		},
		{"given", "input x f32[seq,3,4]\ninput h f32[1,3,8]\ninit w f32[1,8,4] 1\ninit r f32[1,8,8] 1\ny, _ = RNN(x, w, r, , , h) hidden_size=8\noutput y f32", []string{"y, _ = RNN(x, w, r, , , h) hidden_size=8"}},
	})
}
