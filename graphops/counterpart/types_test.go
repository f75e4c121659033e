package counterpart

import (
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

func TestComparableTypes(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"f32[2]", "f16[2]", true},
		{"f32[2]", "i8[2]", false},
		{"i64[2]", "i32[2]", true},
		{"bool[2]", "i32[2]", false},
		{"f32[n]", "f32[2]", true},
		{"f32[3]", "f32[2]", false},
		{"f32[1,2]", "f32[2]", false},
		{"f32", "f32[2]", true},
		{"str[2]", "f32[2]", false},
	} {
		types := make([]graphops.Type, 2)
		for i, s := range []string{c.a, c.b} {
			m := graphtest.Model(t, "input x "+s+"\ny = Identity(x)\noutput y "+s)
			types[i] = m.Graph().Inputs()[0].Type()
		}
		if got := comparableTypes(types[0], types[1]); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
