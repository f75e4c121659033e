package mutate

import (
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// Site identifies a node by the index of its place in graphops.Model.Places and its index in that
// place.
type Site struct{ Place, Node int }

// Spoiled is a copy of a model with one mistake, such as people and exporters make.
type Spoiled struct {
	Model *onnxpb.ModelProto
	Kind  string // of mistake
	What  string // a description
	// Sites are the nodes with the mistake. If a constant, an input or an output has the mistake,
	// they are the nodes that use it. The list is empty if only the runtime can say which nodes are
	// affected.
	Sites []Site
	Value string // the constant or port at fault, "" for none
}

// Spoil makes a random mistake in a base. It returns false if that kind of mistake is not possible
// in the base. Replacement operators come from the other bases. The same seed always gives the same
// mistake.
func Spoil(base Base, others []Base, seed uint64) (Spoiled, bool) {
	s := &spoiler{mutator: mutatorOf(base, others, seed)}
	s.scopes = scopesOf(s.model)
	m := pick(s.mutator, mistakes)
	what, sites := m.make(s)
	made := what != "" && !proto.Equal(s.model, base.Model)
	return Spoiled{Model: s.model, Kind: m.kind, What: what, Sites: sites, Value: s.value}, made
}

// spoiler makes one mistake in one model.
type spoiler struct {
	*mutator
	scopes []scope
	value  string // at fault
}

// mistakes are the possible mistakes, chosen with equal probability. Each returns a description and
// the nodes at fault. The description is "" if the mistake is not possible in the model.
var mistakes = []struct {
	kind string
	make func(*spoiler) (what string, at []Site)
}{
	{"operator misspelt", (*spoiler).misspellOperator},
	{"operator exchanged", (*spoiler).exchangeOperator},
	{"operand renamed", (*spoiler).renameOperand},
	{"operand removed", (*spoiler).removeOperand},
	{"operand emptied", (*spoiler).emptyOperand},
	{"operand added", (*spoiler).addOperand},
	{"operands exchanged", (*spoiler).exchangeOperands},
	{"edge redirected", (*spoiler).redirect},
	{"edge turned back", (*spoiler).turnBack},
	{"output added", (*spoiler).addOutput},
	{"output made twice", (*spoiler).makeTwice},
	{"attribute renamed", (*spoiler).renameAttribute},
	{"attribute removed", (*spoiler).removeAttribute},
	{"attribute retyped", (*spoiler).retypeAttribute},
	{"attribute doubled", (*spoiler).doubleAttribute},
	{"attribute changed", (*spoiler).changeAttribute},
	{"constant cut", (*spoiler).cutConstant},
	{"constant reshaped", (*spoiler).reshapeConstant},
	{"constant retyped", (*spoiler).retypeConstant},
	{"constant damaged", (*spoiler).damageConstant},
	{"element changed", (*spoiler).changeElement},
	{"input retyped", (*spoiler).retypeInput},
	{"input reshaped", (*spoiler).reshapeInput},
	{"output retyped", (*spoiler).retypeOutput},
	{"opset changed", (*spoiler).changeOpset},
	{"domain not imported", (*spoiler).dropImport},
	{"function removed", (*spoiler).removeFunction},
	{"function changed", (*spoiler).changeFunction},
	{"body output removed", (*spoiler).removeBodyOutput},
	{"body input changed", (*spoiler).changeBodyInput},
	{"body output retyped", (*spoiler).retypeBodyOutput},
}

// scope is a place in a generated message: the main graph, a body or a function.
type scope struct {
	place int
	nodes []*onnxpb.NodeProto
	graph *onnxpb.GraphProto // nil for a function
	// holder is the node that contains a body.
	holder Site
}

// scopesOf returns the main graph, the bodies of nodes and the functions, in the order of
// graphops.Model.Places.
func scopesOf(m *onnxpb.ModelProto) []scope {
	var list []scope
	var add func(sc scope)
	add = func(sc scope) {
		sc.place = len(list)
		list = append(list, sc)
		for i, n := range sc.nodes {
			for _, a := range n.GetAttribute() {
				for _, g := range graphsOf(a) {
					add(scope{nodes: g.GetNode(), graph: g, holder: Site{sc.place, i}})
				}
			}
		}
	}
	add(scope{nodes: m.GetGraph().GetNode(), graph: m.GetGraph()})
	for _, f := range m.GetFunctions() {
		add(scope{nodes: f.GetNode()})
	}
	return list
}

func graphsOf(a *onnxpb.AttributeProto) []*onnxpb.GraphProto {
	if a.GetG() != nil {
		return []*onnxpb.GraphProto{a.GetG()}
	}
	return a.GetGraphs()
}

// draw returns a random node for which fits returns true, or nil if fits returns false for all
// nodes.
func (s *spoiler) draw(fits func(*onnxpb.NodeProto) bool) (*onnxpb.NodeProto, Site) {
	all := s.where(fits)
	if len(all) == 0 {
		return nil, Site{}
	}
	at := pick(s.mutator, all)
	return s.scopes[at.Place].nodes[at.Node], at
}

// where lists the nodes for which fits returns true.
func (s *spoiler) where(fits func(*onnxpb.NodeProto) bool) (list []Site) {
	for _, sc := range s.scopes {
		for i, n := range sc.nodes {
			if fits(n) {
				list = append(list, Site{sc.place, i})
			}
		}
	}
	return list
}

// readers returns the nodes that read a value with the name, in any place.
func (s *spoiler) readers(name string) []Site {
	return s.where(func(n *onnxpb.NodeProto) bool { return slices.Contains(n.GetInput(), name) })
}

// makers returns the nodes of the main graph that produce a value with the name.
func (s *spoiler) makers(name string) []Site {
	return slices.DeleteFunc(s.where(func(n *onnxpb.NodeProto) bool { return slices.Contains(n.GetOutput(), name) }), func(at Site) bool { return at.Place != 0 })
}

// misspelt returns the name with a typing error.
func (s *spoiler) misspelt(name string) string {
	if len(name) < 2 {
		return name + "x"
	}
	i := s.rng.IntN(len(name) - 1)
	switch s.rng.IntN(3) {
	case 0:
		return name[:i] + name[i+1:]
	case 1:
		return name + name[len(name)-1:]
	}
	return name[:i] + name[i+1:i+2] + name[i:i+1] + name[i+2:]
}

func hasInputs(n *onnxpb.NodeProto) bool     { return len(n.GetInput()) > 0 }
func hasAttributes(n *onnxpb.NodeProto) bool { return len(n.GetAttribute()) > 0 }
func anyNode(*onnxpb.NodeProto) bool         { return true }

func (s *spoiler) misspellOperator() (string, []Site) {
	n, at := s.draw(anyNode)
	if n == nil {
		return "", nil
	}
	was := n.GetOpType()
	n.OpType = proto.String(s.misspelt(was))
	return fmt.Sprintf("%s in place of %s", n.GetOpType(), was), []Site{at}
}

func (s *spoiler) exchangeOperator() (string, []Site) {
	n, at := s.draw(anyNode)
	other := pick(s.mutator, pick(s.mutator, s.others).Model.GetGraph().GetNode())
	if n == nil || other == nil || other.GetOpType() == n.GetOpType() || s.imported(other.GetDomain()) == nil {
		return "", nil
	}
	was := n.GetOpType()
	n.OpType, n.Domain = other.OpType, other.Domain
	return fmt.Sprintf("%s in place of %s", n.GetOpType(), was), []Site{at}
}

// imported returns the import of a domain, nil if there is none.
func (s *spoiler) imported(domain string) *onnxpb.OperatorSetIdProto {
	for _, o := range s.model.GetOpsetImport() {
		if o.GetDomain() == domain {
			return o
		}
	}
	return nil
}
