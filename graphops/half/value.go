package half

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
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
func allows(p opschema.Param, f form, like shape.Type, to tensor.DType) bool {
	if f == dense {
		return p.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to})
	}
	t := like.ForFile()
	return p.Allows(retyped(t, to))
}

// value is what is known and decided about a value of the model.
type value struct {
	form form
	typ  shape.Type
	// narrow reports that the value has the target type after the conversion.
	narrow bool
	// constant reports that the value is an initializer or the output of a Constant, which gets the
	// type that its readers need. fixed reports that such a value must stay in float32.
	constant, fixed bool
}

// floats reports whether the value consists of float32 tensors.
func (v *value) floats() bool { return v.form == dense || v.form == nested }

// load loads the model to be changed, and describes its values.
func (c *converter) load() {
	c.model = rewrite.LoadAsIs(c.source)
	c.describeValues()
}

// describeValues describes the values of the loaded model.
func (c *converter) describeValues() {
	c.values = make([]*value, c.model.Values())
	known := make([]value, len(c.values))
	for _, g := range c.model.Graphs() {
		for _, v := range g.Values() {
			known[v.ID()] = c.describe(g, v)
			c.values[v.ID()] = &known[v.ID()]
		}
	}
}

// note records what is known about a value that was added after load.
func (c *converter) note(v *rewrite.Value, known *value) {
	c.values = append(c.values, make([]*value, max(0, v.ID()+1-len(c.values)))...)
	c.values[v.ID()] = known
}

func (c *converter) describe(g *rewrite.Graph, v *rewrite.Value) value {
	p := g.Place()
	id, _ := p.Graph.Index().Value(v.Name())
	typ := c.types.Value(p, id).Type
	if formOf(typ) == unknown {
		typ = shape.FromFile(p.Graph.Index().Type(id))
	}
	out := value{form: formOf(typ), typ: typ}
	switch {
	case v.Producer() != nil:
		n := v.Producer().Origin().Spec()
		out.constant = n.IsConstant()
		out.fixed = out.constant && constantValue(n) == nil
	case p.Graph.Index().IsInitializer(id):
		t := v.Stored()
		out.constant = true
		out.fixed = t == nil || g.IsMain() && v.IsInput() && c.o.keepsExactly(v.Name())
		if t != nil && t.DType() != tensor.F32 && out.form == dense {
			out.form = other // the file declares another type for it
		}
	}
	return out
}

// of returns what is known about v. It is the zero value if v is nil, which is an omitted input or
// output, and if v is never defined.
func (c *converter) of(v *rewrite.Value) *value {
	if v != nil && v.ID() < len(c.values) && c.values[v.ID()] != nil {
		return c.values[v.ID()]
	}
	return &value{}
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
