package shape_test

import "testing"

func TestLoops(t *testing.T) {
	body := func(lines string) string { return "graph b\ninput i i64[]\ninput c bool[]\n" + lines + "\nend\n" }
	check(t, []example{
		{name: "a known number of trips", model: body("input s f32[]\nc2 = Identity(c)\nr = Add(s, s)\nq = Identity(x)\noutput c2\noutput r\noutput q") + `
			input x f32[batch,4]
			input s0 f32[3]
			init m i64[] 5
			init yes bool[] 1
			y, z = Loop(m, yes, s0) body=@b
		`, fresh: true, want: map[string]string{"y": "f32 3", "z": "f32 5×batch×4"}},
		{name: "as many as a size", model: body("c2 = Identity(c)\nq = Identity(i)\noutput c2\noutput q") + `
			input x f32[batch,4]
			init zero i64[] 0
			init yes bool[] 1
			s = Shape(x)
			m = Gather(s, zero)
			z = Loop(m, yes) body=@b
			w = Loop(m, ) body=@b
		`, want: map[string]string{"z": "i64 batch", "w": "i64 batch"}},
		{name: "a condition that may be false at once", model: body("c2 = Identity(c)\nq = Identity(i)\noutput c2\noutput q") + `
			input go bool[]
			init m i64[] 5
			z = Loop(m, go) body=@b
		`, want: map[string]string{"z": "i64 ?"}},
		{name: "a condition from data", model: body("z = Cast(i) to=9\nc2 = Not(z)\nq = Identity(i)\noutput c2\noutput q") + `
			init m i64[] 5
			init yes bool[] 1
			z = Loop(m, yes) body=@b
		`, want: map[string]string{"q": "i64 scalar"}},
		{name: "without a limit", model: body("c2 = Identity(c)\nq = Identity(i)\noutput c2\noutput q") + `
			init yes bool[] 1
			z = Loop(, yes) body=@b
		`, want: map[string]string{"z": "i64 ?"}},
		{name: "what grows", model: body("input s f32[]\ninput k f32[]\nr = Concat(s, x) axis=0\nkk = Neg(k)\nc2 = Identity(c)\noutput c2\noutput r\noutput kk") + `
			input x f32[2,seq]
			init m i64[] 5
			init yes bool[] 1
			y, k2 = Loop(m, yes, x, x) body=@b
		`, fresh: true, want: map[string]string{"y": "f32 ?×seq", "k2": "f32 2×seq", "r": "f32 ?×seq"}},
		{name: "what changes its rank", model: body("input s f32\nr = Unsqueeze(s, z)\nc2 = Identity(c)\noutput c2\noutput r") + `
			input x f32[2,seq]
			init z i64[1] 0
			init m i64[] 5
			init yes bool[] 1
			y = Loop(m, yes, x) body=@b
		`, want: map[string]string{"y": "f32 ?"}},
		{name: "one that runs once", model: body("input s f32\nr = Concat(s, x) axis=0\nc2 = Identity(c)\noutput c2\noutput r") + `
			input x f32[2,seq]
			init m i64[] 1
			init yes bool[] 1
			y = Loop(m, yes, x) body=@b
		`, want: map[string]string{"y": "f32 4×seq"}},
		{name: "two that are equal at first", model: body("input a f32\ninput d f32\nn = Concat(d, d) axis=0\ns = Shape(a)\nt = Shape(d)\ndiff = Sub(s, t)\nc2 = Identity(c)\noutput c2\noutput a\noutput n\noutput diff") + `
			input x f32[n]
			init m i64[] 5
			init yes bool[] 1
			y, z, w = Loop(m, yes, x, x) body=@b
		`, want: map[string]string{"y": "f32 n", "z": "f32 ?", "diff": "i64 1 = [?]"}},
		{name: "two that are both not known, and equal", model: body("input a f32\ninput d f32\nn = Concat(d, d) axis=1\ns = Shape(a)\nt = Shape(d)\ndiff = Sub(s, t)\nc2 = Identity(c)\noutput c2\noutput a\noutput n\noutput diff") + `
			input data bool[k]
			u = NonZero(data)
			init m i64[] 5
			init yes bool[] 1
			y, z, w = Loop(m, yes, u, u) body=@b
		`, want: map[string]string{"y": "i64 1×?", "diff": "i64 2 = [0 ?]"}},
		{name: "a loop in a loop", model: "graph inner\ninput j i64[]\ninput c3 bool[]\ninput t f32\nc4 = Identity(c3)\nt2 = Concat(t, x) axis=0\noutput c4\noutput t2\noutput x2\nx2 = Neg(x)\nend\n" +
			body("input s f32\nc2 = Identity(c)\nr, st = Loop(m, yes, s) body=@inner\noutput c2\noutput r\noutput st") + `
			input x f32[2,seq]
			init m i64[] 3
			init yes bool[] 1
			y, z = Loop(m, yes, x) body=@b
		`, want: map[string]string{"y": "f32 ?×seq", "z": "f32 3×3×2×seq"}},
	})
}

