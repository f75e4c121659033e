package folder

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// misfit says why a value of one type cannot be one of another, or "" if it can. A type that is not
// known fits.
func misfit(out, in graphops.Type) string {
	switch {
	case out.Kind != in.Kind:
		return fmt.Sprintf("%s is not %s", out, in)
	case out.Elem != in.Elem && out.Elem != tensor.Undefined && in.Elem != tensor.Undefined:
		return fmt.Sprintf("the elements are %s, expected %s", out.Elem, in.Elem)
	case out.Shape == nil || in.Shape == nil:
		return ""
	case len(out.Shape) != len(in.Shape):
		return fmt.Sprintf("the shape %s has %d axes, expected the %d of %s", out.Shape, len(out.Shape), len(in.Shape), in.Shape)
	}
	for i, a := range out.Shape {
		if b := in.Shape[i]; a.IsFixed() && b.IsFixed() && a.Value != b.Value {
			return fmt.Sprintf("axis %d of %s is %d, expected the %d of %s", i, out.Shape, a.Value, b.Value, in.Shape)
		}
	}
	return ""
}

// misfitVia says why a value cannot become one of another type although the pipeline changes it, or
// "". The pipeline keeps the kind of elements and the size of the last axis. If values are joined,
// only the elements count.
func misfitVia(out, in graphops.Type, joined bool) string {
	switch {
	case out.Kind != in.Kind:
		return fmt.Sprintf("%s is not %s", out, in)
	case out.Elem != in.Elem && out.Elem != tensor.Undefined && in.Elem != tensor.Undefined:
		return fmt.Sprintf("the elements are %s, expected %s", out.Elem, in.Elem)
	case joined || len(out.Shape) == 0 || len(in.Shape) == 0:
		return ""
	}
	a, b := out.Shape[len(out.Shape)-1], in.Shape[len(in.Shape)-1]
	if a.IsFixed() && b.IsFixed() && a.Value != b.Value {
		return fmt.Sprintf("the last axis of %s is %d, expected the %d of %s", out.Shape, a.Value, b.Value, in.Shape)
	}
	return ""
}

// agree reports whether two types have a fixed size in common that is more than 1, so that their
// fit says something.
func agree(out, in graphops.Type) bool {
	for i, a := range out.Shape {
		if i < len(in.Shape) && a.IsFixed() && a.Value > 1 && a.Value == in.Shape[i].Value {
			return true
		}
	}
	return false
}

// typeOf returns the type of a port in a list.
func typeOf(list []graphops.NamedType, name string) graphops.Type {
	for _, t := range list {
		if t.Name == name {
			return t.Type
		}
	}
	return graphops.Type{}
}

// Misfit says why the value of a wire cannot be what its input takes, or "".
func (w *Wire) Misfit() string {
	out, in := typeOf(w.From.Member.outputs, w.From.Name), typeOf(w.To.Member.inputs, w.To.Name)
	switch {
	case w.joined:
		return misfitVia(out, in, true)
	case w.Via != "":
		return misfitVia(out, in, len(out.Shape) == 4) // a picture has its channels elsewhere
	case w.Turn == Next:
		out.Shape = nil // a cache grows, and often declares more than it takes
		fallthrough
	default:
		return misfit(out, in)
	}
}

// Type returns the type of the value that the wire takes from its output.
func (w *Wire) Type() graphops.Type { return typeOf(w.From.Member.outputs, w.From.Name) }
