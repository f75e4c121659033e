package mutate

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// nest moves the nodes of the main graph into a body of a node, and may do so several times.
func (m *mutator) nest() string {
	g := m.model.GetGraph()
	if len(g.GetNode()) == 0 || len(g.GetOutput()) == 0 {
		return ""
	}
	loop := m.rng.IntN(2) == 0
	depth := pick(m, []int{1, 2, 3, 8, 30})
	if loop {
		depth = min(depth, 8) // each level doubles the iterations
	}
	innermost := &onnxpb.GraphProto{Name: proto.String("else"), Node: g.Node}
	innermost.Output, _ = outputs(g)
	for i := range depth {
		if loop {
			m.intoLoop(g, i)
		} else {
			intoIf(g, proto.CloneOf(innermost), i)
		}
	}
	word := "If"
	if loop {
		word = "Loop"
	}
	return fmt.Sprintf("within %d × %s", depth, word)
}

// outputs returns declarations of the graph's outputs for a body. They have no types, because the
// runtime infers them.
func outputs(g *onnxpb.GraphProto) (ports []*onnxpb.ValueInfoProto, names []string) {
	for _, v := range g.GetOutput() {
		ports = append(ports, &onnxpb.ValueInfoProto{Name: proto.String(v.GetName())})
		names = append(names, v.GetName())
	}
	return ports, names
}

func intoIf(g, otherwise *onnxpb.GraphProto, depth int) {
	condition := fmt.Sprintf("if%d", depth)
	ports, names := outputs(g)
	body := &onnxpb.GraphProto{Name: proto.String("body"), Node: g.Node, Output: ports}
	g.Initializer = append(g.Initializer, &onnxpb.TensorProto{Name: &condition, DataType: proto.Int32(int32(onnxpb.TensorProto_BOOL)), RawData: []byte{1}})
	g.Node = []*onnxpb.NodeProto{{
		OpType: proto.String("If"), Input: []string{condition}, Output: fresh(g, names, depth),
		Attribute: []*onnxpb.AttributeProto{graphAttribute("then_branch", body), graphAttribute("else_branch", otherwise)},
	}}
}

// fresh gives the outputs of a graph new names, because the body that has its nodes uses the old
// ones.
func fresh(g *onnxpb.GraphProto, names []string, depth int) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = fmt.Sprintf("%s_%d", name, depth)
		g.Output[i].Name = proto.String(out[i])
	}
	return out
}

func graphAttribute(name string, g *onnxpb.GraphProto) *onnxpb.AttributeProto {
	return &onnxpb.AttributeProto{Name: proto.String(name), Type: onnxpb.AttributeProto_GRAPH.Enum(), G: g}
}

// intoLoop moves the nodes of a graph into the body of a Loop. The outputs become scan outputs of
// the Loop.
func (m *mutator) intoLoop(g *onnxpb.GraphProto, depth int) {
	trips, going, again := fmt.Sprintf("trips%d", depth), fmt.Sprintf("going%d", depth), fmt.Sprintf("again%d", depth)
	ports, names := outputs(g)
	condition := &onnxpb.ValueInfoProto{Name: &again}
	body := &onnxpb.GraphProto{
		Name: proto.String("body"), Node: append(g.Node, &onnxpb.NodeProto{OpType: proto.String("Identity"), Input: []string{going}, Output: []string{again}}),
		Input:  []*onnxpb.ValueInfoProto{scalar(fmt.Sprintf("turn%d", depth), onnxpb.TensorProto_INT64), scalar(going, onnxpb.TensorProto_BOOL)},
		Output: append([]*onnxpb.ValueInfoProto{condition}, ports...),
	}
	count := &onnxpb.TensorProto{Name: &trips, DataType: proto.Int32(int32(onnxpb.TensorProto_INT64)), RawData: []byte{2, 0, 0, 0, 0, 0, 0, 0}}
	if m.rng.IntN(6) == 0 {
		m.put(count, count.RawData)
	}
	g.Initializer = append(g.Initializer, count)
	g.Node = []*onnxpb.NodeProto{{
		OpType: proto.String("Loop"), Input: []string{trips, ""}, Output: fresh(g, names, depth),
		Attribute: []*onnxpb.AttributeProto{graphAttribute("body", body)},
	}}
}

func scalar(name string, elem onnxpb.TensorProto_DataType) *onnxpb.ValueInfoProto {
	t := &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(elem)), Shape: &onnxpb.TensorShapeProto{}}
	return &onnxpb.ValueInfoProto{Name: &name, Type: &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: t}}}
}

// call moves the nodes into a function. The function may then call itself.
func (m *mutator) call() string {
	g := m.model.GetGraph()
	if f := pick(m, m.model.GetFunctions()); f != nil {
		node := pick(m, f.GetNode())
		if node == nil {
			return ""
		}
		node.OpType, node.Domain = proto.String(f.GetName()), proto.String(f.GetDomain())
		f.OpsetImport = append(f.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(f.GetDomain()), Version: proto.Int64(1)})
		return fmt.Sprintf("%s calls itself", f.GetName())
	}
	f := &onnxpb.FunctionProto{Name: proto.String("F"), Domain: proto.String("local"), Node: g.GetNode(), OpsetImport: m.model.GetOpsetImport()}
	for _, v := range g.GetInput() {
		f.Input = append(f.Input, v.GetName())
	}
	for _, t := range g.GetInitializer() {
		f.Input = append(f.Input, t.GetName())
	}
	for _, v := range g.GetOutput() {
		f.Output = append(f.Output, v.GetName())
	}
	m.declare("local")
	m.model.Functions = append(m.model.Functions, f)
	g.Node = []*onnxpb.NodeProto{{OpType: proto.String("F"), Domain: proto.String("local"), Input: f.Input, Output: f.Output}}
	return "within a function"
}
