package bounds_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/graphtest"
	"lathe/session/inputs/bounds"
)

// An axis has the size that the nodes behind it cannot do without, and none where they do not
// agree, where 1 would do as well, or where another size is open too.
func TestDemands(t *testing.T) {
	const weight = "\ninit w f32[6,2] 1\noutput y f32\n"
	for name, c := range map[string]struct {
		text  string
		known map[bounds.Axis]int64
		want  map[bounds.Axis]int64
	}{
		"a factor":       {"input x f32[n,k]\ny = MatMul(x, w)", nil, map[bounds.Axis]int64{{"x", 1}: 6}},
		"without a name": {"input x f32[n,?]\ny = MatMul(x, w)", nil, map[bounds.Axis]int64{}},
		"two axes":       {"input x f32[n,k]\ninput z f32[k,2]\nh = MatMul(x, w)\ng = MatMul(x, z)\ny = Add(h, g)", nil, map[bounds.Axis]int64{{"x", 1}: 6, {"z", 0}: 6}},
		"half of it":     {"input x f32[n,k]\nh = Concat(x, x) axis=1\ny = MatMul(h, w)", nil, map[bounds.Axis]int64{{"x", 1}: 3}},
		"the rest of it": {"input x f32[n,k]\ninput z f32[n,l]\nh = Concat(x, z) axis=1\ny = MatMul(h, w)", map[bounds.Axis]int64{{"z", 1}: 4}, map[bounds.Axis]int64{{"x", 1}: 2}},
		"both open":      {"input x f32[n,k]\ninput z f32[n,l]\nh = Concat(x, z) axis=1\ny = MatMul(h, w)", nil, map[bounds.Axis]int64{}},
		"not agreed":     {"input x f32[k,k]\ninit v f32[5,2] 1\nh = MatMul(x, w)\ng = MatMul(x, v)\ny = Add(h, g)", nil, map[bounds.Axis]int64{}},
		"1 does as well": {"input x f32[n,k]\ninit v f32[6] 1\ny = Add(x, v)", nil, map[bounds.Axis]int64{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[bounds.Axis]int64{}
			for axis, d := range bounds.Demands(graphtest.Model(t, c.text+weight), func(a bounds.Axis) (int64, bool) { n, ok := c.known[a]; return n, ok }) {
				got[axis] = d.Size
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
