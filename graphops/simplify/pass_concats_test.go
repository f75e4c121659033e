package simplify

import "testing"

func TestFoldConcats(t *testing.T) {
	checkMovements(t, []movements{
		{"nested", "input x f32[n]\ninput z f32[m2]\na = Concat(x, z) axis=0\nb = Concat(a, x) axis=-1\ny = Concat(z, b) axis=0\noutput y f32", []string{"y = Concat(z, x, z, x) axis=0"}},
		{"another axis", "input x f32[n,2]\na = Concat(x, x) axis=0\ny = Concat(a, a) axis=1\noutput y f32", []string{"a = Concat(x, x) axis=0", "y = Concat(a, a) axis=1"}},
		{"another axis, once", "input x f32[2,2]\ninput z f32[4,2]\na = Concat(x, x) axis=0\ny = Concat(a, z) axis=1\noutput y f32", []string{"a = Concat(x, x) axis=0", "y = Concat(a, z) axis=1"}},
		{"read twice", "input x f32[n]\na = Concat(x, x) axis=0\ny = Concat(a, a) axis=0\noutput y f32", []string{"a = Concat(x, x) axis=0", "y = Concat(a, a) axis=0"}},
		{"nothing to add", "input x f32[n,2]\ninit e f32[0,2]\na = Concat(e, x, e) axis=0\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"parts in order", "input x f32[n,4]\na, b = Split(x) axis=1\nc = Concat(a, b) axis=-1\ny = Relu(c)\noutput y f32", []string{"y = Relu(x)"}},
		{"parts in another order", "input x f32[n,4]\na, b = Split(x) axis=1\nc = Concat(b, a) axis=1\ny = Relu(c)\noutput y f32", []string{"a, b = Split(x) axis=1", "c = Concat(b, a) axis=1", "y = Relu(c)"}},
		{"parts of which some are left out", "opset 18\ninput x f32[n,4]\na, b = Split(x) axis=1 num_outputs=3\nc = Concat(a, b) axis=1\ny = Relu(c)\noutput y f32", []string{"a, b = Split(x) axis=1 num_outputs=3", "c = Concat(a, b) axis=1", "y = Relu(c)"}},
		{"parts along another axis", "input x f32[n,4]\na, b = Split(x) axis=1\nc = Concat(a, b) axis=0\ny = Relu(c)\noutput y f32", []string{"a, b = Split(x) axis=1", "c = Concat(a, b) axis=0", "y = Relu(c)"}},
	})
}

func TestFoldReductions(t *testing.T) {
	checkMovements(t, []movements{
		{"of one, kept", "input x f32[n,1]\na = ReduceMean(x) axes=[1]\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"of one, dropped", "input x f32[n,1]\na = ReduceMax(x) axes=[-1] keepdims=0\ny = Relu(a)\noutput y f32", []string{"a = Squeeze(x, a_axes)", "y = Relu(a)"}},
		{"of one, made positive", "input x f32[n,1]\na = ReduceL2(x) axes=[1]\ny = Relu(a)\noutput y f32", []string{"a = ReduceL2(x) axes=[1]", "y = Relu(a)"}},
		{"of none", "input x f32[n,m2]\na = ReduceSum(x) noop_with_empty_axes=1\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"of all", "input x f32[n,m2]\na = ReduceSum(x)\ny = Relu(a)\noutput y f32", []string{"a = ReduceSum(x)", "y = Relu(a)"}},
		{"of several", "input x f32[n,m2]\na = ReduceMean(x) axes=[1]\ny = Relu(a)\noutput y f32", []string{"a = ReduceMean(x) axes=[1]", "y = Relu(a)"}},
		{"unsqueezed", "input x f32[?,?]\ninit o i64[1] 1\na = ReduceMean(x) axes=[1] keepdims=0\nu = Unsqueeze(a, o)\ny = Relu(u)\noutput y f32", []string{"a = ReduceMean(x) axes=[1] keepdims=1", "y = Relu(a)"}},
		{"unsqueezed at another axis", "input x f32[?,?]\ninit o i64[1] 0\na = ReduceMean(x) axes=[1] keepdims=0\nu = Unsqueeze(a, o)\ny = Relu(u)\noutput y f32", []string{"a = ReduceMean(x) axes=[1] keepdims=0", "u = Unsqueeze(a, o)", "y = Relu(u)"}},
		{"squeezed", "input x f32[?,?,?]\ninit o i64[1] 1\na = ArgMax(x) axis=1\nu = Squeeze(a, o)\ny = Neg(u)\noutput y i64", []string{"a = ArgMax(x) axis=1 keepdims=0", "y = Neg(a)"}},
		{"flattened", "input x f32[n,4,5,5]\na = ReduceMean(x) axes=[2,3]\nu = Flatten(a)\ny = Relu(u)\noutput y f32", []string{"a = ReduceMean(x) axes=[2,3] keepdims=0", "y = Relu(a)"}},
		{"squeezed, but read by another", "input x f32[?,?]\ninit o i64[1] 1\na = ReduceMean(x) axes=[1]\nu = Squeeze(a, o)\ny = Neg(u)\nz = Neg(a)\noutput y f32\noutput z f32", []string{"a = ReduceMean(x) axes=[1]", "u = Squeeze(a, o)", "y = Neg(u)", "z = Neg(a)"}},
	})
}
