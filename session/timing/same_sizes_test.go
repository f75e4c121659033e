package timing

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/dim"
)

// TestSmaller: a chosen size follows the smallest of the others with the same batch; a size that the user
// gave does not.
func TestSmaller(t *testing.T) {
	at := func(batch, sequence int64, chosen bool) *Subject {
		return &Subject{Path: "m.onnx", batch: batch, sizes: dim.Sizes{{Name: "batch", N: batch}, {Name: "sequence", N: sequence, Chosen: chosen}}}
	}
	long, short, given := at(1, 128, true), at(1, 64, true), at(1, 128, false)
	for _, c := range []struct {
		name   string
		of     *Subject
		others []*Subject
		want   map[string]int64
		note   string
	}{
		{"of two chosen sizes the smaller", long, []*Subject{short}, map[string]int64{"sequence": 64}, "sequence=128 here and 64 in m.onnx, so the two do different work; set one size with --dim sequence=N"},
		{"the smaller one stays", short, []*Subject{long}, map[string]int64{}, "sequence=64 here and 128 in m.onnx, so the two do different work; set one size with --dim sequence=N"},
		{"a given size stays", given, []*Subject{short}, map[string]int64{}, "sequence=128 here and 64 in m.onnx, so the two do different work; set one size with --dim sequence=N"},
		{"another batch is another case", long, []*Subject{at(8, 64, true)}, map[string]int64{}, ""},
		{"other names do not matter", long, []*Subject{{batch: 1, sizes: dim.Sizes{{Name: "width", N: 3}}}}, map[string]int64{}, ""},
	} {
		if diff := cmp.Diff(c.want, smaller(c.of, append(c.others, c.of))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if got := unequal(c.of, c.others); got != c.note {
			t.Errorf("%s: note %q, want %q", c.name, got, c.note)
		}
	}
}
