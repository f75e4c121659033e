package half

import (
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// setsType reports whether the attribute determines the element type of the node's output, as "to"
// of a Cast does.
func setsType(n *graphops.Node, attribute string) bool {
	switch attribute {
	case "to", "dtype", "output_dtype", "output_datatype":
		return graphops.HoldsElementType(n, attribute)
	}
	return false
}

// attributes returns the attributes for a node of which at least one output becomes the target
// type. changed reports whether they differ from those of n. If no output becomes the target type,
// it returns nil and false.
func (e *emission) attributes(s *scope, n *graphops.Node, p plan) (list []*graphops.Attribute, changed bool) {
	if !slices.Contains(p.out, true) {
		return nil, false
	}
	list = slices.Clone(n.Attributes())
	for i, a := range list {
		if setsType(n, a.Name()) && a.RefName() == "" && a.Int() == int64(tensor.F32) {
			list[i], changed = a.WithValueOf(graphops.IntAttribute(a.Name(), int64(e.c.to))), true
			if a.Name() != "to" && a.Name() != "dtype" {
				e.report.depart(ImplicitType)
			}
		}
	}
	if a := e.implicit(s, n, list); a != nil {
		if !slices.Contains(referenceTells, n.OpType()) {
			e.report.depart(ImplicitType)
		}
		list, changed = append(list, a), true
	}
	if n.Is("ConstantOfShape") {
		for i, a := range list {
			if t := a.Tensor(); a.Name() == "value" && t != nil && t.DType() == tensor.F32 {
				if narrowed, err := e.c.narrowed(t); err == nil {
					list[i], changed = a.WithValueOf(graphops.TensorAttribute(a.Name(), narrowed)), true
				}
			}
		}
	}
	return list, changed
}

// referenceTells lists the operators of which the reference, too, sets the output type by an
// attribute. For others, setting it is a departure.
var referenceTells = []string{"RandomNormal", "RandomUniform", "SequenceEmpty"}

// implicit returns the attribute to add to a node so that its output gets the target type; nil if
// none is needed. It is needed if the node leaves the attribute out and the default means float32.
func (e *emission) implicit(s *scope, n *graphops.Node, stated []*graphops.Attribute) *graphops.Attribute {
	if n.Domain() != graphops.DefaultDomain {
		return nil
	}
	states := func(name string) bool {
		return slices.ContainsFunc(stated, func(a *graphops.Attribute) bool { return a.Name() == name })
	}
	switch n.StandardOp() {
	case "ConstantOfShape":
		if !states("value") {
			return graphops.TensorAttribute("value", graphops.NewTensor("", e.c.to, []int64{1}, graphops.BytesPayload(make([]byte, 2))))
		}
		return nil
	case "SequenceEmpty":
		if !states("dtype") {
			return graphops.IntAttribute("dtype", int64(e.c.to))
		}
		return nil
	}
	schema, ok := opschema.Find(n.Domain(), n.OpType(), e.c.opset(s.place, n.Domain()))
	if !ok {
		return nil
	}
	if a := impliedType(n, schema); a != nil {
		return graphops.IntAttribute(a.Name, int64(e.c.to))
	}
	return nil
}

// constant returns a Constant node with its value in the type that the conversion gives it.
func (e *emission) constant(s *scope, n *graphops.Node) *graphops.Node {
	d := e.c.lookup(s.place, n.Outputs()[0])
	a := constantValue(n)
	if a == nil || d == nil || d.form != dense {
		return n
	}
	if !d.narrow {
		if !e.c.keptPlace(s.place) {
			e.report.depart(KeptConstant)
		}
		return n
	}
	t, err := a.Dense("")
	if err != nil || t.DType() != tensor.F32 {
		return n
	}
	narrowed, err := e.c.narrowed(t)
	if err != nil {
		return n
	}
	if a.Name() != "value" {
		e.report.depart(ConstantForm)
	}
	e.c.stored[d] = t
	return n.WithAttributes([]*graphops.Attribute{graphops.TensorAttribute("value", narrowed)})
}

// initializer returns an initializer in the type that the conversion gives it.
func (e *emission) initializer(s *scope, t *graphops.Tensor) (*graphops.Tensor, error) {
	d := e.c.lookup(s.place, t.Name())
	if d == nil || d.place != s.place || d.form != dense || t.DType() != tensor.F32 {
		return t, nil
	}
	if !d.narrow {
		return t, nil
	}
	e.c.stored[d] = t
	return e.c.narrowed(t)
}

// narrowed returns a float32 tensor in the target type. A large tensor is converted each time it is
// read, so that it is not held in memory.
func (c *converter) narrowed(t *graphops.Tensor) (*graphops.Tensor, error) {
	data, err := t.Data()
	if err != nil {
		return nil, err
	}
	n, by := data.Len()/4, c.o.narrowing(c.to)
	payload := graphops.TransformPayload(2*n, func(w io.Writer) error { return by.Write(w, data.Reader(), n) })
	if n <= smallWeight { // converting a small tensor once is cheaper
		b, err := payload.Bytes()
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name(), err)
		}
		payload = graphops.BytesPayload(b)
	}
	made := graphops.NewTensor(t.Name(), c.to, t.Dims(), payload)
	if doc := t.Doc(); doc != "" {
		made = made.WithDoc(doc)
	}
	if entries := t.Metadata(); len(entries) > 0 {
		made = made.WithMetadata(entries)
	}
	return made, nil
}

// smallWeight is the maximum number of elements of a tensor that is converted once and held in
// memory.
const smallWeight = 64
