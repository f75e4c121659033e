package simplify

import "testing"

func TestFoldSlices(t *testing.T) {
	const whole = "init z i64[1] 0\ninit o i64[1] 1\ninit two i64[1] 2\ninit m i64[1] -1\ninit far i64[1] 9223372036854775807\n"
	checkMovements(t, []movements{
		{"everything", whole + "input x f32[?,n]\na = Slice(x, z, far, o)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"backwards", whole + "input x f32[3,n]\ninit lo i64[1] -99\na = Slice(x, m, lo, z, m)\ny = Relu(a)\noutput y f32", []string{"a = Slice(x, m, lo, z, m)", "y = Relu(a)"}},
		{"every second of one", whole + "input x f32[1,n]\na = Slice(x, z, far, z, two)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"up to a number that may be less", "init z i64[1] 0\ninit e i64[1] 8\ninput x f32[n]\na = Slice(x, z, e)\ny = Relu(a)\noutput y f32", []string{"a = Slice(x, z, e)", "y = Relu(a)"}},
		{"up to its own size", whole + "input x f32[n,m2]\ns = Shape(x)\ne = Gather(s, o)\na = Slice(x, z, e, o)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"from one up to its own size", whole + "input x f32[n,m2]\ns = Shape(x)\ne = Gather(s, o)\na = Slice(x, o, e, o)\ny = Relu(a)\noutput y f32", []string{"a = Slice(x, o, a_ends, o)", "y = Relu(a)"}},
		{"the last", whole + "input x f32[n,m2]\ns = Shape(x)\ne = Gather(s, o)\nb = Sub(e, o)\na = Slice(x, b, e, o)\ny = Relu(a)\noutput y f32", []string{"a = Slice(x, a_starts, a_ends, o)", "y = Relu(a)"}},
		{
			"the last two, of which there may be one", whole + "input x f32[n,m2]\ns = Shape(x)\ne = Gather(s, o)\nb = Sub(e, two)\na = Slice(x, b, far, o)\ny = Relu(a)\noutput y f32",
			[]string{"s = Shape(x)", "e = Gather(s, o)", "b = Sub(e, two)", "a = Slice(x, b, far, o)", "y = Relu(a)"},
		},
		{"up to the size of another", whole + "input x f32[n,m2]\ninput w f32[k]\ne = Shape(w)\na = Slice(x, z, e, o)\ny = Relu(a)\noutput y f32", []string{"e = Shape(w)", "a = Slice(x, z, e, o)", "y = Relu(a)"}},
		{"two axes", whole + "input x f32[n,9]\na = Slice(x, o, far, z)\nb = Slice(a, z, far, m, two)\ny = Relu(b)\noutput y f32", []string{"b = Slice(x, b_starts, b_ends, b_axes, b_steps)", "y = Relu(b)"}},
		{"one axis", whole + "input x f32[n]\ninit five i64[1] 5\na = Slice(x, two, far)\nb = Slice(a, o, five)\ny = Relu(b)\noutput y f32", []string{"b = Slice(x, b_starts, b_ends, b_axes)", "y = Relu(b)"}},
		{"one axis, from its end", whole + "input x f32[n]\na = Slice(x, two, far)\nb = Slice(a, m, far)\ny = Relu(b)\noutput y f32", []string{"a = Slice(x, two, far)", "b = Slice(a, m, far)", "y = Relu(b)"}},
		{"one axis of a known size, from its end", "opset 9\ninput x f32[9]\na = Slice(x) starts=[2] ends=[99]\nb = Slice(a) starts=[-3] ends=[-1]\ny = Relu(b)\noutput y f32", []string{"b = Slice(x) starts=[6] ends=[8] axes=[0]", "y = Relu(b)"}},
		{"read by another", whole + "input x f32[n]\na = Slice(x, two, far)\nb = Slice(a, o, far)\ny = Relu(b)\noutput y f32\noutput a f32", []string{"a = Slice(x, two, far)", "b = Slice(a, o, far)", "y = Relu(b)"}},
		{"thirty-two bits", "input x f32[n,k]\ninit o i32[1] 1\ns = Shape(x)\nc = Cast(s) to=6\ne = Gather(c, o)\na = Slice(x, o, e, o)\ny = Relu(a)\noutput y f32", []string{"a = Slice(x, o, a_ends, o)", "y = Relu(a)"}},
	})
}
