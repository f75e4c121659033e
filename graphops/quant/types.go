package quant

import (
	"cmp"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// elementTypes are the element types of values, by name.
type elementTypes map[string]tensor.DType

// elementType is the element type of a value as far as it is known: from what
// the graph says, else from the operator that makes it; Undefined if neither
// tells.
func (d *dynamic) elementType(name string) tensor.DType {
	if d.types == nil {
		d.types = elementTypes{}
		for _, i := range d.order {
			n := d.graph.Nodes()[i]
			for at, out := range n.Outputs() {
				if e := d.outputType(n, at); out != "" && e != tensor.Undefined {
					d.types[out] = e
				}
			}
		}
	}
	if e := d.stated(name); e != tensor.Undefined {
		return e
	}
	return d.types[name]
}

// stated is the element type that the graph itself gives for a value.
func (d *dynamic) stated(name string) tensor.DType {
	id, ok := d.index.Value(name)
	if !ok {
		return tensor.Undefined
	}
	if t := d.index.Type(id); t.Kind == graphops.TypeTensor {
		return t.Elem
	}
	return tensor.Undefined
}

// outputType infers the type of one output of a node: from an attribute, or from
// what the operator's definition allows.
func (d *dynamic) outputType(n *graphops.Node, at int) tensor.DType {
	switch n.OpType() {
	case "Constant":
		if t := constantOf(n); t != nil {
			return t.DType()
		}
	case "Cast":
		if a, ok := n.Attribute("to"); ok {
			return tensor.DType(a.Int())
		}
	}
	version, _ := d.model.Opset(n.Domain())
	schema, ok := opschema.Find(n.Domain(), n.OpType(), version)
	if !ok {
		return tensor.Undefined
	}
	out, _ := schema.Output(at)
	if types := out.Types(); len(types) == 1 && types[0].Kind == graphops.TypeTensor {
		return types[0].Elem
	}
	return d.inputOf(n, schema, out)
}

// inputOf is the type of an input that has the type variable of an output: where
// the type of one is known, all that name the variable have it.
func (d *dynamic) inputOf(n *graphops.Node, schema *opschema.Schema, out opschema.Param) tensor.DType {
	for i, name := range n.Inputs() {
		in, _ := schema.Input(i)
		if in.Type != out.Type || !in.Homogeneous || !out.Homogeneous {
			continue
		}
		if e := cmp.Or(d.stated(name), d.types[name]); e != tensor.Undefined {
			return e
		}
	}
	return tensor.Undefined
}
