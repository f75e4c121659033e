package nbits

import (
	"testing"

	"lathe/graphops/graphtest"
)

// TestPadding counts the codes that columns have for numbers that do not exist.
func TestPadding(t *testing.T) {
	const head = "opset com.microsoft 1\ninput x f32[1,33]\noutput y f32[1,8]\ninit w u8[1]\ninit s f32[1]\n"
	for name, c := range map[string]struct {
		text    string
		weights int
		bytes   int64
	}{
		"full blocks":       {head + "y = com.microsoft::MatMulNBits(x, w, s) K=64 N=8 bits=4 block_size=32", 0, 0},
		"4 bits":            {head + "y = com.microsoft::MatMulNBits(x, w, s) K=33 N=8 bits=4 block_size=32", 1, 8 * 31 / 2},
		"8 bits":            {head + "y = com.microsoft::MatMulNBits(x, w, s) K=33 N=8 bits=8 block_size=32", 1, 8 * 31},
		"a shared weight":   {head + "a = com.microsoft::MatMulNBits(x, w, s) K=33 N=8 bits=8 block_size=32\ny = com.microsoft::MatMulNBits(x, w, s) K=33 N=8 bits=8 block_size=32", 1, 8 * 31},
		"without sizes":     {head + "y = com.microsoft::MatMulNBits(x, w, s)", 0, 0},
		"impossible sizes":  {head + "y = com.microsoft::MatMulNBits(x, w, s) K=-33 N=-8 bits=4 block_size=32", 0, 0},
		"too large numbers": {head + "y = com.microsoft::MatMulNBits(x, w, s) K=9223372036854775807 N=9223372036854775807 bits=4 block_size=32", 0, 0},
		"another operator":  {head + "y = MatMul(x, w)", 0, 0},
	} {
		weights, bytes := Padding(graphtest.Model(t, c.text))
		if weights != c.weights || bytes != c.bytes {
			t.Errorf("%s: %d weights, %d bytes, expected %d and %d", name, weights, bytes, c.weights, c.bytes)
		}
	}
}
