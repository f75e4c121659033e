package graphops

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// AttributeKind is AttributeProto.AttributeType.
type AttributeKind int32

// The kinds of attribute.
const (
	AttrUndefined     AttributeKind = 0
	AttrFloat         AttributeKind = 1
	AttrInt           AttributeKind = 2
	AttrString        AttributeKind = 3
	AttrTensor        AttributeKind = 4
	AttrGraph         AttributeKind = 5
	AttrFloats        AttributeKind = 6
	AttrInts          AttributeKind = 7
	AttrStrings       AttributeKind = 8
	AttrTensors       AttributeKind = 9
	AttrGraphs        AttributeKind = 10
	AttrSparseTensor  AttributeKind = 11
	AttrSparseTensors AttributeKind = 12
	AttrTypeProto     AttributeKind = 13
	AttrTypeProtos    AttributeKind = 14
)

// Attribute is one attribute of a node. The numbers and strings of a large one
// stay in the file: it is deferred, knows its name and kind only, and Load reads
// the rest.
type Attribute struct {
	name string
	// deferred attributes have all of the message in whole, and in head what tells
	// the name and the kind.
	deferred bool
	whole    Payload
	// head is the serialized AttributeProto without the parts below.
	head    []byte
	tensor  *Tensor
	graph   *Graph
	tensors []*Tensor
	graphs  []*Graph
	sparse  *SparseTensor
	sparses []*SparseTensor
}

// Name is the attribute's name.
func (a *Attribute) Name() string { return a.name }

// Deferred tells the size of an attribute whose values have been left in the
// file, in bytes. They read as if there were none.
func (a *Attribute) Deferred() (size int64, ok bool) { return a.whole.Len(), a.deferred }

// Load is the attribute with its values, which may be large, in memory.
func (a *Attribute) Load() (*Attribute, error) {
	if !a.deferred {
		return a, nil
	}
	b, err := a.whole.Bytes()
	if err != nil {
		return nil, fmt.Errorf("attribute %q: %w", a.name, err)
	}
	loaded := &Attribute{}
	if err := (&decoder{}).attribute(memoryCursor(b), loaded); err != nil {
		return nil, fmt.Errorf("attribute %w", err)
	}
	return loaded, nil
}

// RefName is the name of the function attribute that this one stands for, in
// the body of a function; "" elsewhere.
func (a *Attribute) RefName() string { return lastString(a.head, fieldnum.AttrRefName) }

// kindOf tells the kind from the field that is there, for files older than the
// type field.
var kindOf = map[protowire.Number]AttributeKind{
	fieldnum.AttrF: AttrFloat, fieldnum.AttrI: AttrInt, fieldnum.AttrS: AttrString, fieldnum.AttrFloats: AttrFloats, fieldnum.AttrInts: AttrInts,
	fieldnum.AttrStrings: AttrStrings, fieldnum.AttrTP: AttrTypeProto, fieldnum.AttrTPs: AttrTypeProtos,
}

// Kind tells which of the values the attribute holds.
func (a *Attribute) Kind() AttributeKind {
	if k, ok := lastVarint(a.head, fieldnum.AttrType); ok && k != 0 {
		return AttributeKind(k)
	}
	switch {
	case a.tensor != nil:
		return AttrTensor
	case a.graph != nil:
		return AttrGraph
	case a.tensors != nil:
		return AttrTensors
	case a.graphs != nil:
		return AttrGraphs
	case a.sparse != nil:
		return AttrSparseTensor
	case a.sparses != nil:
		return AttrSparseTensors
	}
	for f := range fieldsOf(a.head) {
		if k := kindOf[f.num]; k != AttrUndefined {
			return k
		}
	}
	return AttrUndefined
}

// Int is the value of an INT attribute.
func (a *Attribute) Int() int64 { v, _ := lastVarint(a.head, fieldnum.AttrI); return v }

// Float is the value of a FLOAT attribute.
func (a *Attribute) Float() float32 {
	v := float32(0)
	for f := range fieldsOf(a.head) {
		if f.num == fieldnum.AttrF && f.typ == protowire.Fixed32Type {
			x, _ := protowire.ConsumeFixed32(f.value)
			v = math.Float32frombits(x)
		}
	}
	return v
}

// Text is the value of a STRING attribute.
func (a *Attribute) Text() string { return lastString(a.head, fieldnum.AttrS) }

// Ints is the value of an INTS attribute.
func (a *Attribute) Ints() []int64 { return repeatedVarints(a.head, fieldnum.AttrInts) }

// Floats is the value of a FLOATS attribute.
func (a *Attribute) Floats() []float32 { return repeatedFloats(a.head, fieldnum.AttrFloats) }

// Texts is the value of a STRINGS attribute.
func (a *Attribute) Texts() []string {
	var out []string
	for f := range fieldsOf(a.head) {
		if f.num == fieldnum.AttrStrings && f.typ == protowire.BytesType {
			out = append(out, text(f.value))
		}
	}
	return out
}

// Tensor is the value of a TENSOR attribute, or nil.
func (a *Attribute) Tensor() *Tensor { return a.tensor }

// Tensors are all dense tensors that the attribute holds.
func (a *Attribute) Tensors() []*Tensor {
	if a.tensor == nil {
		return a.tensors
	}
	return append([]*Tensor{a.tensor}, a.tensors...)
}

