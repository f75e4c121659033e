package graphops_test

import (
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// runtimeCase is a model that Lathe reads, m/m.onnx among some files, and what is
// said of it for a version of ONNX Runtime. ROOT is the folder of all.
type runtimeCase struct {
	files map[string]string
	want  map[string]string // by version
}

const (
	saysNothing = "nothing"
	hereIsData  = "the data"
)

func runtimeCases(t testing.TB) map[string]runtimeCase {
	const here, none = hereIsData, saysNothing
	model := func(location string, more ...string) string { return eightBytes(t, location, more...) }
	empty := func(more ...string) string {
		p := graphtest.Proto(t, "opset 20\ninit w f32[0]\ny = Relu(w)\noutput y")
		outside(p.Graph.Initializer[0], entries(append([]string{"location", "w.bin"}, more...)...))
		return serialized(t, p)
	}
	return map[string]runtimeCase{
		"a plain one": {map[string]string{"m/m.onnx": model("w.bin"), "m/w.bin": here}, map[string]string{"1.24.1": none, "1.30.0": none, "": none}},
		"known keys": {map[string]string{"m/m.onnx": model("w.bin", "checksum", "0", "prepacked_0", "x|0|4|y"), "m/w.bin": here}, map[string]string{
			"1.30.0": none,
		}},
		"an unknown key": {map[string]string{"m/m.onnx": model("w.bin", "colour", "blue", "basepath", "/"), "m/w.bin": here}, map[string]string{
			"1.24.1": `ONNX Runtime 1.24.1 refuses this model as it is stored: external tensor "w": it has keys that ONNX does not define: "colour", "basepath"`,
			"1.31.1": "ONNX Runtime 1.31.1 refuses",
			"1.40.0": "ONNX Runtime up to 1.32.0 refuses",
			"":       "ONNX Runtime refuses",
		}},
		"a key without a value": {map[string]string{"m/m.onnx": model("w.bin", "checksum", ""), "m/w.bin": here}, map[string]string{"1.30.0": `keys without a value: "checksum"`}},
		"an absolute location":  {map[string]string{"m/m.onnx": model("ROOT/m/w.bin"), "m/w.bin": here}, map[string]string{"1.30.0": "its location is an absolute path"}},
		"a link that leads out": {map[string]string{"m/m.onnx": model("w.bin"), "else/w.bin": here, "m/w.bin": "-> ../else/w.bin"}, map[string]string{
			"1.30.0": "the file is outside the model's folder, in ROOT/else",
		}},
		"a location that leads out": {map[string]string{"m/m.onnx": model("../else/w.bin"), "else/w.bin": here}, map[string]string{"1.30.0": "is outside the model's folder"}},
		"a cache of links": {map[string]string{"else/1": model("w.bin"), "else/2": here, "m/m.onnx": "-> ../else/1", "m/w.bin": "-> ../else/2"}, map[string]string{
			"1.24.1": "ONNX Runtime 1.24.1 refuses this model as it is stored: external tensor \"w\": the model's path is a symbolic link, and the file is a link to a file beside the model",
			"1.24.2": none, "1.31.1": none, "": none,
		}},
		"beside what the link leads to": {map[string]string{"else/m": model("w.bin"), "else/w.bin": here, "m/m.onnx": "-> ../else/m"}, map[string]string{
			"1.24.1": "not beside the link", "1.31.1": "not beside the link",
		}},
		"no elements": {map[string]string{"m/m.onnx": empty(), "m/w.bin": here}, map[string]string{"1.24.1": none, "1.31.1": none}},
		"no elements, further on": {map[string]string{"m/m.onnx": empty("offset", "4"), "m/w.bin": here}, map[string]string{
			"1.25.1": none, "1.26.0": "its offset is not 0", "1.31.1": "its offset is not 0", "1.32.0": none,
		}},
		"no elements in an empty file": {map[string]string{"m/m.onnx": empty(), "m/w.bin": ""}, map[string]string{
			"1.24.1": "ONNX Runtime 1.24.1 crashes on this model", "1.30.0": "crashes on", "1.31.0": none,
		}},
	}
}

// make makes the files of a case and returns the folder and the model.
func (c runtimeCase) make(t testing.TB) (root, path string) {
	t.Helper()
	root = realFolder(t)
	for file, content := range c.files {
		if strings.Contains(content, "ROOT") {
			c.files[file] = eightBytes(t, root+"/m/w.bin")
		}
	}
	tree(t, root, c.files)
	return root, filepath.Join(root, "m", "m.onnx")
}

// TestRefusedByRuntime reads what a version of ONNX Runtime refuses, and warns of
// it with that version and no other.
func TestRefusedByRuntime(t *testing.T) {
	for name, tt := range runtimeCases(t) {
		t.Run(name, func(t *testing.T) {
			root, path := tt.make(t)
			for version, want := range tt.want {
				got := warningsOf(t, path, version, root)
				if want == saysNothing {
					checkWarnings(t, got, nil)
				} else {
					checkWarnings(t, got, []string{"refused: "})
					checkWarnings(t, got, []string{strings.ReplaceAll(want, "ROOT", root)})
				}
			}
		})
	}
}

// operandCases are graphs whose every constant is moved outside, and the tensor
// that is named then, with how many more.
var operandCases = map[string]struct{ graph, want string }{
	"weights":               {"init w f32[2] 1 2\ny = Add(x, w)", ""},
	"indices":               {"init w i64[1] 1\ny = Gather(x, w)", ""},
	"a shape":               {"init s i64[2] 1 2\ny = Reshape(x, s)", `"s": input 1 of Reshape ""`},
	"two shapes":            {"init s i64[1] 2\ninit t i64[1] 2\nz = Reshape(x, s)\nn: y = Expand(z, t)", `"s" and 1 more: input 1 of Reshape`},
	"a shape twice":         {"init s i64[1] 2\nz = Reshape(x, s)\ny = Reshape(z, s)", `"s": input 1`},
	"a Constant node":       {"s = Constant() value={i64[1] 2}\ny = Reshape(x, s)", `"s": input 1`},
	"the data of a Reshape": {"init w f32[2] 1 2\ny = Reshape(w, x)", ""},
	"a default":             {"init s i64[1] 2\ninput s i64[1]\ny = Reshape(x, s)", ""},
	"another domain":        {"opset local 1\ninit s i64[1] 2\ny = local::Reshape(x, s)", ""},
	"all of a Slice":        {"init b i64[1] 0\ninit e i64[1] 1\ny = Slice(x, b, e)", `"b" and 1 more: input 1 of Slice`},
	"a part of a Slice":     {"init b i64[1] 0\ninput e i64[1]\ny = Slice(x, b, e)", ""},
	"the axes of a Pad":     {"init a i64[1] 0\ninput p i64[2]\ny = Pad(x, p, , a)", `"a": input 3 of Pad`},
	"an absent input":       {"init r f32[1] 1\ny = Resize(x, , r)", `"r": input 2 of Resize`},
	"a body":                {"graph b\ninit s i64[1] 2\nk = Reshape(x, s)\noutput k\nend\ninput c bool[]\ny = If(c) then_branch=@b else_branch=@b", `"s" and 1 more: input 1 of Reshape`},
	"captured by a body":    {"init s i64[1] 2\ngraph b\nk = Reshape(x, s)\noutput k\nend\ninput c bool[]\ny = If(c) then_branch=@b else_branch=@b", `"s": input 1`},
	"hidden from a body":    {"init s i64[1] 2\ngraph b\ns = Shape(x)\nk = Reshape(x, s)\noutput k\nend\ninput c bool[]\nz = Add(s, s)\ny = If(c) then_branch=@b else_branch=@b", ""},
	"a function":            {"opset local 1\nfunction local F(a) -> (b)\nopset 20\ns = Constant() value={i64[1] 2}\nb = Reshape(a, s)\nend\ny = local::F(x)", `"s": input 1 of Reshape`},
	"a condition":           {"graph b\nk = Relu(x)\noutput k\nend\ninit c bool[] 1\ny = If(c) then_branch=@b else_branch=@b", `"c": input 0 of If`},
}

// makeOperands makes the model of a case, every constant outside.
func makeOperands(t testing.TB, graph string) string {
	t.Helper()
	p := graphtest.Proto(t, "opset 20\ninput x f32[2]\noutput y\n"+graph)
	moveOutside(p)
	dir := t.TempDir()
	tree(t, dir, map[string]string{"m.onnx": serialized(t, p), "w.bin": strings.Repeat("\x01\x00\x00\x00\x00\x00\x00\x00", 8)})
	return filepath.Join(dir, "m.onnx")
}

// TestOperandsOutside wants a warning about the constants outside that are read
// while a model is loaded.
func TestOperandsOutside(t *testing.T) {
	for name, tt := range operandCases {
		t.Run(name, func(t *testing.T) {
			got := warningsOf(t, makeOperands(t, tt.graph), "1.30.0")
			if tt.want == "" {
				checkWarnings(t, got, nil)
			} else {
				checkWarnings(t, got, []string{"refused: ONNX Runtime 1.30.0 refuses this model as it is stored: external tensor " + tt.want})
			}
		})
	}
}

// moveOutside makes every tensor of a message refer to the start of w.bin.
func moveOutside(p *onnxpb.ModelProto) {
	var nodes func(list []*onnxpb.NodeProto)
	graph := func(g *onnxpb.GraphProto) {
		for _, x := range g.Initializer {
			outside(x, entries("location", "w.bin"))
		}
		nodes(g.Node)
	}
	nodes = func(list []*onnxpb.NodeProto) {
		for _, n := range list {
			for _, a := range n.Attribute {
				if a.T != nil {
					outside(a.T, entries("location", "w.bin"))
				}
				if a.G != nil {
					graph(a.G)
				}
			}
		}
	}
	graph(p.Graph)
	for _, f := range p.Functions {
		nodes(f.Node)
	}
}

// TestRuntimeIsAskedLate wants no question about the version where the answer does
// not matter.
func TestRuntimeIsAskedLate(t *testing.T) {
	dir := t.TempDir()
	tree(t, dir, map[string]string{
		"plain.onnx": serialized(t, graphtest.Proto(t, "opset 20\ninput x f32[2]\ny = Relu(x)\noutput y")),
		"m.onnx":     eightBytes(t, "w.bin"), "odd.onnx": eightBytes(t, "w.bin", "a", "1", "b", "2"), "w.bin": "the data",
	})
	for name, want := range map[string]int{"plain.onnx": 0, "m.onnx": 0, "odd.onnx": 1} {
		m, err := graphops.Open(filepath.Join(dir, name), graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		graphops.ExternalWarnings(m, func() string { asked++; return "1.30.0" })
		if asked != want {
			t.Errorf("%s: the version is asked for %d times, want %d", name, asked, want)
		}
	}
}

// TestStreamHasNoFolder warns of nothing that concerns the folder of a model which
// has none.
func TestStreamHasNoFolder(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{"one/x": "", "two/w.bin": "the data"})
	o := graphops.OpenOptions{AllowExternal: []string{filepath.Join(root, "one"), filepath.Join(root, "two")}}
	m, err := graphops.Read(strings.NewReader(eightBytes(t, "w.bin")), "-", o)
	if err != nil {
		t.Fatal(err)
	}
	if got := graphops.ExternalWarnings(m, func() string { return "1.30.0" }); len(got) > 0 {
		t.Errorf("warnings %v", got)
	}
}
