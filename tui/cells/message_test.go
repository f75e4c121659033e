package cells

import (
	"strings"
	"testing"
)

func TestCutMessage(t *testing.T) {
	const path = "/home/somebody/models/exported/today/encoder_model_quantized.onnx"
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"wrote a.onnx", 20, "wrote a.onnx"},
		{"wrote " + path + " (12 MiB)", 60, "wrote …/exported/today/encoder_model_quantized.onnx (12 MiB)"},
		{"wrote " + path + " and a word that is long", 50, "wrote …/encoder_model_quantized.onnx and a word t…"},
		{"wrote " + path + " and " + path + ".data", 80, "wrote …oday/encoder_model_quantized.onnx and …/encoder_model_quantized.onnx.data"},
		{"a sentence without any path at all", 12, "a sentence …"},
		{"", 0, ""},
		{"a/b", 0, ""},
	} {
		if got := CutMessage(c.s, c.w); got != c.want {
			t.Errorf("%d cells: %q, want %q", c.w, got, c.want)
		}
	}
}

// FuzzCutMessage: the result fits, and what fits is unchanged.
func FuzzCutMessage(f *testing.F) {
	f.Add("wrote /a/b/c/d/e/f/g/h/i/j.onnx: no", 20)
	f.Add("//// //////////////////////////////////////", 7)
	f.Fuzz(func(t *testing.T, s string, w int) {
		w = min(max(w, 0), 500)
		s = strings.Join(strings.Fields(Prose(s)), " ")
		got := CutMessage(s, w)
		if Width(got) > w || Width(s) <= w && got != s {
			t.Errorf("%q in %d cells is %q of %d", s, w, got, Width(got))
		}
	})
}
