package graph

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestWayIn(t *testing.T) {
	long := "decoder_with_a_long_name"
	for _, c := range []struct {
		names string // separated by blanks
		w     int
		want  string
	}{
		{"model.onnx", 40, "model.onnx"},
		{"model.onnx", 6, "mo…nnx"},
		{"model.onnx If:then", 40, "model.onnx ▸ If:then"},
		{"m.onnx " + long + ":body " + long + ":then_branch", 48, "m.onnx ▸ decoder…ame:body ▸ decoder_w…hen_branch"},
		{"m.onnx a:body b:body c:body d:body", 30, "m.onnx ▸ … ▸ c:body ▸ d:body"},
		{"m.onnx a:body b:body c:body d:body", 20, "m.onnx ▸ … ▸ d:body"},
		{"a_model_of_a_name.onnx " + long, 24, "a_…nx ▸ decoder…ong_name"},
		{long + " " + long, 8, "… ▸…name"},
	} {
		got := WayIn(strings.Fields(c.names), c.w)
		if ansi.StringWidth(got) > c.w {
			t.Errorf("%q is wider than %d", got, c.w)
		}
		if got != c.want {
			t.Errorf("%s in %d: %q, want %q", c.names, c.w, got, c.want)
		}
	}
}
