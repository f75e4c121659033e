package mutate

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// argument changes the inputs of a node: one is dropped, omitted or duplicated, or two are
// exchanged.
func (m *mutator) argument() string {
	n := pick(m, m.nodes())
	if n == nil || len(n.GetInput()) == 0 {
		return ""
	}
	i, j := m.rng.IntN(len(n.Input)), m.rng.IntN(len(n.Input))
	switch m.rng.IntN(6) {
	case 0:
		n.Input[i], n.Input[j] = n.Input[j], n.Input[i]
	case 1:
		n.Input[i] = n.Input[j]
	case 2:
		n.Input = n.Input[:len(n.Input)-1]
	case 3:
		n.Input = append(n.Input, n.Input[i])
	case 4:
		if len(n.Output) == 0 {
			return ""
		}
		n.Output = n.Output[:len(n.Output)-1]
	default:
		n.Input[i] = ""
	}
	return fmt.Sprintf("%s takes %q and gives %q", n.GetOpType(), n.Input, n.Output)
}

// operator replaces the operator of a node by another one with the same number of inputs.
func (m *mutator) operator() string {
	n := pick(m, m.nodes())
	other := pick(m, pick(m, m.others).Model.GetGraph().GetNode())
	if n == nil || other == nil || len(other.GetInput()) != len(n.GetInput()) {
		return ""
	}
	was := n.GetOpType()
	n.OpType, n.Domain = proto.String(other.GetOpType()), proto.String(other.GetDomain())
	if m.rng.IntN(2) == 0 {
		n.Attribute = proto.CloneOf(other).Attribute
	}
	m.declare(other.GetDomain())
	return fmt.Sprintf("%s in place of %s", n.GetOpType(), was)
}

// declare makes sure that the model imports a domain.
func (m *mutator) declare(domain string) {
	for _, o := range m.model.GetOpsetImport() {
		if o.GetDomain() == domain {
			return
		}
	}
	m.model.OpsetImport = append(m.model.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(domain), Version: proto.Int64(1)})
}

func (m *mutator) opset() string {
	o := pick(m, m.model.GetOpsetImport())
	if o == nil {
		return ""
	}
	o.Version = proto.Int64(int64(m.rng.IntN(25)))
	return fmt.Sprintf("opset %s %d", o.GetDomain(), o.GetVersion())
}

// follow adds a node of another base that reads an output of this model. Optimizers look at pairs
// of nodes.
func (m *mutator) follow() string {
	g := m.model.GetGraph()
	from := pick(m, g.GetOutput())
	other := proto.CloneOf(pick(m, m.others).Model)
	first := pick(m, other.GetGraph().GetNode())
	if from == nil || len(other.GetGraph().GetNode()) != 1 || len(first.GetInput()) == 0 {
		return ""
	}
	prefix(other.GetGraph(), "b")
	first.Input[0] = from.GetName()
	g.Node = append(g.Node, first)
	g.Initializer = append(g.Initializer, other.GetGraph().GetInitializer()...)
	g.Input = append(g.Input, other.GetGraph().GetInput()...)
	g.Output = append(g.Output, other.GetGraph().GetOutput()...)
	m.declare(first.GetDomain())
	return fmt.Sprintf("%s reads %s", first.GetOpType(), from.GetName())
}

// prefix puts a text before the names of all values of a graph with one node, so that they differ
// from those of another graph.
func prefix(g *onnxpb.GraphProto, with string) {
	for _, list := range [][]string{g.Node[0].Input, g.Node[0].Output} {
		for i, name := range list {
			if name != "" {
				list[i] = with + name
			}
		}
	}
	for _, v := range slices.Concat(g.Input, g.Output) {
		v.Name = proto.String(with + v.GetName())
	}
	for _, t := range g.Initializer {
		t.Name = proto.String(with + t.GetName())
	}
}

// cycle makes a node read a value that depends on the node.
func (m *mutator) cycle() string {
	g := pick(m, m.graphs())
	from, to := pick(m, g.GetNode()), pick(m, g.GetNode())
	if from == nil || len(from.GetInput()) == 0 || len(to.GetOutput()) == 0 {
		return ""
	}
	from.Input[m.rng.IntN(len(from.Input))] = to.Output[0]
	return fmt.Sprintf("%s reads an output of %s", from.GetOpType(), to.GetOpType())
}

// rename gives a value the name of another value, or an empty name.
func (m *mutator) rename() string {
	n := pick(m, m.nodes())
	if n == nil || len(n.GetOutput()) == 0 {
		return ""
	}
	name := ""
	if other := pick(m, m.nodes()); m.rng.IntN(3) > 0 && len(other.GetInput()) > 0 {
		name = pick(m, other.GetInput())
	}
	was := n.Output[0]
	n.Output[0] = name
	return fmt.Sprintf("%s is called %q", was, name)
}
