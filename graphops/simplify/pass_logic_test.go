package simplify

import "testing"

func TestNeutralLogic(t *testing.T) {
	after{
		"And with true": {`
			input x bool[n]
			init t bool[] 1
			y = Not(x)
			a = And(t, y)
			z = Not(a)
			output z bool[n]
			output y bool[n]`, []string{"y = Not(x)", "z = Not(y)"}},
		"And with false, Or with true": {`
			input x bool[n]
			init t bool[] 1
			init f bool[] 0
			a = And(x, f)
			b = Or(a, t)
			output b bool[n]`, []string{"a = And(x, f)", "b = Or(a, t)"}},
		"Or with false": {`
			input x bool[n]
			init f bool[1] 0
			a = Not(x)
			b = Or(a, f)
			output b bool[n]`, []string{"b = Not(x)"}},
		"one more axis": {`
			input x bool[n]
			init f bool[1,1] 0
			a = Not(x)
			b = Or(a, f)
			output b bool[1,n]`, []string{"a = Not(x)", "b = Or(a, f)"}},
		"Not of Not": {`
			input x bool[n]
			a = Not(x)
			b = Not(a)
			c = Not(b)
			output c bool[n]`, []string{"c = Not(x)"}},
	}.run(t, neutralLogic)
}

func TestZeroStates(t *testing.T) {
	const start = `
			input x f32[s,n,2]
			init w f32[1,12,2] .1
			init r f32[1,12,4] .2
			init one i64[1] 1
			init four i64[1] 4
			init i i64[1] 1
			a = Shape(x)
			d = Gather(a, i)
			c = Concat(one, d, four) axis=0
	`
	after{
		"zeros": {start + `
			h = ConstantOfShape(c)
			y = GRU(x, w, r, , , h) hidden_size=4
			output y f32`, []string{"y = GRU(x, w, r) hidden_size=4"}},
		"ones": {start + `
			h = ConstantOfShape(c) value={f32[1] 1}
			y = GRU(x, w, r, , , h) hidden_size=4
			output y f32`, []string{"a = Shape(x)", "d = Gather(a, i)", "c = Concat(one, d, four) axis=0", "h = ConstantOfShape(c) value=kind(4)", "y = GRU(x, w, r, , , h) hidden_size=4"}},
		"-0": {start + `
			h = ConstantOfShape(c) value={f32[1] -0}
			y = GRU(x, w, r, , , h) hidden_size=4
			output y f32`, []string{"y = GRU(x, w, r) hidden_size=4"}},
	}.run(t, zeroStates)
}
