package growth

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// base is in every bomb, so that one command line suits all of them.
const base = `opset 17
input x f32[batch,4]
init w f32[4,4] 0.5
init half f32[4] 0.5
fold: bias = Add(half, half)
gemm: g = MatMul(x, w)
add: h = Add(g, bias)
act: y = Relu(h)
output y f32[batch,4]
tail: z = Sigmoid(h)
output z
`

// A Bomb is a model with many of one thing.
type Bomb struct {
	Name string
	// text returns k of the thing as lines of graphtest.
	text func(k int) string
	// add adds k of a thing that such lines cannot have.
	add func(m *onnxpb.ModelProto, k int)
}

// Bombs are all things that a model can have many of.
var Bombs = []Bomb{
	{Name: "axes", text: func(k int) string { return "input a f32[" + joined(k, "d%d") + "]\nb = Relu(a)\n" }},
	{Name: "axes of a tensor", text: func(k int) string { return "init a f32[" + joined(k, "1") + "] 1\nb = Relu(a)\n" }},
	{Name: "imports", text: each("opset d%d 1\n")},
	{Name: "functions", text: func(k int) string { return "opset local 1\n" + each(double)(k) }},
	{Name: "calls", text: func(k int) string {
		return "opset local 1\n" + numbered(double, 0) + each("c%d = local::F0(x)\n")(k)
	}},
	{Name: "functions with a call each", text: func(k int) string {
		return "opset local 1\n" + each(double)(k) + each("c%d = local::F%d(x)\n")(k)
	}},
	{Name: "nodes of a function", text: func(k int) string {
		return "opset local 1\nfunction local F(v0) -> (b)\n" + each("v%n = Neg(v%d)\n")(k) + fmt.Sprintf("b = Neg(v%d)\nend\nc = local::F(x)\n", k)
	}},
	{Name: "metadata", text: each("metadata k%d v\n")},
	{Name: "initializers", text: each("init u%d f32[1] 1\n")},
	{Name: "sparse initializers", text: each("sparse s%d f32[4] 3 at 1\n")},
	{Name: "chain", text: func(k int) string { return "v0 = Neg(x)\n" + each("v%n = Sigmoid(v%d)\n")(k) }},
	{Name: "chain of sums", text: func(k int) string { return "init c f32[4] 3\nv0 = Neg(x)\n" + each("v%n = Add(v%d, c)\n")(k) }},
	{Name: "chain of identities", text: func(k int) string { return "v0 = Neg(x)\n" + each("v%n = Identity(v%d)\n")(k) }},
	{Name: "chain with named nodes", text: func(k int) string { return "v0 = Neg(x)\n" + each("layer.%d/neg: v%n = Neg(v%d)\n")(k) }},
	{Name: "nodes side by side", text: each("v%d = Sigmoid(x)\n")},
	{Name: "foldable nodes", text: func(k int) string { return "init c f32[2] 3\n" + each("v%d = Add(c, c)\n")(k) }},
	{Name: "Constant nodes", text: each("v%d = Constant() value={f32[1] 3}\n")},
	{Name: "matrices", text: each("init m%d f32[4,4] 0.5\nv%d = MatMul(x, m%d)\n")},
	{Name: "inputs", text: each("input i%d f32[n%d,4]\n")},
	{Name: "outputs", text: each("v%d = Sigmoid(x)\noutput v%d f32[2,4]\n")},
	{Name: "value_info", text: func(k int) string { return "v0 = Neg(x)\n" + each("v%n = Sigmoid(v%d)\nvalue v%n f32[2,4]\n")(k) }},
	{Name: "attributes of a node", text: func(k int) string { return "v = com.example::Many(x) " + each("a%d=1 ")(k) + "\n" }},
	{Name: "elements of an attribute", text: func(k int) string { return "v = com.example::Many(x) a=[" + joined(k, "%d") + "]\n" }},
	{Name: "elements of a tensor", text: func(k int) string { return "init e i64[" + fmt.Sprint(k) + "] " + each("%d ")(k) + "\nv = Neg(e)\n" }},
	{Name: "inputs of a node", text: func(k int) string { return each("init u%d f32[2,4] 1\n")(k) + "v = Sum(" + joined(k, "u%d") + ")\n" }},
	{Name: "outputs of a node", text: func(k int) string { return joined(k, "v%d") + " = Split(x) axis=0\n" }},
	{Name: "subgraphs", text: func(k int) string {
		return "init c bool[] 1\ngraph then\nz = Relu(x)\noutput z f32[2,4]\nend\n" + each("v%d = If(c) then_branch=@then else_branch=@then\n")(k)
	}},
	{Name: "nested subgraphs", text: nested},
	{Name: "a long name", text: func(k int) string { return strings.Repeat("n", k) + ": " + strings.Repeat("v", k) + " = Neg(x)\n" }},
	{Name: "long names", text: each(strings.Repeat("n", 150) + "%d: " + strings.Repeat("v", 150) + "%d = Neg(x)\n")},
	{Name: "equal names", text: each("same: v%d = Sigmoid(x)\n")},
	{Name: "external tensors", add: external},
	{Name: "external data entries", add: func(m *onnxpb.ModelProto, k int) {
		external(m, 1)
		t := m.Graph.Initializer[len(m.Graph.Initializer)-1]
		for i := range k {
			t.ExternalData = append(t.ExternalData, &onnxpb.StringStringEntryProto{Key: proto.String(fmt.Sprint("k", i)), Value: proto.String("v")})
		}
	}},
}

