package bounds

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

func TestMasksOf(t *testing.T) {
	const scores = "\ninput s f32[b,1,n,n]\ninit one f32[] 1\ninit far f32[] -10000\ninit at i64[2] 1 2\n"
	for _, c := range []struct{ name, model, want string }{
		{"as exporters write it", "input keep i64[b,n]" + scores + "u = Unsqueeze(keep, at)\nc = Cast(u) to=1\ni = Sub(one, c)\nm = Mul(i, far)\na = Add(s, m)\noutput y f32\ny = Softmax(a)", "keep"},
		{"of bools, by choice", "input keep bool[b,n]" + scores + "u = Unsqueeze(keep, at)\na = Where(u, s, far)\noutput y f32\ny = Softmax(a)", "keep"},
		{"by choice of what is added", "input keep bool[b,n]" + scores + "u = Unsqueeze(keep, at)\nw = Where(u, one, far)\na = Add(s, w)\noutput y f32\ny = Softmax(a)", "keep"},
		{"squared", "input keep f32[b,n]" + scores + "init k i64[1] 1\ninit l i64[1] 2\nu = Unsqueeze(keep, k)\nv = Unsqueeze(keep, l)\nq = Mul(u, v)\ni = Sub(one, q)\nm = Mul(i, far)\na = Add(s, m)\noutput y f32\ny = Softmax(a)", "keep"},
		{"what is ignored, by choice", "input pad bool[b,n]" + scores + "u = Unsqueeze(pad, at)\na = Where(u, far, s)\noutput y f32\ny = Softmax(a)", "not pad"},
		{"what is ignored, by what is added", "input pad bool[b,n]" + scores + "u = Unsqueeze(pad, at)\nw = Where(u, far, one)\na = Add(s, w)\noutput y f32\ny = Softmax(a)", "not pad"},
		{"what is ignored, turned around", "input pad bool[b,n]" + scores + "u = Unsqueeze(pad, at)\nk = Not(u)\na = Where(k, s, far)\noutput y f32\ny = Softmax(a)", "not pad"},
		{"where it is 0", "input keep i64[b,n]\ninit zero i64[] 0" + scores + "e = Equal(keep, zero)\nu = Unsqueeze(e, at)\na = Where(u, far, s)\noutput y f32\ny = Softmax(a)", "keep"},
		{"where it is above 0", "input pad i64[b,n]\ninit zero i64[] 0" + scores + "e = Less(zero, pad)\nu = Unsqueeze(e, at)\na = Where(u, far, s)\noutput y f32\ny = Softmax(a)", "not pad"},
		{"a bias", "input bias f32[b,n]" + scores + "u = Unsqueeze(bias, at)\na = Add(s, u)\noutput y f32\ny = Softmax(a)", ""},
		{"scores that are scaled", scores + "m = Mul(s, far)\noutput y f32\ny = Softmax(m)", ""},
		{"scores that are scaled and moved", scores + "m = Mul(s, far)\na = Add(m, one)\noutput y f32\ny = Softmax(a)", ""},
		{"scores less something", scores + "m = Sub(s, far)\na = Add(m, one)\noutput y f32\ny = Softmax(a)", ""},
		{"a mask less one", "input keep f32[b,n]" + scores + "u = Unsqueeze(keep, at)\ni = Sub(u, one)\na = Add(s, i)\noutput y f32\ny = Softmax(a)", "keep"},
		{"a mask of no attention", "input keep f32[b,n]" + scores + "u = Unsqueeze(keep, at)\ni = Sub(one, u)\noutput y f32\ny = Mul(s, i)", ""},
		{"two inputs that are multiplied", "input k f32[b,n]\ninput l f32[b,n]" + scores + "q = Mul(k, l)\na = Add(s, q)\noutput y f32\ny = Softmax(a)", ""},
	} {
		got := MasksOf(graphtest.Model(t, c.model))
		var names []string
		for _, name := range slices.Sorted(maps.Keys(got)) {
			if got[name].Padding {
				name = "not " + name
			}
			names = append(names, name)
		}
		if strings.Join(names, " ") != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
