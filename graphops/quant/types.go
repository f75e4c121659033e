package quant

import (
	"lathe/graphops"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// elementType is the element type of a value as far as it is known: from what the
// graph says, else from what follows from it; Undefined if neither tells.
func (s *scope) elementType(name string) tensor.DType {
	s = s.owner(name)
	if t := s.constant(name); t != nil {
		return t.DType()
	}
	return s.typeOf(name).Elem
}

// typeOf is the type of a value that this scope defines, the zero Type where it is
// not known to be a tensor.
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

// rankOf is the rank of a value, -1 where it is not known.
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

// inferred are the types of all values. A model for which they cannot be told has
// none; what needs one is then left as it is.
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
