package modules_test

import (
	"slices"
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

func names(m *graphops.Model, list []graphops.ValueID) (out []string) {
	for _, v := range list {
		out = append(out, m.Graph().Index().Name(v))
	}
	return out
}

func TestScopes(t *testing.T) {
	m := graphtest.Model(t, residual)
	got := map[string][][]string{}
	for path, s := range modules.Scopes(m, paths) {
		got[path] = [][]string{names(m, s.Takes), names(m, s.Gives)}
	}
	want := map[string][][]string{
		"stem.conv": {{"x"}, {"a"}}, "stem.relu": {{"a"}, {"b"}}, "stem": {{"x"}, {"b"}}, "block.one": {{"b"}, {"d"}},
		"block.two": {{"d"}, {"e"}}, "block": {{"b"}, {"f"}}, "head": {{"f"}, {"y"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := modules.Scopes(graphtest.Model(t, "ir 10\nopset 21\ninput x f32\noutput y f32\ny = Identity(x)"), paths); len(got) > 0 {
		t.Errorf("of a graph without scopes: %v", got)
	}
}

// TestScopesOfCalls: the old exporter numbers the scopes of later calls, writes the name of a list again
// and leaves that of a dictionary out.
func TestScopesOfCalls(t *testing.T) {
	m := graphtest.Model(t, `
		ir 10
		opset 21
		input x f32[2]
		output y f32[2]
		/shared/shared.0/Abs: a = Abs(x)
		/shared/shared.0_1/Abs: b = Abs(a)
		/experts.1/experts.1.2/Abs: c = Abs(b)
		/last/Abs: d = Abs(c)
		/conv_2/Abs: e = Abs(d)
		/other_1/Abs: y = Abs(e)
	`)
	got := map[string][]string{}
	for path, s := range modules.Scopes(m, []string{"", "shared", "shared.0", "experts.1", "experts.1.2", "norms.last", "conv_2", "conv"}) {
		got[path] = names(m, s.Gives)
	}
	want := map[string][]string{"shared": {"b"}, "shared.0": {"a", "b"}, "experts.1": {"c"}, "experts.1.2": {"c"}, "norms.last": {"d"}, "conv_2": {"e"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again := graphtest.Model(t, "ir 10\nopset 21\ninput x f32\noutput y f32\n/cell/Abs: a = Abs(x)\n/cell/Neg: y = Neg(a)")
	if got := names(again, modules.Scopes(again, []string{"cell", "cell"})["cell"].Gives); !slices.Equal(got, []string{"y", "a"}) && !slices.Equal(got, []string{"a", "y"}) {
		t.Errorf("of two calls in one scope: %q", got)
	}
}

func TestFirst(t *testing.T) {
	m := graphtest.Model(t, residual)
	x := m.Graph().Index()
	// Calls in the order in which they are done, with the value that each gives.
	done := []struct{ path, value string }{
		{"stem.conv", "a"}, {"stem.relu", "b"}, {"stem", "b"}, {"drop", ""}, {"block.one", "d"}, {"mask", ""}, {"block.two", "e"}, {"block", "f"}, {"head", "y"}, {"", "y"},
	}
	for name, c := range map[string]struct {
		wrong, unknown []string
		want           string
		before         []string
	}{
		"none":                       {nil, nil, "", nil},
		"the last":                   {[]string{"head", ""}, nil, "head", nil},
		"the model itself":           {[]string{""}, []string{"head"}, "", []string{"head"}},
		"from one on":                {[]string{"block.one", "block.two", "block", "head", ""}, nil, "block.one", nil},
		"from the stem on":           {[]string{"stem.conv", "stem.relu", "stem", "block.one", "block.two", "block", "head", ""}, nil, "stem.conv", nil},
		"moved and right again":      {[]string{"stem.conv", "block.two", "block", "head", ""}, nil, "block.two", nil},
		"behind all":                 {[]string{"stem.conv"}, nil, "", nil},
		"two modules, one value":     {[]string{"stem.relu", "stem", "block", "head", ""}, nil, "stem.relu", nil},
		"behind one of no verdict":   {[]string{"block.two", "block", "head", ""}, []string{"block.one"}, "block.two", []string{"block.one"}},
		"an unknown in front of all": {[]string{"block.two", "block", "head", ""}, []string{"stem.conv"}, "block.two", nil},
	} {
		var calls []modules.Call
		for _, d := range done {
			call := modules.Call{Path: d.path, Verdict: modules.Passing, Other: modules.NoValue}
			v, ok := x.Value(d.value)
			switch {
			case slices.Contains(c.unknown, d.path):
				call.Verdict = modules.Unknown
			case ok && slices.Contains(c.wrong, d.path):
				call.Verdict, call.Other = modules.Wrong, v
			case ok && d.path != "":
				call.Verdict, call.Same = modules.Right, []graphops.ValueID{v}
			}
			calls = append(calls, call)
		}
		at, unknown := modules.First(m, calls, []string{"y", "no such output"})
		got, found := "", at >= 0
		if found {
			got = calls[at].Path
		}
		var before []string
		for _, u := range unknown {
			before = append(before, calls[u].Path)
		}
		if got != c.want || found != (c.want != "" || len(c.wrong) > 0 && c.wrong[len(c.wrong)-1] == "") || !slices.Equal(before, c.before) {
			t.Errorf("%s: %q (%v) behind %q, want %q behind %q", name, got, found, before, c.want, c.before)
		}
	}
}

// Names of scopes and modules are anybody's.
func FuzzScopes(f *testing.F) {
	f.Add("/a/b", "a.b")
	f.Add("////", "*")
	f.Fuzz(func(t *testing.T, scope, path string) {
		m := graphtest.Model(t, "ir 10\nopset 21\ninput x f32\noutput y f32\nn: y = Identity(x)")
		m = m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
			e.Nodes[0] = e.Nodes[0].WithName(scope)
			return true
		})
		for _, s := range modules.Scopes(m, []string{path}) {
			if got := names(m, s.Gives); !slices.Equal(got, []string{"y"}) {
				t.Errorf("%q in %q is %q", path, scope, got)
			}
		}
	})
}