// TestLoopRanks has bodies that declare axes of what the Loop gives them. ONNX Runtime
// 1.30 then makes a vector of one element, however many axes there are.
func TestLoopRanks(t *testing.T) {
	body := func(i, c string) string {
		return "graph b\ninput i i64" + i + "\ninput c bool" + c + "\nc2 = Identity(c)\nq = Identity(i)\nr = Identity(c)\noutput c2\noutput q\noutput r\nend\ninit m i64[1] 5\n"
	}
	check(t, []example{
		{name: "number of rank 1", model: body("[1]", "[]") + "init yes bool[] 1\ny, z = Loop(m, yes) body=@b", want: map[string]string{"y": "i64 5×1", "z": "bool 5"}},
		{name: "number of rank 2", model: body("[a,b]", "[]") + "init yes bool[] 1\ny, z = Loop(m, yes) body=@b", want: map[string]string{"y": "i64 5×1", "z": "bool 5"}},
		{name: "condition of rank 1", model: body("[]", "[1]") + "init yes bool[1] 1\ny, z = Loop(m, yes) body=@b", want: map[string]string{"y": "i64 5", "z": "bool 5×1"}},
		{name: "condition of rank 1 that the body does not declare", model: body("[]", "") + "init yes bool[1] 1\ny, z = Loop(m, yes) body=@b", want: map[string]string{"z": "bool 5×1"}},
		{name: "without a condition", model: body("[1]", "[1]") + "y, z = Loop(m, ) body=@b", want: map[string]string{"y": "i64 5×1", "z": "bool 5×1"}},
		{
			name: "condition of another rank", model: body("[]", "[]") + "init yes bool[1] 1\ny, z = Loop(m, yes) body=@b",
			problems: []string{`input "c" of the body is bool scalar`},
		},
	})
}

func TestScan(t *testing.T) {
	body := "graph b\ninput s f32\ninput r f32\ns2 = Add(s, r)\no = Identity(r)\noutput s2\noutput o\nend\n"
	check(t, []example{
		{
			name: "over the first axis", model: body + "input x f32[seq,batch,4]\ninput s0 f32[batch,4]\ny, z = Scan(s0, x) body=@b num_scan_inputs=1",
			want: map[string]string{"y": "f32 batch×4", "z": "f32 seq×batch×4", "r": "f32 batch×4"},
		},
		{
			name: "over other axes", model: body + "input x f32[batch,seq,4]\ninput s0 f32[batch,4]\ny, z = Scan(s0, x) body=@b num_scan_inputs=1 scan_input_axes=[-2] scan_output_axes=[-1]",
			want: map[string]string{"y": "f32 batch×4", "z": "f32 batch×4×seq"},
		},
		{
			name: "of version 8", model: "opset 8\n" + body + "input x f32[batch,seq,4]\ninput s0 f32[batch,4]\ny, z = Scan(, s0, x) body=@b num_scan_inputs=1",
			want: map[string]string{"y": "f32 batch×4", "z": "f32 batch×seq×4"},
		},
		{
			name: "an axis that is not there", model: body + "input x f32[batch,seq,4]\ninput s0 f32[batch,4]\ny, z = Scan(s0, x) body=@b num_scan_inputs=1 scan_input_axes=[5]",
			want: map[string]string{"y": "f32 ?"}, problems: []string{"there is no axis 5 in a tensor of rank 3"},
		},
	})
}

