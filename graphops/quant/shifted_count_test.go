package quant

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestSignedProducts counts nodes as Shifted does.
func TestSignedProducts(t *testing.T) {
	const head = "opset ai.onnx 17\ninput x u8[2,4]\noutput y i32[2,2]\n"
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"int8":       {head + "init w i8[4,2] 1 2 3 4 5 6 7 8\ny = MatMulInteger(x, w)", 1},
		"uint8":      {head + "init w u8[4,2] 1 2 3 4 5 6 7 8\ny = MatMulInteger(x, w)", 0},
		"two":        {head + "init w i8[4,2] 1 2 3 4 5 6 7 8\na = MatMulInteger(x, w)\nb = MatMulInteger(x, w)\ny = Add(a, b)", 2},
		"also added": {head + "init w i8[4,2] 1 2 3 4 5 6 7 8\nb = Cast(w) to=6\ny = MatMulInteger(x, w)", 0},
		"none":       {head + "y = Cast(x) to=6", 0},
	} {
		m := graphtest.Model(t, c.text)
		var shifted *graphops.Model
		shifted, n, err := Shifted(m)
		if got := SignedProducts(m); err != nil || got != c.want || n != c.want || (shifted != m) != (c.want > 0) {
			t.Errorf("%s: %d nodes, Shifted changes %d, %v; expected %d", name, got, n, err, c.want)
		}
	}
}
