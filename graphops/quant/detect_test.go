package quant

import (
	"testing"

	"lathe/graphops/graphtest"
)

func TestRounds(t *testing.T) {
	for _, c := range []struct {
		name, model       string
		quantized, rounds bool
	}{
		{"none", "input x f32[2]\noutput y f32\ny = Relu(x)", false, false},
		{"weights alone", "input x f32[2,2]\ninit w i8[2,2] 1\ninit s f32[] 0.5\nd = DequantizeLinear(w, s)\noutput y f32\ny = MatMul(x, d)", true, false},
		{"activations", "input x f32[2]\ninit s f32[] 0.5\nq = QuantizeLinear(x, s)\noutput y f32\ny = DequantizeLinear(q, s)", true, true},
	} {
		m := graphtest.Model(t, c.model)
		if IsQuantized(m) != c.quantized || Rounds(m) != c.rounds {
			t.Errorf("%s: quantized %v, rounds %v", c.name, IsQuantized(m), Rounds(m))
		}
	}
}
