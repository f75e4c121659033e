package graphops

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// The numbers of the fields that each message has in version LatestIRVersion of the file format.
var (
	modelFields     = fieldSet(1, 2, 3, 4, 5, 6, 7, 8, 14, 20, 25, 26)
	functionFields  = fieldSet(1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)
	graphFields     = fieldSet(1, 2, 5, 10, 11, 12, 13, 14, 15, 16)
	nodeFields      = fieldSet(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
	attributeFields = fieldSet(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 20, 21, 22, 23)
	valueFields     = fieldSet(1, 2, 3, 4)
	tensorFields    = fieldSet(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16)
	typeFields      = fieldSet(1, 4, 5, 6, 7, 8, 9)
)

func fieldSet(numbers ...int) (set uint32) {
	for _, n := range numbers {
		set |= 1 << n
	}
	return set
}

// UnknownField describes the first field that no known version of the file format defines, and says
// in which part of the model it is. It returns an empty string if all fields are known. It does not
// examine the contents of types, imports, metadata entries and training information.
func (m *Model) UnknownField() string {
	s := fieldSurvey{}
	s.look(m.head, modelFields, "the model", "")
	for _, f := range m.functions {
		s.look(f.head, functionFields, "function", f.name)
	}
	for g := range m.Graphs() {
		s.graph(g)
	}
	return s.found
}

// fieldSurvey keeps the first unknown field.
type fieldSurvey struct{ found string }

func (s *fieldSurvey) look(b []byte, known uint32, what, name string) {
	if s.found != "" {
		return
	}
	for f := range fieldsOf(b) {
		if f.num < 32 && known&(1<<f.num) != 0 {
			continue
		}
		s.found = fmt.Sprintf("field %d of %s", f.num, what)
		if name != "" {
			s.found += fmt.Sprintf(" %q", name)
		}
		return
	}
}

func (s *fieldSurvey) graph(g *Graph) {
	s.look(g.head, graphFields, "graph", g.Name())
	for _, t := range g.initializers {
		s.tensor(t)
	}
	for _, p := range g.sparse {
		s.sparse(p)
	}
	for _, list := range [][]*ValueInfo{g.inputs, g.outputs, g.valueInfo} {
		for _, v := range list {
			s.look(v.head, valueFields, "value", v.name)
			for f := range fieldsOf(v.head) {
				if f.num == fieldnum.ValueType && f.typ == protowire.BytesType {
					s.look(f.value, typeFields, "the type of value", v.name)
				}
			}
		}
	}
	for _, n := range g.nodes {
		if s.found != "" {
			return
		}
		s.node(n)
	}
}

func (s *fieldSurvey) node(n *Node) {
	s.look(n.rest(), nodeFields, "node", n.name)
	for _, a := range n.Attributes() {
		s.look(a.head, attributeFields, "attribute", a.name)
		for _, t := range a.Tensors() {
			s.tensor(t)
		}
		if a.sparse != nil {
			s.sparse(a.sparse)
		}
		for _, p := range a.sparses {
			s.sparse(p)
		}
	}
}

func (s *fieldSurvey) tensor(t *Tensor) { s.look(t.head, tensorFields, "tensor", t.name) }

func (s *fieldSurvey) sparse(p *SparseTensor) {
	for _, t := range []*Tensor{p.values, p.indices} {
		if t != nil {
			s.tensor(t)
		}
	}
}
