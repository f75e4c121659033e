package scope_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/scope"
)

// TestNames covers the ways in which names tell scopes.
func TestNames(t *testing.T) {
	for name, c := range map[string]struct {
		names []string
		want  string
	}{
		"torchscript":                 {[]string{"/m/encoder/Add", "/m/encoder/Relu", "/m/head/Gemm"}, "m 0/3\n encoder 2/2\n head 1/1\n"},
		"tensorflow":                  {[]string{"bert/embeddings/add", "bert/pooler/dense/MatMul"}, "bert 0/2\n embeddings 1/1\n pooler 0/1\n  dense 1/1\n"},
		"names that repeat":           {[]string{"/f/f.1/f.1.0/Conv", "/f/f.1/f.1.1/Relu", "/f/f.10/Conv"}, "f 0/3\n 1 0/2\n  0 1/1\n  1 1/1\n 10 1/1\n"},
		"a name that starts alike":    {[]string{"/block/block1/Conv", "/block/block./Conv", "/block/block/Conv"}, "block 0/3\n block1 1/1\n block. 1/1\n block 1/1\n"},
		"empty segments":              {[]string{"//a///b//x", "/a/b/y", "a/b/z/"}, "a 0/3\n b 2/3\n  z 1/1\n"},
		"one slash is the root":       {[]string{"/x", "/a/y", "/z"}, "a 1/1\n"},
		"flat":                        {[]string{"Conv_0", "Relu_1", "Conv_12"}, ""},
		"a segment goes on elsewhere": {[]string{"/ab/x", "/a/x", "/abc/d/x", "/ab/d/x"}, "ab 1/2\n d 1/1\na 1/1\nabc 0/1\n d 1/1\n"},
		"onnx runtime's fusions":      {[]string{"/a/b/MatMul/MatMulAddFusion", "/a/MatMul_1/MatMulScaleFusion/MatmulTransposeFusion/", "/a/Gather/duplicated", "/a/Fusion/x"}, "a 2/4\n b 1/1\n Fusion 1/1\n"},
		"fusions of a flat list":      {[]string{"node_MatMul_3/MatMulAddFusion", "x/GemmSumFusion/"}, ""},
		"numbers are leaves":          {[]string{"/a/Conv_12", "/a/Conv_13", "/a/Conv_14"}, "a 3/3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := drawn(named(t, c.names...)); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestOutputNames covers nodes without a name, or with one that tools gave.
func TestOutputNames(t *testing.T) {
	tree := treeOf(t, `
input x f32[1]
output z f32[1]
bert/layer/MatMul = Relu(x)
fused_3: /bert/layer/Add_output_0 = Relu(bert/layer/MatMul)
z = Relu(/bert/layer/Add_output_0)
`)
	if got, want := drawn(tree), "bert 1/3\n layer 2/2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for i, want := range []scope.Source{scope.Output, scope.Output, scope.Around} {
		if tree.Source(i) != want {
			t.Errorf("node %d: source %d, want %d", i, tree.Source(i), want)
		}
	}
}

// withMetadata is a chain of nodes, each with the entries of its position.
func withMetadata(t testing.TB, entries ...[]string) *graphops.Graph {
	g := &onnxpb.GraphProto{Input: []*onnxpb.ValueInfoProto{{Name: proto.String("v0")}}}
	for i, list := range entries {
		n := &onnxpb.NodeProto{
			OpType: proto.String("Relu"), Name: proto.String(fmt.Sprintf("/name/of/n%d", i)),
			Input: []string{fmt.Sprintf("v%d", i)}, Output: []string{fmt.Sprintf("v%d", i+1)},
		}
		for k := 0; k < len(list); k += 2 {
			n.MetadataProps = append(n.MetadataProps, &onnxpb.StringStringEntryProto{Key: &list[k], Value: &list[k+1]})
		}
		g.Node = append(g.Node, n)
	}
	return graphtest.Decode(t, &onnxpb.ModelProto{IrVersion: proto.Int64(10), Graph: g}).Graph()
}

func TestMetadata(t *testing.T) {
	const scopes, classes = "pkg.torch.onnx.name_scopes", "pkg.torch.onnx.class_hierarchy"
	tree := built(t, withMetadata(t,
		[]string{scopes, `['', 'a', 'a.b.0', 'x']`, classes, `['M', 'A', 'B', 'aten']`},
		[]string{scopes, `['', 'a', 'a.b.0', 'y']`, classes, `['M', 'A', 'B', 'aten']`},
		[]string{scopes, `['', 'a', 'z']`},
		[]string{scopes, `['', 'other.c', 'a', 'z']`, classes, `['M', 'C', 'A2', 'aten']`}, // called from elsewhere
		[]string{scopes, `broken [`, "namespace", ": M/a: A/n: t"},
		[]string{scopes, `broken [`},
		[]string{scopes, `['', 'a/b', 'x']`},
		[]string{scopes, `['x']`},
	))
	want := "a 2/5\n b.0 2/2\n b 1/1\nother.c 0/1\n a 1/1\nname 0/1\n of 1/1\n"
	if got := drawn(tree); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for path, class := range map[string]string{"/": "M", "/a": "A", "/a/b.0": "B", "/other.c": "C", "/other.c/a": "A2", "/name": ""} {
		at, err := tree.Match(path)
		if err != nil || tree.Scopes[at[0]].Class != class {
			t.Errorf("%s: %v %v, want class %q", path, at, err, class)
		}
	}
	if s := tree.Source(5); s != scope.Name {
		t.Errorf("metadata that is not understood: source %d", s)
	}
	if at := tree.Find(7); at != scope.Root || tree.Source(7) != scope.Metadata {
		t.Errorf("an operation in the outermost module stands in %s", tree.Path(at))
	}
}

// TestNodesWithoutScope covers what tools insert.
func TestNodesWithoutScope(t *testing.T) {
	tree := treeOf(t, `
input x f32[1]
output y f32[1]
init w f32[1] 1
cast: a = Cast(x) to=1
k1: c = Identity(w)
/m/l.0/q/MatMul: b = MatMul(a, c)
split: d = Identity(b)
view: e = Identity(d)
/m/l.0/o/MatMul: f = MatMul(e, c)
/m/l.1/q/MatMul: g = MatMul(f, f)
quant: h = Identity(g)
/m/l.1/q/Add: i = Add(h, h)
tail: y = Softmax(i)
`)
	var got []string
	for i := range 10 {
		got = append(got, fmt.Sprintf("%s %v", tree.Path(tree.Find(i)), tree.Source(i) == scope.Around))
	}
	want := []string{
		"/m/l.0 true", // before the first module, not in it
		"/m/l.0 true", // of both that read it
		"/m/l.0/q false",
		"/m/l.0 true", "/m/l.0 true", // between q and o
		"/m/l.0/o false", "/m/l.1/q false",
		"/m/l.1/q true", // inside
		"/m/l.1/q false",
		"/m/l.1 true", // behind the last module, not in it
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestWeightNames covers models whose initializers alone have names of modules.
func TestWeightNames(t *testing.T) {
	tree := treeOf(t, `
input x f32[1]
output y f32[1]
init h.0.attn.c_attn.weight f32[1] 1
init h.0.attn.c_attn.bias f32[1] 1
init h.0.attn.c_proj.weight f32[1] 1
init fc.weight f32[1] 1
init const.225 f32[1] 1
init 12.weight f32[1] 1
init plain f32[1] 1
Gemm_0: a = Gemm(x, h.0.attn.c_attn.weight, h.0.attn.c_attn.bias)
Relu_1: b = Relu(a)
MatMul_2: c = MatMul(b, h.0.attn.c_proj.weight)
Add_3: d = Add(c, const.225)
Add_4: e = Add(d, 12.weight)
MatMul_5: f = MatMul(e, fc.weight)
Add_6: y = Add(f, plain)
`)
	want := "h.0 0/3\n attn 1/3\n  c_attn 1/1\n  c_proj 1/1\nfc 1/1\n"
	if got := drawn(tree); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if tree.Source(0) != scope.Weights || tree.Source(1) != scope.Around {
		t.Errorf("sources %d %d", tree.Source(0), tree.Source(1))
	}
	// Where a name tells a scope, weights do not.
	tree = treeOf(t, "input x f32[1]\noutput y f32[1]\ninit fc.weight f32[1] 1\n/m/A: a = Relu(x)\nb: y = MatMul(a, fc.weight)")
	if got := drawn(tree); got != "m 1/1\n" {
		t.Errorf("got\n%s", got)
	}
}

// TestParameters counts what is read twice once, in every scope for itself.
func TestParameters(t *testing.T) {
	tree := treeOf(t, `
input x f32[8]
output y f32[8]
init w f32[10] 1
init v f16[4] 1
init unread f32[1000] 1
sparse s f32[8] 3 at 1
/a/l.0/1: a = Add(x, w)
/a/l.0/2: b = Add(a, w)
/a/l.1/1: c = Add(b, w)
/a/l.1/2: d = Add(c, v)
/b/1: y = Add(d, s)
`)
	for path, want := range map[string][2]int64{
		"/": {15, 52}, "/a": {14, 48}, "/a/l.0": {10, 40}, "/a/l.1": {14, 48}, "/b": {1, 4},
	} {
		at, err := tree.Match(path)
		if err != nil {
			t.Fatal(err)
		}
		s := tree.Scopes[at[0]]
		if got := [2]int64{s.Parameters, s.Bytes}; got != want {
			t.Errorf("%s: %v parameters and bytes, want %v", path, got, want)
		}
	}
}

// TestParametersOfBody counts what a body reads from around it, in the body if its
// place is known, and with the node that holds it.
func TestParametersOfBody(t *testing.T) {
	m := graphtest.Model(t, `
graph then
/m/fc/MatMul: p = MatMul(x, m.fc.weight)
output p f32[1]
end
graph else
q = Relu(x)
output q f32[1]
end
input x f32[1]
input c bool[]
output y f32[1]
init m.fc.weight f32[7] 1
/choose/If: y = If(c) then_branch=@then else_branch=@else
`)
	body, err := m.FindPlace([]string{"/choose/If:then_branch"})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		tree *scope.Tree
		path string
		want int64
	}{
		"the holder":           {scope.Build(m.Graph()), "/choose", 7},
		"the body":             {scope.BuildPlace(body), "/m/fc", 7},
		"the body's own":       {scope.Build(body.Graph), "/m/fc", 0},
		"the place of no body": {scope.BuildPlace(m.Places()[0]), "/choose", 7},
	} {
		at, err := c.tree.Match(c.path)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.tree.Scopes[at[0]].Parameters; got != c.want {
			t.Errorf("%s: %d parameters, want %d", name, got, c.want)
		}
	}
}

// TestHoistedConstants checks that what tools move to the front, in any order, does
// not decide the order of scopes.
func TestHoistedConstants(t *testing.T) {
	tree := treeOf(t, `
input x f32[1]
output y f32[1]
init w f32[1] 1
/l.1/c: c1 = Sqrt(w)
/l.0/c: c0 = Sqrt(w)
/l.0/x: a = Add(x, c0)
/l.1/x: y = Add(a, c1)
`)
	if got, want := drawn(tree), "l.0 2/2\nl.1 2/2\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if s := tree.Scopes[1]; s.First != 2 || s.Name != "l.0" {
		t.Errorf("%q starts at node %d, want the first that depends on an input", s.Name, s.First)
	}
}

// TestBounds checks names that are made to be large.
func TestBounds(t *testing.T) {
	deep := strings.Repeat("a/", 1<<20) + "x"
	long := "/" + strings.Repeat("b", 1<<20) + "/x"
	tree := named(t, deep, deep, long, "/"+strings.Repeat("c/", scope.MaxDepth)+"x", "/"+strings.Repeat("d/", scope.MaxDepth+1)+"x")
	if tree.Cut != 3 {
		t.Errorf("%d nodes are cut, want 3", tree.Cut)
	}
	if d := tree.Scopes[tree.Find(0)].Depth; d != scope.MaxDepth || tree.Find(0) != tree.Find(1) {
		t.Errorf("the deepest is %d deep", d)
	}
	if len(tree.Scopes) != 1+3*scope.MaxDepth+1 {
		t.Errorf("%d scopes", len(tree.Scopes))
	}
	var many []string
	for i := range 1000 {
		many = append(many, strings.Repeat(fmt.Sprintf("s%d/", i), scope.MaxDepth)+"x")
	}
	if tree := named(t, many...); tree.Cut == 0 || len(tree.Scopes) > 6*len(many) {
		t.Errorf("%d nodes have %d scopes, %d are cut", len(many), len(tree.Scopes), tree.Cut)
	}
	weight := strings.Repeat("a.", scope.MaxDepth+1) + "w"
	if tree := treeOf(t, "input x f32[1]\noutput y f32[1]\ninit "+weight+" f32[1] 1\ny = Add(x, "+weight+")"); tree.Cut != 1 {
		t.Errorf("a weight's name: %d nodes are cut, want 1", tree.Cut)
	}
	if empty := built(t, chainOf(t, nil, "Relu")); !empty.IsFlat() || empty.Scopes[0].First != -1 {
		t.Errorf("a graph without nodes: %+v", empty.Scopes)
	}
}
