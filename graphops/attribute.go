package graphops

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// AttributeKind is the kind of an attribute's value, with the numbers of
// AttributeProto.AttributeType.
type AttributeKind int32

// The kinds of attribute, with the numbers of the ONNX format.
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

// Attribute is one attribute of a node. If an attribute has many numbers or strings, they stay in
// the file. Such an attribute is deferred: only its name and kind are known, and Load reads the
// rest.
type Attribute struct {
	name string
	// deferred reports that only the name and the kind were decoded. Then whole is the complete
	// serialized message, and head has only the fields for name and kind.
	deferred bool
	whole    Payload
	// head is the serialized AttributeProto without the tensors and graphs, which are in the fields
	// after it.
	head    []byte
	tensor  *Tensor
	graph   *Graph
	tensors []*Tensor
	graphs  []*Graph
	sparse  *SparseTensor
	sparses []*SparseTensor
}

// Name returns the attribute's name.
func (a *Attribute) Name() string { return a.name }

// Deferred reports whether the attribute is deferred, which means that its values were left in the
// file. size is the size of the attribute in bytes. Accessors of its values return nothing until it
// is loaded.
func (a *Attribute) Deferred() (size int64, ok bool) { return a.whole.Len(), a.deferred }

// Load returns the attribute with all of its values in memory, which may take much memory. An
// attribute that is not deferred is returned as it is.
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

// RefName returns the attribute's ref_attr_name: in a function's body, the name of the function's
// attribute whose value this attribute has. It is empty for an attribute with a value of its own.
func (a *Attribute) RefName() string { return lastString(a.head, fieldnum.AttrRefName) }

// kindOf maps a field of AttributeProto to the kind of attribute that uses it. It determines the
// kind in files without the type field.
var kindOf = map[protowire.Number]AttributeKind{
	fieldnum.AttrF: AttrFloat, fieldnum.AttrI: AttrInt, fieldnum.AttrS: AttrString, fieldnum.AttrFloats: AttrFloats, fieldnum.AttrInts: AttrInts,
	fieldnum.AttrStrings: AttrStrings, fieldnum.AttrTP: AttrTypeProto, fieldnum.AttrTPs: AttrTypeProtos,
}

// Kind returns the kind in the attribute's type field. If the file has no such field, it is the
// kind of the value that the attribute has.
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

// Int returns the value of an INT attribute. Like the other accessors of values, it returns the
// zero value for an attribute of another kind.
func (a *Attribute) Int() int64 { v, _ := lastVarint(a.head, fieldnum.AttrI); return v }

// Float returns the value of a FLOAT attribute.
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

// Text returns the value of a STRING attribute.
func (a *Attribute) Text() string { return lastString(a.head, fieldnum.AttrS) }

// Ints returns the value of an INTS attribute.
func (a *Attribute) Ints() []int64 { return repeatedVarints(a.head, fieldnum.AttrInts) }

// Floats returns the value of a FLOATS attribute.
func (a *Attribute) Floats() []float32 { return repeatedFloats(a.head, fieldnum.AttrFloats) }

// Texts returns the value of a STRINGS attribute.
func (a *Attribute) Texts() []string {
	var out []string
	for f := range fieldsOf(a.head) {
		if f.num == fieldnum.AttrStrings && f.typ == protowire.BytesType {
			out = append(out, text(f.value))
		}
	}
	return out
}

// Tensor returns the value of a TENSOR attribute, or nil.
func (a *Attribute) Tensor() *Tensor { return a.tensor }

// Tensors returns the dense tensors of the attribute: the value of a TENSOR attribute or the values
// of a TENSORS attribute.
func (a *Attribute) Tensors() []*Tensor {
	if a.tensor == nil {
		return a.tensors
	}
	return append([]*Tensor{a.tensor}, a.tensors...)
}

// Graphs returns the graphs of the attribute: the value of a GRAPH attribute or the values of a
// GRAPHS attribute.
func (a *Attribute) Graphs() []*Graph {
	if a.graph == nil {
		return a.graphs
	}
	return append([]*Graph{a.graph}, a.graphs...)
}

// WithGraphs returns the attribute with its graphs replaced. The list must have as many graphs as
// the result of Graphs, in the same order.
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

