package onnxtext

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops"
	"lathe/graphops/fieldnum"
)

// valueFields maps each kind of attribute to the field of AttributeProto for its value.
var valueFields = map[graphops.AttributeKind]protowire.Number{
	graphops.AttrFloat: fieldnum.AttrF, graphops.AttrInt: fieldnum.AttrI, graphops.AttrString: fieldnum.AttrS, graphops.AttrTensor: fieldnum.AttrT,
	graphops.AttrGraph: fieldnum.AttrG, graphops.AttrFloats: fieldnum.AttrFloats, graphops.AttrInts: fieldnum.AttrInts, graphops.AttrStrings: fieldnum.AttrStrings,
	graphops.AttrTensors: fieldnum.AttrTensors, graphops.AttrGraphs: fieldnum.AttrGraphs, graphops.AttrTypeProto: fieldnum.AttrTP, graphops.AttrTypeProtos: fieldnum.AttrTPs,
}

// sayable reports whether the syntax can express an attribute. It records the parts of the
// attribute that the text cannot contain. quotable says that the name may be quoted.
func (p *printer) sayable(a *graphops.Attribute, quotable bool) bool {
	if !quotable && !isIdentifier(a.Name()) {
		p.lost("an attribute whose name is not an identifier", a.Name())
		return false
	}
	_, known := valueFields[a.Kind()]
	if a.RefName() == "" && (!known || !sayableValue(a)) {
		p.lost(fmt.Sprintf("an attribute of kind %s, which the syntax cannot express", a.Kind()), a.Name())
		return false
	}
	p.check(attributePart, a.Head(), p.extraValues(a), a.Name())
	return true
}

// allValues is the set of all fields for values of attributes, including those of sparse tensors.
var allValues = func() uint64 {
	b := bits(22, 23)
	for _, num := range valueFields {
		b |= 1 << num
	}
	return b
}()

// extraValues records values in fields that do not match the attribute's kind. It returns the set
// of all fields for values, so that they are not recorded again.
func (p *printer) extraValues(a *graphops.Attribute) uint64 {
	held := heldBy(a)
	if a.RefName() == "" {
		switch kind := a.Kind(); kind {
		case graphops.AttrTensors:
			held &^= bits(fieldnum.AttrT)
		case graphops.AttrGraphs:
			held &^= bits(fieldnum.AttrG)
		default:
			held &^= bits(valueFields[kind])
		}
	}
	if held&allValues != 0 {
		p.lost("a second value of an attribute", a.Name())
	}
	return allValues
}

// heldBy returns the set of fields that an attribute has. Fields for one and for several tensors
// are not distinguished, nor those for graphs.
func heldBy(a *graphops.Attribute) uint64 {
	held := bits()
	for f := range a.Head().Fields() {
		held |= 1 << min(f.Number, 63)
	}
	if len(a.Tensors()) > 0 {
		held |= bits(fieldnum.AttrT)
	}
	if len(a.Graphs()) > 0 {
		held |= bits(fieldnum.AttrG)
	}
	if len(a.SparseTensors()) > 0 {
		held |= bits(22)
	}
	return held
}

// sayableValue reports whether the syntax can express the value.
func sayableValue(a *graphops.Attribute) bool {
	switch a.Kind() {
	case graphops.AttrTensor, graphops.AttrTensors:
		for _, t := range a.Tensors() {
			if !sayableTensor(t) {
				return false
			}
		}
		return a.Kind() == graphops.AttrTensors || a.Tensor() != nil
	case graphops.AttrGraph:
		return len(a.Graphs()) == 1
	case graphops.AttrTypeProto, graphops.AttrTypeProtos:
		n := 0
		for t := range a.Head().Messages(valueFields[a.Kind()]) {
			if _, ok := appendType(nil, t, 0, nil); !ok {
				return false
			}
			n++
		}
		return n > 0 || a.Kind() == graphops.AttrTypeProtos
	}
	return true
}
