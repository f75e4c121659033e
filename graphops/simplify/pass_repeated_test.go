package simplify

import "testing"

func TestRepeatedFunctions(t *testing.T) {
	checkMovements(t, []movements{
		{"not not", "input x bool[n]\na = Not(x)\nb = Not(a)\ny = And(b, x)\noutput y bool", []string{"y = And(x, x)"}},
		{"neg neg neg", "input x f32[n]\na = Neg(x)\nb = Neg(a)\ny = Neg(b)\noutput y f32", []string{"y = Neg(x)"}},
		{"relu relu", "input x f32[n]\na = Relu(x)\ny = Relu(a)\noutput y f32", []string{"y = Relu(x)"}},
		{"floor of ceil", "input x f32[n]\na = Ceil(x)\ny = Floor(a)\noutput y f32", []string{"y = Ceil(x)"}},
		{"relu of abs", "input x f32[n]\na = Abs(x)\ny = Relu(a)\noutput y f32", []string{"a = Abs(x)", "y = Relu(a)"}},
		{"both outputs", "input x f32[n]\na = Relu(x)\ny = Relu(a)\noutput y f32\noutput a f32", []string{"a = Relu(x)", "y = Relu(a)"}},
	})
}
