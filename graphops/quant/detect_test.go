package quant

import (
	"testing"

	"lathe/graphops/graphtest"
)

// decodedWeight is a product with a weight that a DequantizeLinear makes.
const decodedWeight = `
	input x f32[2,2]
	output y f32[2,2]
	init w i8[2,2] 1
	init s f32[] 0.5
	d = DequantizeLinear(w, s)
	t = Transpose(d)
	fc: y = MatMul(x, t)`

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		name, model       string
		quantized, rounds bool
	}{
		{"none", "input x f32[2]\noutput y f32\ny = Relu(x)", false, false},
		{"weights alone", decodedWeight, true, false},
		{"activations", "input x f32[2]\ninit s f32[] 0.5\nq = QuantizeLinear(x, s)\noutput y f32\ny = DequantizeLinear(q, s)", true, true},
		{"of ONNX Runtime", "input x u8[2]\ninit s f32[] 0.5\noutput y u8\ny = com.microsoft::QLinearSigmoid(x, s, x, s)", true, true},
		{"of somebody else", "input x f32[2]\noutput y f32\ny = com.acme::QuantizeLinear(x)", false, false},
		{"nearly the name", "input x f32[2]\noutput y f32\ny = com.microsoft::QuickGelu(x)", false, false},
	} {
		m := graphtest.Model(t, c.model)
		if IsQuantized(m) != c.quantized || Rounds(m) != c.rounds {
			t.Errorf("%s: quantized %v, rounds %v", c.name, IsQuantized(m), Rounds(m))
		}
	}
}

func TestAlready(t *testing.T) {
	m := graphtest.Model(t, `
		input x f32[2,2]
		output y f32[2,2]
		init w i8[2,2] 1
		init s f32[] 0.5
		q = QuantizeLinear(x, s)
		a = DequantizeLinear(q, s)
		d = DequantizeLinear(w, s)
		fc: y = MatMul(a, d)`)
	if got, want := Already(m).String(), "3 of 4 nodes compute with quantized values: 2 DequantizeLinear, 1 QuantizeLinear"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestDecoded(t *testing.T) {
	m := graphtest.Model(t, decodedWeight+"\nr = Relu(d)\nu = Reshape(r, s)")
	for name, want := range map[string]bool{"d": true, "t": true, "x": false, "w": false, "r": false, "u": false, "y": false, "": false, "nobody": false} {
		if Decoded(m.Graph(), name) != want {
			t.Errorf("%s: expected %v", name, want)
		}
	}
	cycle := graphtest.Model(t, "input x f32[2]\noutput y f32[2]\na = Identity(b)\nb = Identity(a)\ny = Add(x, a)")
	if Decoded(cycle.Graph(), "a") {
		t.Error("a cycle decodes nothing")
	}
}
