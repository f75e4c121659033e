package graphops

import (
	"fmt"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
	"lathe/graphops/tensor"
)

// LatestIRVersion is the newest known version of the file format.
const LatestIRVersion = 14

// OptionalInputsIR is the version of the file format from which initializers need not be inputs of
// their graph. From this version on, an initializer that is also an input is a default value, which
// a caller may replace. In earlier versions all initializers are listed as inputs, and none can be
// replaced.
const OptionalInputsIR = 4

// AtLeastIR returns the model in the given version of the file format. A model of a later version
// keeps its own. In an early version all initializers are listed as inputs. They are removed from
// the inputs if the new version would make them replaceable.
func (m *Model) AtLeastIR(version int64) *Model {
	was := m.IRVersion()
	if was >= version {
		return m
	}
	e := Edit(m)
	if was < OptionalInputsIR && version >= OptionalInputsIR {
		x := m.graph.Index()
		e.Inputs = slices.DeleteFunc(e.Inputs, func(v *ValueInfo) bool {
			id, ok := x.Value(v.name)
			return ok && x.IsInitializer(id)
		})
	}
	e.SetIRVersion(version)
	return e.Model()
}

// IRNeed is the lowest version of the file format that a model can have. What and Name describe the
// feature of the model that requires this version.
type IRNeed struct {
	Version int64
	What    string
	Name    string // of the function, graph, tensor, value or node; empty for the model
}

// NeededIR returns the lowest version of the file format that supports everything in the model. The
// version is math.MaxInt64 if no known version does.
func (m *Model) NeededIR() IRNeed {
	s := irSurvey{IRNeed{1, "nothing in it", ""}}
	if len(m.Opsets()) > 0 {
		s.need(3, "the import of operator sets")
	}
	if m.HasTraining() {
		s.need(7, "training_info")
	}
	if hasField(m.head, fieldnum.ModelConfiguration) {
		s.need(11, "the configuration of devices")
	}
	for _, f := range m.functions {
		s.function(f)
	}
	for g := range m.Graphs() {
		s.graph(g)
	}
	return s.most
}

// irSurvey finds the highest version that any part of a model requires, and the first part that
// requires it.
type irSurvey struct{ most IRNeed }

// need records a requirement of the model as a whole.
func (s *irSurvey) need(version int64, what string) { s.needOf("", version, "%s", what) }

// needOf records a requirement of a named part.
func (s *irSurvey) needOf(name string, version int64, what string, args ...any) {
	if version > s.most.Version {
		s.most = IRNeed{version, fmt.Sprintf(what, args...), name}
	}
}

func hasField(b []byte, num protowire.Number) bool {
	for f := range fieldsOf(b) {
		if f.num == num {
			return true
		}
	}
	return false
}

func (s *irSurvey) function(f *Function) {
	s.needOf(f.name, 8, "function %q", f.name)
	if hasField(f.head, fieldnum.FunctionDefault) {
		s.needOf(f.name, 9, "a default for an attribute of function %q", f.name)
	}
	if f.overload != "" || len(f.graph.valueInfo) > 0 || hasField(f.head, fieldnum.FunctionMetadata) {
		s.needOf(f.name, 10, "the overload, value_info or metadata_props of function %q", f.name)
	}
}

func (s *irSurvey) graph(g *Graph) {
	inputs := map[string]bool{}
	for _, v := range g.inputs {
		inputs[v.name] = true
	}
	for _, t := range g.initializers {
		if !inputs[t.name] {
			s.needOf(t.name, 4, "initializer %q without an input", t.name)
		}
		s.tensor(t)
	}
	if hasField(g.head, fieldnum.GraphAnnotation) {
		s.needOf(g.Name(), 5, "a quantization annotation of graph %q", g.Name())
	}
	for _, p := range g.sparse {
		s.sparse(p)
	}
	if hasField(g.head, fieldnum.GraphMetadata) {
		s.needOf(g.Name(), 10, "metadata_props of graph %q", g.Name())
	}
	for _, list := range [][]*ValueInfo{g.inputs, g.outputs, g.valueInfo} {
		for _, v := range list {
			s.typ(v.Type(), "value", v.name)
			if hasField(v.head, fieldnum.ValueMetadata) {
				s.needOf(v.name, 10, "metadata_props of value %q", v.name)
			}
		}
	}
	for _, n := range g.nodes {
		s.node(n)
	}
}

