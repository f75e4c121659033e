package half

import (
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// form says whether a value consists of float32 tensors.
type form uint8

const (
	other   form = iota // not float32
	dense               // a float32 tensor
	nested              // a sequence or optional of such tensors, which no Cast can convert
	unknown             // its type is unknown
)

func formOf(t shape.Type) form {
	switch t.Kind {
	case graphops.TypeUnknown:
		return unknown
	case graphops.TypeTensor, graphops.TypeSparse:
		switch t.Elem {
		case tensor.F32:
			return dense
		case tensor.Undefined:
			return unknown
		}
	case graphops.TypeSequence, graphops.TypeOptional:
		switch {
		case t.Of == nil:
			return unknown
		case formOf(*t.Of) == dense:
			return nested
		}
		return formOf(*t.Of)
	}
	return other
}

// retyped returns the type with float32 replaced by to, also in sequences and optionals. Maps are
// not changed, because no operator converts them.
func retyped(t graphops.Type, to tensor.DType) graphops.Type {
	switch t.Kind {
	case graphops.TypeTensor, graphops.TypeSparse:
		if t.Elem == tensor.F32 {
			t.Elem = to
		}
	case graphops.TypeSequence, graphops.TypeOptional:
		if t.Of != nil {
			of := retyped(*t.Of, to)
			t.Of = &of
		}
	}
	return t
}

// allows reports whether the parameter p of an operator accepts a value of the form f, whose type
// was like, in the target type.
func allows(p interface{ Allows(graphops.Type) bool }, f form, like shape.Type, to tensor.DType) bool {
	if f == dense {
		return p.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to})
	}
	t := like.ForFile()
	return p.Allows(retyped(t, to))
}

// definition is a value of the original model, with what is known and decided about it. A value
// that bodies capture has one definition, in the place that defines it.
type definition struct {
	place *graphops.Place
	name  string
	form  form
	typ   shape.Type
	// narrow reports that the value has the target type after the conversion.
	narrow bool
	// constant reports that the value is an initializer or the output of a Constant, which gets the
	// type that its readers need. fixed reports that such a value must stay in float32.
	constant, fixed bool
	producer        int // position of the node that produces it, -1 if none
}

// define creates the definitions of all values of the model.
func (c *converter) define() {
	places := c.model.Places()
	c.defs = make([][]*definition, len(places))
	for _, p := range places {
		x := p.Graph.Index()
		list := make([]*definition, x.Values())
		for i := range list {
			id := graphops.ValueID(i)
			if x.IsDefined(id) {
				list[i] = c.definition(p, x, id)
			}
		}
		c.defs[p.ID] = list
	}
}

func (c *converter) definition(p *graphops.Place, x *graphops.Index, id graphops.ValueID) *definition {
	typ := c.types.Value(p, id).Type
	if formOf(typ) == unknown {
		typ = shape.FromFile(x.Type(id))
	}
	d := &definition{place: p, name: x.Name(id), form: formOf(typ), typ: typ, producer: x.Producer(id)}
	switch {
	case x.IsInitializer(id):
		d.constant = true
		t := x.Initializer(id)
		d.fixed = t == nil || p.Kind == graphops.MainGraph && x.IsInput(id) && c.o.keepsExactly(d.name)
		if t != nil && t.DType() != tensor.F32 && d.form == dense {
			d.form = other // the file declares another type for it
		}
	case d.producer >= 0 && p.Graph.Nodes()[d.producer].IsConstant():
		d.constant = true
		d.fixed = constantValue(p.Graph.Nodes()[d.producer]) == nil
	}
	return d
}

// lookup returns the value that a name refers to in a place; nil if there is none. It may be
// defined in an enclosing place.
func (c *converter) lookup(p *graphops.Place, name string) *definition {
	if name == "" {
		return nil
	}
	for ; p != nil; p = p.Parent {
		if id, ok := p.Graph.Index().Value(name); ok {
			if d := c.defs[p.ID][id]; d != nil {
				return d
			}
		}
	}
	return nil
}

// constantValue returns the attribute with the float32 numbers of a Constant; nil if its value is
// not of float32 or depends on a call.
func constantValue(n *graphops.Node) *graphops.Attribute {
	for _, name := range []string{"value", "value_float", "value_floats"} {
		if a, ok := n.Attribute(name); ok && a.RefName() == "" {
			if t := a.Tensor(); name == "value" && (t == nil || t.DType() != tensor.F32) {
				return nil
			}
			return a
		}
	}
	return nil
}
