package graphops

import (
	"fmt"

	"lathe/graphops/tensor"
)

// Pin is a constant that holds a freed axis at a number.
type Pin struct {
	Node     string // its name
	Value    string // the constant
	Axis     int
	Constant int64
	Repair   string // what would free it
}

// findPins looks for Reshapes behind a freed input whose constant shape says a
// number where the value that comes in has a freed symbol at the same axis.
func (f *axesFreer) findPins(types map[string]Type) {
	g := f.model.graph
	freed := map[string]bool{}
	for _, s := range f.report.Symbols {
		freed[s] = true
	}
	for _, n := range g.nodes {
		if n.opType != "Reshape" || n.Domain() != DefaultDomain || len(n.inputs) < 2 {
			continue
		}
		in, known := f.set[n.inputs[0]]
		if !known {
			in = types[n.inputs[0]]
		}
		for i, c := range g.smallInts(n.inputs[1]) {
			if i < len(in.Shape) && freed[in.Shape[i].Symbol] && c > 0 {
				f.report.Pins = append(f.report.Pins, Pin{
					Node: n.name, Value: n.inputs[1], Axis: i, Constant: c,
					Repair: fmt.Sprintf("element %d of the shape must be 0, which keeps the axis, or -1", i),
				})
			}
		}
	}
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