// Named returns the bomb with a name of the list. It panics if the list has no such bomb.
func Named(name string) Bomb {
	return Bombs[slices.IndexFunc(Bombs, func(b Bomb) bool { return b.Name == name })]
}

const double = "function local F%d(a) -> (b)\nb = Neg(a)\nend\n"

// depth is how many subgraphs are within each other. Lathe refuses more than 32.
const depth = 8

func nested(k int) string {
	var b strings.Builder
	b.WriteString("init c bool[] 1\ngraph g0\nz0 = Relu(x)\noutput z0 f32[2,4]\nend\n")
	for i := 1; i < depth; i++ {
		fmt.Fprintf(&b, "graph g%d\nz%[1]d = If(c) then_branch=@g%[2]d else_branch=@g0\noutput z%[1]d f32[2,4]\nend\n", i, i-1)
	}
	return b.String() + each(fmt.Sprintf("v%%d = If(c) then_branch=@g%d else_branch=@g0\n", depth-1))(k/depth)
}

// external adds tensors whose elements are in another file.
func external(m *onnxpb.ModelProto, k int) {
	for i := range k {
		t := &onnxpb.TensorProto{Name: proto.String(fmt.Sprint("e", i)), DataType: proto.Int32(1), Dims: []int64{4}, DataLocation: onnxpb.TensorProto_EXTERNAL.Enum()}
		for _, e := range [][2]string{{"location", dataFile}, {"offset", fmt.Sprint(16 * i)}, {"length", "16"}} {
			t.ExternalData = append(t.ExternalData, &onnxpb.StringStringEntryProto{Key: &e[0], Value: &e[1]})
		}
		m.Graph.Initializer = append(m.Graph.Initializer, t)
	}
}

// dataFile is beside the model.
const dataFile = "bomb.data"

// each returns a function that writes a line k times, with its number for %d and the next for %n.
func each(line string) func(k int) string {
	return func(k int) string {
		var b strings.Builder
		for i := range k {
			b.WriteString(numbered(line, i))
		}
		return b.String()
	}
}

func numbered(line string, i int) string {
	return strings.NewReplacer("%d", strconv.Itoa(i), "%n", strconv.Itoa(i+1)).Replace(line)
}

// joined is a list with commas.
func joined(k int, format string) string { return strings.TrimSuffix(each(format+",")(k), ",") }

// Proto returns the model with k of the thing.
func (b Bomb) Proto(t testing.TB, k int) *onnxpb.ModelProto {
	t.Helper()
	text := ""
	if b.text != nil {
		text = b.text(k)
	}
	m := graphtest.Proto(t, text+base)
	if b.add != nil {
		b.add(m, k)
	}
	return m
}

func protoBytes(t testing.TB, b Bomb, k int) []byte {
	t.Helper()
	content, err := proto.Marshal(b.Proto(t, k))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// Write writes the model with k of the thing into a folder, with its data beside it.
func (b Bomb) Write(t testing.TB, dir string, k int) (path string) {
	t.Helper()
	path = filepath.Join(dir, fmt.Sprintf("bomb%d.onnx", k))
	if err := os.WriteFile(path, protoBytes(t, b, k), 0o600); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, dataFile)
	if was, err := os.Stat(data); err == nil && was.Size() >= int64(16*k) {
		return path // a larger model is beside this one
	}
	if err := os.WriteFile(data, make([]byte, 16*k), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