func (s *irSurvey) tensor(t *Tensor) {
	s.element(t.dtype, "tensor", t.name)
	if hasField(t.head, fieldnum.TensorMetadata) {
		s.needOf(t.name, 10, "metadata_props of tensor %q", t.name)
	}
}

func (s *irSurvey) sparse(p *SparseTensor) {
	s.needOf(p.Name(), 6, "sparse tensor %q", p.Name())
	for _, t := range []*Tensor{p.values, p.indices} {
		if t != nil {
			s.tensor(t)
		}
	}
}

// irOfElement lists the versions of the file format that introduced element types. Types are
// numbered in the order of their introduction, so each entry has only the first type of a version.
var irOfElement = []struct {
	first   tensor.DType
	version int64
}{
	{tensor.F32, 1},
	{tensor.BF16, 4},
	{tensor.F8E4M3FN, 9},
	{tensor.U4, 10},
	{tensor.F4E2M1, 11},
	{tensor.F8E8M0, 12},
	{tensor.U2, 13},
	{tensor.F6E2M3, 14},
	{tensor.F6E3M2 + 1, math.MaxInt64},
}

func (s *irSurvey) element(d tensor.DType, what, name string) {
	version := int64(1)
	for _, e := range irOfElement {
		if d >= e.first {
			version = e.version
		}
	}
	s.needOf(name, version, "the type %s of %s %q", d, what, name)
}

func (s *irSurvey) typ(t Type, what, name string) {
	switch t.Kind {
	case TypeSparse, TypeOptional:
		s.needOf(name, 8, "the type %s of %s %q", t, what, name)
	}
	if t.Kind != TypeUnknown {
		s.element(t.Elem, what, name)
	}
	if t.Of != nil {
		s.typ(*t.Of, what, name)
	}
}

func (s *irSurvey) node(n *Node) {
	if n.overload != "" || hasField(n.rest(), fieldnum.NodeMetadata) {
		s.needOf(n.name, 10, "the overload or metadata_props of node %q", n.name)
	}
	if hasField(n.rest(), fieldnum.NodeDevice) {
		s.needOf(n.name, 11, "the device configuration of node %q", n.name)
	}
	if n.attrs == nil && !mayHoldTypes(n) {
		return // skips the decoding of attributes, which takes most of the time
	}
	for _, a := range n.Attributes() {
		s.attribute(n, a)
	}
}

// mayHoldTypes reports whether any attribute of a node can contain an element type: in a tensor, in
// a type, or as a number. It examines the serialized attributes without decoding them.
func mayHoldTypes(n *Node) bool {
	for f := range fieldsOf(n.rest()) {
		if f.num != fieldnum.NodeAttribute {
			continue
		}
		for a := range fieldsOf(f.value) {
			switch a.num {
			case fieldnum.AttrT, fieldnum.AttrTensors, fieldnum.AttrSparseTensor, fieldnum.AttrSparseTensors, fieldnum.AttrTP, fieldnum.AttrTPs:
				return true
			case fieldnum.AttrName:
				if HoldsElementType(n, text(a.value)) {
					return true
				}
			}
		}
	}
	return false
}

// attribute examines an attribute of a node, except for the graphs in it.
func (s *irSurvey) attribute(n *Node, a *Attribute) {
	for _, t := range a.Tensors() {
		s.tensor(t)
	}
	if a.sparse != nil {
		s.sparse(a.sparse)
	}
	for _, p := range a.sparses {
		s.sparse(p)
	}
	for f := range fieldsOf(a.head) {
		if f.num != fieldnum.AttrTP && f.num != fieldnum.AttrTPs || f.typ != protowire.BytesType || checkType(f.value, 0) != nil {
			continue
		}
		s.needOf(n.name, 8, "the type in attribute %q of node %q", a.name, n.name)
		s.typ(decodeType(f.value), "node", n.name)
	}
	if a.Kind() == AttrInt && HoldsElementType(n, a.name) {
		s.element(tensor.DType(min(a.Int(), math.MaxInt32)), "node", n.name)
	}
}

// HoldsElementType reports whether the attribute's integer is the number of an element type, such
// as the attribute "to" of a Cast.
func HoldsElementType(n *Node, attribute string) bool {
	switch attribute {
	case "to", "dtype", "output_dtype", "output_datatype", "stash_type", "precision", "softmax_precision":
		return n.Domain() == DefaultDomain
	}
	return false
}
