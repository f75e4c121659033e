package shape

import (
	"testing"

	"lathe/graphops/graphtest"
)

// TestReplaceable has initializers that are inputs, too: of IR version 4 or more the
// caller can feed another tensor of the declared type, so nothing follows from them.
func TestReplaceable(t *testing.T) {
	const text = "input x f32[2,3]\ninput s i64[2]\ninit s i64[2] 3 2\ninput w f32[n]\ninit w f32[5] 1\na = Reshape(x, s)\nb = Relu(w)\noutput a f32\noutput b f32"
	for _, c := range []struct {
		ir          string
		replaceable bool
		a, b        string
	}{
		{"ir 8\n", true, "f32 ?×?", "f32 n"},
		{"ir 8\n", false, "f32 3×2", "f32 5"},
		{"ir 3\n", true, "f32 3×2", "f32 5"},
	} {
		m := graphtest.Model(t, c.ir+text)
		r, err := Infer(t.Context(), m, Options{Fresh: true, Replaceable: c.replaceable})
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{"a": c.a, "b": c.b} {
			id, _ := m.Graph().Index().Value(name)
			if got := r.Value(m.Places()[0], id).Type.String(); got != want {
				t.Errorf("%v: %s is %s, want %s", c, name, got, want)
			}
		}
	}
}
