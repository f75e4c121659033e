package text_test

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"lathe/session/text"
)

// TestShortName: the layer and the last part of a name stay.
func TestShortName(t *testing.T) {
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"/vit/encoder/layer.1/attention/attention/Softmax", 60, "/vit/encoder/layer.1/attention/attention/Softmax"},
		{"/vit/encoder/layer.1/attention/attention/Softmax", 34, "…/layer.1/…ntion/attention/Softmax"},
		{"/vit/encoder/layer.1/attention/attention/Softmax", 20, "…/layer.1/…n/Softmax"},
		{"/vit/encoder/layer.1/attention/attention/Softmax", 12, "…ion/Softmax"},
		{"/vit/encoder/layer.1/attention/attention/Softmax", 7, "/vi…max"},
		{"tf_bert/bert/encoder/layer_._0/attention/self/transpose_1", 34, "…/layer_._0/…tion/self/transpose_1"},
		{"model.layers.3.self_attn.q_proj.weight", 25, "…layers.3…n.q_proj.weight"},
		{"model.layers.3.self_attn.q_proj.weight", 19, "…layers.3…oj.weight"},
		{"a_long_name_without_modules_0", 11, "a_lon…les_0"},
		{"Größe/Schicht_12/Ausgabe/Summe", 22, "…/Schicht_12/…be/Summe"},
		{"Add /encoder/layer.1/attention/self/Add", 22, "Add …/layer.1/…elf/Add"},
		{"model.onnx", 6, "mo…nnx"},
		{"/wav2vec2/encoder/layers.1/attention/query/Add", 28, "…/layers.1/…ention/query/Add"},
		{"/net/conv2d_3/bn/activation/Relu", 22, "…/conv2d_3/…ation/Relu"},
		{"", 3, ""},
	} {
		if got := text.ShortName(c.name, c.width); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.name, c.width, got, c.want)
		}
	}
}

// FuzzShortName: the result fits, and a name that fits is unchanged.
func FuzzShortName(f *testing.F) {
	f.Add("/a/b.1/c/d", 5)
	f.Add("model.layers.3.q", 9)
	f.Fuzz(func(t *testing.T, name string, width int) {
		name = text.Clean(name)
		if width < 1 || width > 500 {
			return
		}
		got := text.ShortName(name, width)
		if w := ansi.StringWidth(got); w > width {
			t.Errorf("%q in %d: %q has %d", name, width, got, w)
		}
		if ansi.StringWidth(name) <= width && got != name {
			t.Errorf("%q fits %d and became %q", name, width, got)
		}
	})
}

func TestShortNodeName(t *testing.T) {
	for _, c := range []struct {
		name, op string
		width    int
		want     string
	}{
		{"/layers.3/attention_norm/LayerNormalization", "LayerNormalization", 43, "/layers.3/attention_norm/LayerNormalization"},
		{"/layers.3/attention_norm/LayerNormalization", "LayerNormalization", 28, "/layers.3/attention_norm/La…"},
		{"/layers.3/attention_norm/LayerNormalization", "LayerNormalization", 20, "/…3/attention_norm/…"},
		{"/layers.3/attention/Transpose_2", "Transpose", 28, "…/layers.3/…tion/Transpose_2"},
		{"model.layers.3.self_attn.MatMul", "MatMul", 27, "model.layers.3.self_attn.M…"},
		{"/LayerNormalization", "LayerNormalization", 10, "/Lay…ation"},
		{"/a/Add", "Add", 1, "…"},
		{"name", "", 3, "n…e"},
	} {
		got := text.ShortNodeName(c.name, c.op, c.width)
		if got != c.want || len([]rune(got)) > c.width && c.width > 1 {
			t.Errorf("%q in %d: %q, want %q", c.name, c.width, got, c.want)
		}
	}
}