func TestFunctions(t *testing.T) {
	check(t, []example{
		{name: "called twice", model: `
			opset f 1
			function f Double(a) -> (b)
			c = Concat(a, a) axis=0
			b = Neg(c)
			end
			input x f32[batch,4]
			input z f32[seq,4]
			y = f::Double(x)
			w = f::Double(z)
		`, want: map[string]string{"y": "f32 (2*batch)×4", "w": "f32 (2*seq)×4", "c": "f32 ?×4"}},
		{name: "one in another", model: `
			opset f 1
			function f Double(a) -> (b)
			b = Concat(a, a) axis=0
			end
			function f Four(a) -> (b)
			c = f::Double(a)
			b = f::Double(c)
			end
			input x f32[batch,4]
			y = f::Four(x)
		`, want: map[string]string{"y": "f32 (4*batch)×4"}},
		{name: "with a body, called twice", model: `
			opset f 1
			graph yes
			n = Neg(a)
			output n
			end
			function f Maybe(a, c) -> (b)
			b = If(c) then_branch=@yes else_branch=@yes
			end
			input x f32[batch,4]
			input z f32[3,4]
			input c bool[]
			y = f::Maybe(x, c)
			w = f::Maybe(z, c)
		`, want: map[string]string{"y": "f32 batch×4", "w": "f32 3×4", "n": "f32 ?×4"}},
		{name: "data goes in and out", model: `
			opset f 1
			function f Half(s) -> (h)
			two = Constant() value={i64[1] 2}
			h = Div(s, two)
			end
			input x f32[batch,4]
			s = Shape(x)
			h = f::Half(s)
			y = ConstantOfShape(h)
		`, want: map[string]string{"y": "f32 floor(batch/2)×2"}},
		{
			name: "calling itself", model: "opset f 1\nfunction f F(a) -> (b)\nb = f::F(a)\nend\ninput x f32[4]\ny = f::F(x)\nz = Neg(x)",
			want: map[string]string{"y": "?", "z": "f32 4"}, problems: []string{`function "F" calls itself`},
		},
	})
}

func TestDeclared(t *testing.T) {
	check(t, []example{
		{
			name: "fills in", model: "input x f32[batch,4]\nvalue h f32[batch,8]\nh = com.example::Op(x)\ny = Neg(h)\noutput z f32[n]\nz = com.example::Op(x)",
			want: map[string]string{"h": "f32 batch×8", "y": "f32 batch×8", "z": "f32 n"},
		},
		{
			name: "is left out", fresh: true, model: "input x f32[batch,4]\nvalue h f32[batch,8]\nh = com.example::Op(x)\ny = Neg(h)",
			want: map[string]string{"h": "?", "y": "undefined ?"},
		},
		{
			name: "contradicts", model: "input x f32[2,4]\nvalue h f32[2,5]\nneg: h = Neg(x)\ny = Neg(h)",
			want: map[string]string{"h": "f32 2×4", "y": "f32 2×4"}, problems: []string{`node "neg" (Neg): output "h" is f32 2×4 according to its inputs, but declared as f32 2×5: axis 1 is 4 and 5`},
		},
		{
			name: "contradicts in rank and type", model: "input x f32[2,4]\nvalue h f32[2]\nvalue g i64[2,4]\nh = Neg(x)\ng = Neg(x)",
			problems: []string{"ranks 2 and 1", "the types differ"},
		},
		{
			name: "is left out, and contradicts nothing", fresh: true, model: "input x f32[2,4]\nvalue h f32[2,5]\nh = Neg(x)",
			want: map[string]string{"h": "f32 2×4"},
		},
		{name: "another symbol", model: "input x f32[batch,4]\nvalue h f32[N,4]\nh = Neg(x)", want: map[string]string{"h": "f32 batch×4"}},
		{name: "an initializer that is an input", model: "input s i64[2]\ninit s i64[2] 3 4\ny = ConstantOfShape(s)", want: map[string]string{"y": "f32 3×4"}},
		{name: "out of order", model: "input x f32[batch,4]\ny = Neg(h)\nh = Flatten(x) axis=0", want: map[string]string{"y": "f32 1×(4*batch)"}},
		{name: "a cycle", model: "input x f32[batch,4]\na = Add(x, b)\nb = Neg(a)\nc = Neg(x)", want: map[string]string{"c": "f32 batch×4", "b": "f32 ?"}, problems: []string{"the graph has a cycle"}},
		{
			name: "a name inside that hides one outside", model: "input x f32[batch,4]\ninput c bool[]\ngraph g\nh = Flatten(x) axis=0\noutput h\nend\nh = Neg(x)\ny = If(c) then_branch=@g else_branch=@g\nz = Neg(h)",
			want: map[string]string{"h": "f32 batch×4", "y": "f32 1×(4*batch)", "z": "f32 batch×4"},
		},
		{
			name: "a value from two graphs around", model: "input x f32[batch,4]\ninput c bool[]\ngraph inner\nq = Flatten(x) axis=0\noutput q\nend\ngraph g\nh = If(c) then_branch=@inner else_branch=@inner\noutput h\nend\ny = If(c) then_branch=@g else_branch=@g",
			want: map[string]string{"y": "f32 1×(4*batch)", "q": "f32 1×(4*batch)"},
		},
	})
}
