package graphtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
)

// Nodes writes each node of a graph as a line in the form that Model reads. There are two
// differences. An attribute other than a number, a string or a list of these is written as its kind
// only. The nodes of a body follow the node with the body, indented.
func Nodes(g *graphops.Graph) []string {
	var out []string
	for _, n := range g.Nodes() {
		out = append(out, Node(n))
		for _, body := range n.Graphs() {
			for _, line := range Nodes(body) {
				out = append(out, "  "+line)
			}
		}
	}
	return out
}

// Encode returns the serialized model, with external data embedded.
func Encode(t testing.TB, m *graphops.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := graphops.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Message returns the model as a generated message.
func Message(t testing.TB, m *graphops.Model) *onnxpb.ModelProto {
	t.Helper()
	p := &onnxpb.ModelProto{}
	if err := proto.Unmarshal(Encode(t, m), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// Node writes one node.
func Node(n *graphops.Node) string {
	var b strings.Builder
	if n.Name() != "" {
		fmt.Fprintf(&b, "%s: ", n.Name())
	}
	outputs := slices.Clone(n.Outputs())
	for i, o := range outputs {
		if o == "" {
			outputs[i] = "_"
		}
	}
	fmt.Fprintf(&b, "%s = ", strings.Join(outputs, ", "))
	if n.Domain() != "" {
		fmt.Fprintf(&b, "%s::", n.Domain())
	}
	fmt.Fprintf(&b, "%s(%s)", n.OpType(), strings.Join(n.Inputs(), ", "))
	for _, a := range n.Attributes() {
		fmt.Fprintf(&b, " %s=%s", a.Name(), attributeText(a))
	}
	return b.String()
}

func attributeText(a *graphops.Attribute) string {
	switch a.Kind() {
	case graphops.AttrInt:
		return fmt.Sprint(a.Int())
	case graphops.AttrFloat:
		return fmt.Sprint(a.Float())
	case graphops.AttrString:
		return fmt.Sprintf("'%s'", a.Text())
	case graphops.AttrInts:
		return strings.ReplaceAll(fmt.Sprint(a.Ints()), " ", ",")
	case graphops.AttrFloats:
		return strings.ReplaceAll(fmt.Sprint(a.Floats()), " ", ",")
	}
	return fmt.Sprintf("kind(%d)", a.Kind())
}

// Initializers writes the name, type and shape of each initializer of a graph, in file order.
func Initializers(g *graphops.Graph) []string {
	var out []string
	for _, t := range g.Initializers() {
		dims := strings.ReplaceAll(fmt.Sprint(t.Dims()), " ", ",")
		out = append(out, fmt.Sprintf("%s %s%s", t.Name(), t.DType(), dims))
	}
	return out
}
