package graphops

import (
	"fmt"
	"slices"

	"lathe/graphops/tensor"
)

// Pin is a constant that holds a freed axis at a number.
type Pin struct {
	Node     string // its name
	Value    string // the constant
	Axis     int
	Constant int64
	Repair   string // what would free it

	at       int // the node's position
	mendable bool
}

// findPins looks for Reshapes behind a freed input whose constant shape says a
// number where the value that comes in has a freed symbol at the same axis.
func (f *axesFreer) findPins(nodes []*Node, types map[string]Type) []Pin {
	var pins []Pin
	for at, n := range nodes {
		if n.opType != "Reshape" || n.Domain() != DefaultDomain || len(n.inputs) < 2 {
			continue
		}
		in, known := f.set[n.inputs[0]]
		if !known {
			in = types[n.inputs[0]]
		}
		shape := f.shapeOf(n)
		for i, c := range shape {
			if i >= len(in.Shape) || c <= 0 {
				continue
			}
			was, freed := f.was[in.Shape[i].Symbol]
			if freed && (c == was || !slices.Contains(shape, -1)) {
				pins = append(pins, newPin(n, at, i, c, was))
			}
		}
	}
	return pins
}

// newPin says how to free an axis that a Reshape holds at c and that was of
// another size or of the same before it was freed. Zero copies the axis of what
// comes in: where that was c, the result is as it was, and at any other size the
// rest of the shape is. Where it was another number, axes are merged or split,
// and there is no constant that does this for every size.
func newPin(n *Node, at, axis int, c, was int64) Pin {
	p := Pin{Node: n.name, Value: n.inputs[1], Axis: axis, Constant: c, at: at, mendable: true}
	p.Repair = fmt.Sprintf("element %d of the shape becomes 0, which keeps the axis", axis)
	if c != was {
		p.mendable = false
		p.Repair = fmt.Sprintf("none: the axis was %d and becomes part of another", was)
	}
	if a, ok := n.Attribute("allowzero"); ok && a.Int() != 0 {
		p.mendable = false
		p.Repair = "none: with allowzero a 0 would be an empty axis"
	}
	return p
}

// shapeOf is the constant shape of a Reshape, as mended so far.
func (f *axesFreer) shapeOf(n *Node) []int64 {
	if s, ok := f.mended[n.inputs[1]]; ok {
		return s
	}
	return f.model.graph.smallInts(n.inputs[1])
}

// mend gives the pin's Reshape a shape of its own in which the axis is copied.
// The old constant stays for whoever else reads it.
func (f *axesFreer) mend(e *Editor, p Pin) {
	n := e.Nodes[p.at]
	shape := slices.Clone(f.shapeOf(n))
	shape[p.Axis] = 0
	old := n.inputs[1]
	name := old
	if _, again := f.mended[old]; !again {
		name = e.Names().Value(old + "_free")
		inputs := slices.Clone(n.inputs)
		inputs[1] = name
		e.Nodes[p.at] = n.WithInputs(inputs)
		f.replaced = append(f.replaced, old)
	} else {
		e.Initializers = slices.DeleteFunc(e.Initializers, func(t *Tensor) bool { return t.name == old })
	}
	f.mended[name] = shape
	e.Initializers = append(e.Initializers, NewTensorOf(name, tensor.FromSlice(shape, int64(len(shape)))))
	if v := f.model.IRVersion(); v < irInitializersAlone {
		e.SetIRVersion(irInitializersAlone)
		f.warn("the IR version is raised from %d to %d, which lets the new shapes stand without being inputs", v, irInitializersAlone)
	}
}

// irInitializersAlone is the IR version from which on an initializer need not
// be an input of the graph.
const irInitializersAlone = 4

// dropUnread drops the constants that repairs replaced and that nothing reads
// any more. It comes last, because it moves nodes.
func (f *axesFreer) dropUnread(e *Editor) {
	read := map[string]bool{}
	for _, n := range e.Nodes {
		for _, list := range [][]string{n.inputs, n.Captured()} {
			for _, name := range list {
				read[name] = true
			}
		}
	}
	for _, v := range e.Outputs {
		read[v.name] = true
	}
	gone := func(name string) bool { return slices.Contains(f.replaced, name) && !read[name] }
	e.Initializers = slices.DeleteFunc(e.Initializers, func(t *Tensor) bool { return gone(t.name) })
	e.Nodes = slices.DeleteFunc(e.Nodes, func(n *Node) bool {
		return n.opType == "Constant" && len(n.outputs) == 1 && gone(n.outputs[0])
	})
	e.ValueInfo = slices.DeleteFunc(e.ValueInfo, func(v *ValueInfo) bool { return gone(v.name) })
}

// maxShapeElements bounds the constants that are read as shapes.
const maxShapeElements = 64

// smallInts reads a constant vector of int64, such as the shape of a Reshape:
// an initializer or the value of a Constant node. Nil for anything else.
func (g *Graph) smallInts(name string) []int64 {
	x := g.Index()
	id, ok := x.Value(name)
	if !ok {
		return nil
	}
	t := x.Initializer(id)
	if i := x.Producer(id); t == nil && i >= 0 && g.nodes[i].opType == "Constant" {
		if a, ok := g.nodes[i].Attribute("value"); ok {
			t = a.Tensor()
		}
	}
	if t == nil || t.dtype != tensor.I64 || len(t.dims) != 1 || t.dims[0] > maxShapeElements {
		return nil
	}
	data, err := t.Data()
	if err != nil {
		return nil
	}
	b, err := data.Bytes()
	if err != nil {
		return nil
	}
	ints, err := tensor.Tensor{DType: t.dtype, Shape: t.dims, Data: b}.Int64s()
	if err != nil {
		return nil
	}
	return ints
}