// holdsMore reports whether the attribute has tensors or graphs, which are not part of head.
func (a *Attribute) holdsMore() bool {
	return a.tensor != nil || a.graph != nil || a.tensors != nil || a.graphs != nil || a.sparse != nil || a.sparses != nil
}

func newAttribute(name string, kind AttributeKind, value func(b []byte) []byte) *Attribute {
	b := appendString(nil, fieldnum.AttrName, name)
	b = value(b)
	return &Attribute{name: name, head: appendVarint(b, fieldnum.AttrType, int64(kind))}
}

// IntAttribute returns a new INT attribute.
func IntAttribute(name string, v int64) *Attribute {
	return newAttribute(name, AttrInt, func(b []byte) []byte { return appendVarint(b, fieldnum.AttrI, v) })
}

// FloatAttribute returns a new FLOAT attribute.
func FloatAttribute(name string, v float32) *Attribute {
	return newAttribute(name, AttrFloat, func(b []byte) []byte {
		return protowire.AppendFixed32(protowire.AppendTag(b, fieldnum.AttrF, protowire.Fixed32Type), math.Float32bits(v))
	})
}

// TextAttribute returns a new STRING attribute.
func TextAttribute(name, v string) *Attribute {
	return newAttribute(name, AttrString, func(b []byte) []byte { return appendString(b, fieldnum.AttrS, v) })
}

// IntsAttribute returns a new INTS attribute.
func IntsAttribute(name string, v []int64) *Attribute {
	return newAttribute(name, AttrInts, func(b []byte) []byte {
		for _, x := range v {
			b = appendVarint(b, fieldnum.AttrInts, x)
		}
		return b
	})
}

// TensorAttribute returns a new TENSOR attribute.
func TensorAttribute(name string, t *Tensor) *Attribute {
	a := newAttribute(name, AttrTensor, func(b []byte) []byte { return b })
	a.tensor = t
	return a
}

// GraphAttribute returns a new GRAPH attribute.
func GraphAttribute(name string, g *Graph) *Attribute {
	a := newAttribute(name, AttrGraph, func(b []byte) []byte { return b })
	a.graph = g
	return a
}

// FloatsAttribute returns a new FLOATS attribute.
func FloatsAttribute(name string, v []float32) *Attribute {
	return newAttribute(name, AttrFloats, func(b []byte) []byte {
		for _, x := range v {
			b = protowire.AppendFixed32(protowire.AppendTag(b, fieldnum.AttrFloats, protowire.Fixed32Type), math.Float32bits(x))
		}
		return b
	})
}

// TextsAttribute returns a new STRINGS attribute.
func TextsAttribute(name string, v []string) *Attribute {
	return newAttribute(name, AttrStrings, func(b []byte) []byte {
		for _, x := range v {
			b = appendString(b, fieldnum.AttrStrings, x)
		}
		return b
	})
}

// RefAttribute returns an attribute for a node in a function's body. Its value is that of the
// function's attribute with the name ref.
func RefAttribute(name, ref string, kind AttributeKind) *Attribute {
	return newAttribute(name, kind, func(b []byte) []byte { return appendString(b, fieldnum.AttrRefName, ref) })
}

// Doc returns the attribute's doc_string.
func (a *Attribute) Doc() string { return lastString(a.head, fieldnum.AttrDoc) }

// WithValueOf returns the attribute with the kind and value of v. It keeps its own name and
// doc_string.
func (a *Attribute) WithValueOf(v *Attribute) *Attribute {
	c := *v
	c.name = a.name
	c.head = append(without(a.head, attributeValues...), without(v.head, fieldnum.AttrName, fieldnum.AttrDoc)...)
	return &c
}

// attributeValues are the fields of AttributeProto that say what the value of an attribute is.
var attributeValues = []protowire.Number{
	fieldnum.AttrF, fieldnum.AttrI, fieldnum.AttrS, fieldnum.AttrFloats, fieldnum.AttrInts, fieldnum.AttrStrings, fieldnum.AttrTP, fieldnum.AttrTPs, fieldnum.AttrType, fieldnum.AttrRefName,
}

// String returns the ONNX name of the kind in lower case.
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
