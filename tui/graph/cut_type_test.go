package graph

import "testing"

func TestCutType(t *testing.T) {
	for _, c := range []struct {
		typ  string
		w    int
		want string
	}{
		{"f32 batch_size×1500×32", 22, "f32 batch_size×1500×32"},
		{"f32 batch_size×1500×32", 18, "f32 batch…×1500×32"},
		{"f32 batch_size×1500×32", 14, "f32 b…×1500×32"},
		{"f32 batch_size×1500×32", 13, "f32 …×1500×32"},
		{"f32 batch_size×1500×32", 12, "f32 batch_s…"},
		{"f32 batch_size×channels×height×width", 11, "f32 …×…×…×…"},
		{"f32 batch_size×sequence_length", 20, "f32 batch_…×sequenc…"},
		{"i64 1×8×128×128×2048", 12, "i64 1×8×128…"},
		{"seq(f32)", 5, "seq(…"},
		{"", 3, ""},
	} {
		if got := CutType(c.typ, c.w); got != c.want {
			t.Errorf("%q in %d cells: %q, want %q", c.typ, c.w, got, c.want)
		}
	}
}
