package modules_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/torch/modules"
)

// residual has a convolution that took in what was behind it, and a branch around two layers.
const residual = `
	ir 10
	opset 21
	input x f32[2,3]
	output y f32[2,3]
	/stem/conv/Conv: a = Identity(x)
	/stem/relu/Relu: b = Relu(a)
	/block/one/Gemm: c = Identity(b)
	/block/one/Gemm_1: d = Relu(c)
	/block/two/Gemm: e = Identity(d)
	/block/Add: f = Add(e, b)
	/head/Gemm: y = Identity(f)
`

var paths = []string{"stem.conv", "stem.relu", "stem", "block.one", "block.two", "block", "head", "gone", "*"}

func TestPairs(t *testing.T) {
	m := graphtest.Model(t, residual)
	got := map[string]string{}
	for _, p := range modules.Pairs(m, paths) {
		got[paths[p.Module]] = m.Graph().Index().Name(p.Value)
	}
	want := map[string]string{"stem.conv": "a", "stem.relu": "b", "stem": "b", "block.one": "d", "block.two": "e", "block": "f", "head": "y"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := modules.Pairs(graphtest.Model(t, "ir 10\nopset 21\ninput x f32\noutput y f32\ny = Identity(x)"), paths); len(got) > 0 {
		t.Errorf("of a graph without scopes: %v", got)
	}
}

func TestFirst(t *testing.T) {
	m := graphtest.Model(t, residual)
	pairs := modules.Pairs(m, paths)
	for name, c := range map[string]struct {
		wrong []string
		want  string
	}{
		"none":                   {nil, ""},
		"the last":               {[]string{"head"}, "head"},
		"from one on":            {[]string{"block.one", "block.two", "block", "head"}, "block.one"},
		"from the stem on":       {[]string{"stem.conv", "stem.relu", "stem", "block.one", "block.two", "block", "head"}, "stem.conv"},
		"moved and right again":  {[]string{"stem.conv", "block.two", "block", "head"}, "block.two"},
		"behind all":             {[]string{"stem.conv"}, ""},
		"two modules, one value": {[]string{"stem.relu", "stem", "block", "head"}, "stem.relu"},
	} {
		differs := make([]bool, len(pairs))
		for i, p := range pairs {
			for _, w := range c.wrong {
				differs[i] = differs[i] || paths[p.Module] == w
			}
		}
		got := ""
		if i, ok := modules.First(m, pairs, differs, []string{"y", "no such output"}); ok {
			got = paths[pairs[i].Module]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Names of scopes and modules are anybody's.
func FuzzPairs(f *testing.F) {
	f.Add("/a/b", "a.b")
	f.Add("////", "*")
	f.Fuzz(func(t *testing.T, scope, path string) {
		m := graphtest.Model(t, "ir 10\nopset 21\ninput x f32\noutput y f32\nn: y = Identity(x)")
		m = m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
			e.Nodes[0] = e.Nodes[0].WithName(scope)
			return true
		})
		for _, p := range modules.Pairs(m, []string{path}) {
			if m.Graph().Index().Name(p.Value) != "y" {
				t.Errorf("%q in %q is %v", path, scope, p)
			}
		}
	})
}
