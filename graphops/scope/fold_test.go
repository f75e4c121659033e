package scope_test

import (
	"fmt"
	"strings"
	"testing"
)

// layers are names of n layers of two scopes each, as a pattern with %d writes them.
func layers(pattern string, from, n int) []string {
	var out []string
	for i := range n {
		layer := fmt.Sprintf(pattern, from+i)
		out = append(out, layer+"/attn/MatMul", layer+"/attn/Softmax", layer+"/mlp/Gemm")
	}
	return out
}

func TestFolds(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		want  string
	}{
		"layers":                  {layers("/m/layers.%d", 0, 32), "m 0/96\n layers.0…31 ×32 96\n  attn 2/2\n  mlp 1/1\n"},
		"layers of TensorFlow":    {layers("/bert/layer_._%d", 0, 23), "bert 0/69\n layer_._0…22 ×23 69\n  attn 2/2\n  mlp 1/1\n"},
		"two layers":              {layers("/layer_%d", 0, 2), "layer_0…1 ×2 6\n attn 2/2\n mlp 1/1\n"},
		"not from zero":           {layers("/block%d", 7, 4), "block7…10 ×4 12\n attn 2/2\n mlp 1/1\n"},
		"numbers alone":           {layers("/h/%d", 0, 3), "h 0/9\n 0…2 ×3 9\n  attn 2/2\n  mlp 1/1\n"},
		"a number inside":         {layers("/block_%d_1", 0, 3), "block_0…2_1 ×3 9\n attn 2/2\n mlp 1/1\n"},
		"zeros in front":          {layers("/l.%03d", 8, 3), "l.008…010 ×3 9\n attn 2/2\n mlp 1/1\n"},
		"a gap":                   {append(layers("/l.%d", 0, 2), layers("/l.%d", 3, 2)...), "l.0…1 ×2 6\n attn 2/2\n mlp 1/1\nl.3…4 ×2 6\n attn 2/2\n mlp 1/1\n"},
		"another order":           {append(layers("/l.%d", 1, 2), layers("/l.%d", 0, 1)...), "l.0…2 ×3 9\n attn 2/2\n mlp 1/1\n"},
		"a number beyond 64 bits": {[]string{"/l99999999999999999999/a/x", "/l100000000000000000000/a/x"}, "l99999999999999999999 0/1\n a 1/1\nl100000000000000000000 0/1\n a 1/1\n"},
		"two that hold no scopes": {[]string{"/linear1/MatMul", "/linear2/Softmax"}, "linear1 1/1\nlinear2 1/1\n"},
		"nothing in common":       {[]string{"/q1/a/x", "/k2/a/x"}, "q1 0/1\n a 1/1\nk2 0/1\n a 1/1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g := chainOf(t, c.names, "MatMul")
			if got := drawn(built(t, g)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestFoldsNeedOneStructure plants a difference in one of five layers.
func TestFoldsNeedOneStructure(t *testing.T) {
	for name, change := range map[string]func(names []string, ops []string){
		"another operator": func(_, ops []string) { ops[7] = "Tanh" },
		"another child":    func(names, _ []string) { names[7] = "/l.2/other/x" },
		"a child more":     func(names, _ []string) { names[7] = "/l.2/attn/inner/x" },
	} {
		t.Run(name, func(t *testing.T) {
			names := layers("/l.%d", 0, 5)
			ops := make([]string, len(names))
			for i := range ops {
				ops[i] = "Relu"
			}
			if tree := built(t, chainOf(t, names, ops...)); len(tree.Folds) != 1 || len(tree.Folds[0].Members) != 5 {
				t.Fatalf("without a difference: %+v", tree.Folds)
			}
			change(names, ops)
			tree := built(t, chainOf(t, names, ops...))
			if len(tree.Folds) != 2 || tree.Folds[0].Label != "l.0…1" || tree.Folds[1].Label != "l.3…4" {
				t.Errorf("folds %+v", tree.Folds)
			}
		})
	}
}

// TestFoldsKeepTheFlow covers lists in which a fold would hide what follows what, and
// a list with one stranger.
func TestFoldsKeepTheFlow(t *testing.T) {
	var mixed []string
	for i := range 9 {
		mixed = append(mixed, fmt.Sprintf("/conv2d_%d/x/Conv", i), fmt.Sprintf("/activation_%d/x/Relu", i))
	}
	if tree := named(t, mixed...); len(tree.Folds) != 0 {
		t.Errorf("kinds in turn are folded: %+v", tree.Folds)
	}
	stranger := append(append(layers("/l.%d", 0, 1), "/rotary/Cos"), layers("/l.%d", 1, 11)...)
	tree := built(t, chainOf(t, stranger, "Relu"))
	if got := drawn(tree); !strings.HasPrefix(got, "l.0…11 ×12 36\n") || !strings.HasSuffix(got, "rotary 1/1\n") {
		t.Errorf("got\n%s", got)
	}
}

// TestFoldsIgnoreConstants covers a constant that the first layer holds for all.
func TestFoldsIgnoreConstants(t *testing.T) {
	tree := treeOf(t, `
input x f32[1]
output y f32[1]
/l.0/a/Constant: c = Constant() value={f32[1] 1}
/l.0/a/Add: p = Add(x, c)
/l.1/a/Add: q = Add(p, c)
/l.2/a/Add: y = Add(q, c)
`)
	if got, want := drawn(tree), "l.0…2 ×3 4\n a 2/2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if f := tree.Folds[0]; f.Nodes != 4 || f.Pattern != "l.*" {
		t.Errorf("%+v", f)
	}
}

func TestFoldParameters(t *testing.T) {
	tree := treeOf(t, `
input x f32[1]
output y f32[1]
init shared f32[100] 1
init w0 f32[10] 1
init w1 f32[10] 1
init w2 f32[10] 1
/l.0/x: a = Sum(x, shared, w0)
/l.1/x: b = Sum(a, shared, w1)
/l.2/x: y = Sum(b, shared, w2)
`)
	if f := tree.Folds[0]; f.Parameters != 130 || f.Bytes != 520 {
		t.Errorf("%d parameters, %d bytes, want 130 and 520", f.Parameters, f.Bytes)
	}
}

func TestUnder(t *testing.T) {
	names := append(append([]string{"/stem/Conv"}, layers("/m/layers.%d", 0, 3)...), "/m/layers.x/y", "/m/f/f.0/z", "/m/a*b/z", "/m/f/1…2/z")
	tree := built(t, chainOf(t, names, "Relu"))
	for path, want := range map[string]int{
		"/": 14, "": 14, "/stem": 1, "stem": 1, "/m": 13, "/m/": 13, "//m//layers.1": 3, "m/layers.1/attn": 2,
		"/m/layers.*": 10, "/m/layers.0…2": 9, "/m/layers.*/attn": 6, "/m/*": 13, "/*": 14, "/*/layers.1": 3,
		"/m/l*r*.1": 3, "/m/*s*2": 3, "/m/f/f.0": 1, "/m/f/0": 1, "/m/a*b": 1, "/m/f/1…2": 1,
		"m.layers.1": 3, "m.layers.1.attn": 2, "/m.layers.1/attn": 2, "m/layers/1": 3, "m.layers.*": 10, "m.layers.*.attn": 6,
		"m.layers.0…2": 9, "m.f.0": 1, "m.*.1": 3, "m..layers.1.": 3,
	} {
		got, err := tree.Under(path)
		if err != nil {
			t.Errorf("%q: %v", path, err)
			continue
		}
		n := 0
		for _, in := range got {
			if in {
				n++
			}
		}
		if n != want || len(got) != len(names) {
			t.Errorf("%q: %d nodes, want %d", path, n, want)
		}
	}
	for path, want := range map[string]string{
		"/m/layer.1":      `scope "/m/layer.1": there is no scope with this name; existing scopes are "/m/layers.1"`,
		"/m/layers.0…1":   `scope "/m/layers.0…1": there is no scope with this name; existing scopes are "/m/layers.0"`,
		"m.layers.1.atn":  `scope "m.layers.1.atn": there is no scope with this name; existing scopes are "/m/layers.1/attn"`,
		"/stem/x":         `scope "/stem/x": there is no scope below "/stem"`,
		"/zzzzzzzzzzzzzz": `scope "/zzzzzzzzzzzzzz": there is no scope with this name; existing scopes are "/stem", "/m"`,
	} {
		if _, err := tree.Under(path); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", path, err, want)
		}
	}
	if _, err := named(t, "a", "b").Under("/m"); err == nil || !strings.Contains(err.Error(), "has no scopes in its names") {
		t.Errorf("in a flat graph: %v", err)
	}
}

// FuzzBuild makes trees of names that nobody would write.
func FuzzBuild(f *testing.F) {
	f.Add("/a/b/x\n/a/b.1/y\n//\n/\nplain", "/a/*")
	f.Add(strings.Join(layers("/m/l.%d", 0, 4), "\n"), "/m/l.0…3")
	f.Add(strings.Join(layers("/m/l.%d", 0, 4), "\n"), "m.l.3.attn")
	f.Add("a/a.\na/a.b\na.b/a.b.c/x\n\x00/\xff/x", "a/a.b")
	f.Fuzz(func(t *testing.T, names, path string) {
		list := strings.Split(strings.ToValidUTF8(names, "?"), "\n")
		g := chainOf(t, list[:min(len(list), 64)], "Relu", "Add")
		tree := built(t, g)
		if set, err := tree.Under(path); err == nil && len(set) != len(g.Nodes()) {
			t.Fatalf("%d truths for %d nodes", len(set), len(g.Nodes()))
		}
	})
}
