package simplify

import (
	"slices"
	"testing"

	"lathe/graphops/graphtest"
)

func TestSpreadOperands(t *testing.T) {
	head := "input x f32[batch,2,seq]\ninput m f32[batch,1,seq]\ninput c bool[seq]\ninput to i64[3]\nsh = Shape(x)\ninit zero f32[] 0\n"
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"added":                     {"e = Expand(m, sh)\ny = Add(x, e)", []string{"y = Add(x, m)"}},
		"chosen by":                 {"e = Expand(c, sh)\ny = Where(e, x, zero)", []string{"y = Where(c, x, zero)"}},
		"the only one of the shape": {"e = Expand(m, sh)\ny = Add(e, zero)", []string{"sh = Shape(x)", "e = Expand(m, sh)", "y = Add(e, zero)"}},
		"both":                      {"e = Expand(m, sh)\nf = Expand(c, sh)\ny = Where(f, e, zero)", []string{"sh = Shape(x)", "e = Expand(m, sh)", "f = Expand(c, sh)", "y = Where(f, e, zero)"}},
		"to what is fed":            {"e = Expand(m, to)\ny = Add(x, e)", []string{"e = Expand(m, to)", "y = Add(x, e)"}},
	} {
		t.Run(name, func(t *testing.T) {
			without := slices.DeleteFunc(plainPasses(), func(name string) bool { return name == "spread-operands" })
			out, _ := simplified(t, graphtest.Model(t, head+c.text+"\noutput y f32[?,?,?]"), Options{Without: without})
			if got := graphtest.Nodes(out.Graph()); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
