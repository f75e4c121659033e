package half

import (
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// form is what a value has to do with float32.
type form uint8

const (
	other   form = iota // nothing
	dense               // a tensor of float32
	nested              // a sequence or an optional of such, which no Cast changes
	unknown             // its type is not known
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

// retyped is a type with another element type in the place of float32. Maps keep
// theirs: no operator makes one of another.
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

// allows reports whether a parameter may be of the target type in a form.
func allows(p interface{ Allows(graphops.Type) bool }, f form, like shape.Type, to tensor.DType) bool {
	if f == dense {
		return p.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to})
	}
	t := like.ForFile()
	return p.Allows(retyped(t, to))
}

// definition is a value where it is defined.
type definition struct {
	place *graphops.Place
	name  string
	form  form
	typ   shape.Type
	// narrow tells that it is of the target type afterwards.
	narrow bool
	// constant marks initializers and what Constant nodes make, which are what their
	// readers want; fixed those of them that stay in float32.
	constant, fixed bool
	producer        int // the node that makes it, -1 where none does
}

// define finds all values of the model and what they are.
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
			d.form = other // the file declares it otherwise than it is
		}
	case d.producer >= 0 && isConstant(p.Graph.Nodes()[d.producer]):
		d.constant = true
		d.fixed = constantValue(p.Graph.Nodes()[d.producer]) == nil
	}
	return d
}

// lookup finds what a name means in a place, nil where it means nothing.
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

// isConstant reports whether a node is a Constant of the standard.
func isConstant(n *graphops.Node) bool {
	return n.OpType() == "Constant" && n.Domain() == graphops.DefaultDomain && len(n.Outputs()) == 1
}

// constantValue is the attribute that holds the float32s of a Constant, nil where it
// holds none, or none that could be others.
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
