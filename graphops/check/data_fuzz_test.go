package check

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// FuzzStored reads whatever tensors some bytes hold.
func FuzzStored(f *testing.F) {
	f.Add(graphtest.Bytes(f, "sparse s f32[4] 3 at 1\ninit w f32[2] 1\ninit q u4[3] 1\nk = Constant() value={f32[2] 1 2}\na = Add(w, k)\ny = Add(a, s)\noutput y f32"))
	f.Add(graphtest.Bytes(f, "input x f32[batch,4]\ninit s i64[2] 1 -1\nh = Reshape(x, s)\nt = Constant() value={bool 1}\ny = Dropout(h, , t)\noutput y f32"))
	f.Add(graphtest.Bytes(f, "init q u8[2,3] 1\ninit s f32[3] 0\nd = DequantizeLinear(q, s) axis=0\ny = Cast(d) to=10\noutput y f32"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := graphops.Decode(b)
		if err != nil {
			return
		}
		list, err := Model(t.Context(), m, Options{Weights: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range list {
			_ = p.String()
		}
	})
}
