package bounds

import (
	"fmt"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// TestColumnsOfTheirOwn checks that a node that reads a single column limits only that column.
func TestColumnsOfTheirOwn(t *testing.T) {
	const tables = "init a f32[3,2] 0 0 0 0 0 0\ninit b f32[7,2] 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
	for _, c := range []struct{ name, lines, want string }{
		{"gather", "init k i64[] 0\ninit l i64[] -1\nu = Gather(i, k) axis=1\nv = Gather(i, l) axis=-1\ny = Gather(a, u)\nz = Gather(b, v)", "0-2 any any 0-6"},
		{"feature extractor", "init k i64[1] 1\nu = ai.onnx.ml::ArrayFeatureExtractor(i, k)\ny = Gather(b, u)", "any 0-6 any any"},
		{"a part of a part", "init k i64[2] 3 1\ninit l i64[] 1\nu = Gather(i, k) axis=1\nw = Gather(u, l) axis=1\ny = Gather(b, w)", "any 0-6 any any"},
		{"slice", "init s i64[1] 1\ninit e i64[1] 9\ninit x i64[1] 1\nu = Slice(i, s, e, x)\ny = Gather(b, u)", "any 0-6 0-6 0-6"},
		{"split", "u, v = Split(i) axis=1 num_outputs=2\ny = Gather(a, u)\nz = Gather(b, v)", "0-2 0-2 0-6 0-6"},
		{"and a reader of all", "init k i64[] 0\nu = Gather(i, k) axis=1\ny = Gather(a, u)\nz = Gather(b, i)", "0-2 0-6 0-6 0-6"},
		{"alike", "u, v = Split(i) axis=1 num_outputs=2\ny = Gather(a, u)\nz = Gather(a, v)", ""},
		{"rows", "init k i64[] 0\nu = Gather(i, k) axis=0\ny = Gather(a, u)", ""},
		{"moved", "init k i64[] 0\nj = Transpose(i)\nu = Gather(j, k) axis=1\ny = Gather(a, u)", ""},
		{"beyond", "init k i64[] 4\nu = Gather(i, k) axis=1\ny = Gather(a, u)", ""},
	} {
		m := graphtest.Model(t, "opset 18\nopset ai.onnx.ml 3\ninput i i64[n,4]\n"+tables+c.lines)
		var parts []string
		for _, a := range For(m, Inputs{"i": {5, 4}}).Of("i").Columns {
			if a.Kind == Anything {
				parts = append(parts, "any")
			} else {
				parts = append(parts, fmt.Sprintf("%d-%d", a.Lo, a.Hi))
			}
		}
		if text := strings.Join(parts, " "); text != c.want {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}

// TestManySelections checks that a bound applies to all columns if there are too many selections.
func TestManySelections(t *testing.T) {
	var b strings.Builder
	b.WriteString("opset 18\ninput i i64[n,512]\ninit a f32[3,2] 0 0 0 0 0 0\n")
	for k := range 3 * maxSelections {
		fmt.Fprintf(&b, "init k%d i64[2] %d %d\nu%d = Gather(i, k%d) axis=1\ny%d = Gather(a, u%d)\n", k, k%512, (k/512+k)%512, k, k, k, k)
	}
	got := For(graphtest.Model(t, b.String()), Inputs{"i": {5, 512}}).Of("i")
	if got.Kind != Between || got.Lo != 0 || got.Hi != 2 || len(got.Columns) != 0 {
		t.Errorf("%+v", got)
	}
}
