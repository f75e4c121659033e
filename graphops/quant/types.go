package quant

import (
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// elementType returns the element type of a value: the one stated in the graph, otherwise the
// inferred one, and Undefined if neither is known.
func (s *scope) elementType(name string) tensor.DType {
	s = s.owner(name)
	if t := s.constant(name); t != nil {
		return t.DType()
	}
	return s.typeOf(name).Elem
}

// typeOf returns the type of a value that this scope defines; the zero Type if it is not known
// to be a tensor.
func (s *scope) typeOf(name string) graphops.Type {
	id, ok := s.index.Value(name)
	if !ok {
		return graphops.Type{}
	}
	if t := s.index.Type(id); t.Kind == graphops.TypeTensor && t.Elem != tensor.Undefined {
		return t
	}
	if t := s.inferred().Type(s.place, id); t.Kind == graphops.TypeTensor {
		return t
	}
	return graphops.Type{}
}

// rankOf returns the rank of a value, or -1 if unknown.
func (s *scope) rankOf(name string) int {
	s = s.owner(name)
	if t := s.constant(name); t != nil {
		return len(t.Dims())
	}
	id, ok := s.index.Value(name)
	if !ok {
		return -1
	}
	for _, t := range []graphops.Type{s.index.Type(id), s.inferred().Type(s.place, id)} {
		if t.Shape != nil {
			return len(t.Shape)
		}
	}
	return -1
}

// inferred returns the types of all values. If they cannot be inferred for this model, the
// result is empty, and nodes whose quantization depends on a type are left alone.
func (d *dynamic) inferred() *shape.Result {
	if d.types == nil {
		var err error
		if d.types, err = shape.Infer(d.ctx, d.model, shape.Options{}); err != nil {
			d.types = &shape.Result{}
			d.warn("types could not be inferred: %v", err)
		}
	}
	return d.types
}