// Graphs are all graphs that the attribute holds: one for GRAPH.
func (a *Attribute) Graphs() []*Graph {
	if a.graph == nil {
		return a.graphs
	}
	return append([]*Graph{a.graph}, a.graphs...)
}

// WithGraphs is the attribute holding other graphs, as many as it held, in the
// order of Graphs.
func (a *Attribute) WithGraphs(graphs []*Graph) *Attribute {
	c := *a
	if a.graph != nil {
		c.graph, graphs = graphs[0], graphs[1:]
	}
	if len(a.graphs) > 0 {
		c.graphs = graphs
	}
	return &c
}

// holdsMore reports whether the attribute holds parts that are not in head.
func (a *Attribute) holdsMore() bool {
	return a.tensor != nil || a.graph != nil || a.tensors != nil || a.graphs != nil || a.sparse != nil || a.sparses != nil
}

func newAttribute(name string, kind AttributeKind, value func(b []byte) []byte) *Attribute {
	b := appendString(nil, fieldnum.AttrName, name)
	b = value(b)
	return &Attribute{name: name, head: appendVarint(b, fieldnum.AttrType, int64(kind))}
}

// IntAttribute makes an INT attribute.
func IntAttribute(name string, v int64) *Attribute {
	return newAttribute(name, AttrInt, func(b []byte) []byte { return appendVarint(b, fieldnum.AttrI, v) })
}

// FloatAttribute makes a FLOAT attribute.
func FloatAttribute(name string, v float32) *Attribute {
	return newAttribute(name, AttrFloat, func(b []byte) []byte {
		return protowire.AppendFixed32(protowire.AppendTag(b, fieldnum.AttrF, protowire.Fixed32Type), math.Float32bits(v))
	})
}

// TextAttribute makes a STRING attribute.
func TextAttribute(name, v string) *Attribute {
	return newAttribute(name, AttrString, func(b []byte) []byte { return appendString(b, fieldnum.AttrS, v) })
}

// IntsAttribute makes an INTS attribute.
func IntsAttribute(name string, v []int64) *Attribute {
	return newAttribute(name, AttrInts, func(b []byte) []byte {
		for _, x := range v {
			b = appendVarint(b, fieldnum.AttrInts, x)
		}
		return b
	})
}

// TensorAttribute makes a TENSOR attribute.
func TensorAttribute(name string, t *Tensor) *Attribute {
	a := newAttribute(name, AttrTensor, func(b []byte) []byte { return b })
	a.tensor = t
	return a
}

// GraphAttribute makes a GRAPH attribute.
func GraphAttribute(name string, g *Graph) *Attribute {
	a := newAttribute(name, AttrGraph, func(b []byte) []byte { return b })
	a.graph = g
	return a
}

// FloatsAttribute makes a FLOATS attribute.
func FloatsAttribute(name string, v []float32) *Attribute {
	return newAttribute(name, AttrFloats, func(b []byte) []byte {
		for _, x := range v {
			b = protowire.AppendFixed32(protowire.AppendTag(b, fieldnum.AttrFloats, protowire.Fixed32Type), math.Float32bits(x))
		}
		return b
	})
}

// TextsAttribute makes a STRINGS attribute.
func TextsAttribute(name string, v []string) *Attribute {
	return newAttribute(name, AttrStrings, func(b []byte) []byte {
		for _, x := range v {
			b = appendString(b, fieldnum.AttrStrings, x)
		}
		return b
	})
}

// RefAttribute makes an attribute of a kind that stands for the attribute ref of
// the function whose body it is in.
func RefAttribute(name, ref string, kind AttributeKind) *Attribute {
	return newAttribute(name, kind, func(b []byte) []byte { return appendString(b, fieldnum.AttrRefName, ref) })
}

// Doc is the attribute's doc_string.
func (a *Attribute) Doc() string { return lastString(a.head, fieldnum.AttrDoc) }

// WithValueOf is the attribute, its doc_string kept, with the kind and value of
// another.
func (a *Attribute) WithValueOf(v *Attribute) *Attribute {
	c := *v
	c.name = a.name
	c.head = append(without(a.head, attributeValues...), without(v.head, fieldnum.AttrName, fieldnum.AttrDoc)...)
	return &c
}

// attributeValues are the fields that make up the value of an attribute.
var attributeValues = []protowire.Number{
	fieldnum.AttrF, fieldnum.AttrI, fieldnum.AttrS, fieldnum.AttrFloats, fieldnum.AttrInts, fieldnum.AttrStrings, fieldnum.AttrTP, fieldnum.AttrTPs, fieldnum.AttrType, fieldnum.AttrRefName,
}

// String is the name of the kind as the format has it, in lower case.
func (k AttributeKind) String() string {
	if name, ok := attributeKinds[k]; ok {
		return name
	}
	return fmt.Sprintf("kind(%d)", int32(k))
}

var attributeKinds = map[AttributeKind]string{
	AttrUndefined: "undefined", AttrFloat: "float", AttrInt: "int", AttrString: "string", AttrTensor: "tensor",
	AttrGraph: "graph", AttrFloats: "floats", AttrInts: "ints", AttrStrings: "strings", AttrTensors: "tensors",
	AttrGraphs: "graphs", AttrSparseTensor: "sparse_tensor", AttrSparseTensors: "sparse_tensors",
	AttrTypeProto: "type_proto", AttrTypeProtos: "type_protos",
}
