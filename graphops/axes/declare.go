package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// written returns the model in which the inferred types replace the declared ones, for all values
// that depend on the change. A size that inference does not know becomes unknown. If the declared
// size is a symbol, it stays, because a symbol does not claim a number. The inputs of the main
// graph stay as the options require.
func (c *changer) written(r *shape.Result) *graphops.Model {
	behind := c.behind()
	return c.model.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		changed := false
		place := c.model.Places()[p.ID]
		x := place.Graph.Index()
		for k, list := range [][]*graphops.ValueInfo{e.Outputs, e.ValueInfo, e.Inputs} {
			for i, v := range list {
				id, ok := x.Value(v.Name())
				if !ok || x.IsInitializer(id) || k == 2 && p.Kind != graphops.BodyGraph {
					continue
				}
				is := r.Value(place, id).Type
				list[i] = c.settled(p, v, shift{c.typeBefore(p, v.Name()), is, p.Kind == graphops.BodyGraph}, behind(place, id))
				changed = changed || list[i] != v
			}
		}
		return changed
	})
}

// shift is the inferred type of a value in the original model and in the changed one.
type shift struct {
	was, is shape.Type
	// inBody limits corrections to sizes that the change modifies. ONNX Runtime takes the ranks of
	// values in bodies from their declarations, so that a model may not run without a declaration
	// that inference cannot confirm.
	inBody bool
}

// of returns the shift of the element type of a sequence or optional.
func (s shift) of() shift {
	if s.was.Of == nil || s.is.Of == nil {
		return shift{inBody: s.inBody}
	}
	return shift{*s.was.Of, *s.is.Of, s.inBody}
}

// keepsRank reports whether the rank is the same before and after, or unknown in both.
func (s shift) keepsRank() bool {
	return (s.was.Dims == nil) == (s.is.Dims == nil) && len(s.was.Dims) == len(s.is.Dims)
}

// moves reports whether the size of an axis differs before and after.
func (s shift) moves(axis int) bool {
	if !s.keepsRank() || axis >= len(s.is.Dims) {
		return true
	}
	was, is := s.was.Dims[axis], s.is.Dims[axis]
	return (was.Known() || is.Known()) && !was.Equal(is)
}

// moved reports whether the rank or any size differs before and after.
func (s shift) moved() bool {
	if !s.keepsRank() {
		return true
	}
	for axis := range s.is.Dims {
		if s.moves(axis) {
			return true
		}
	}
	return false
}

// typeBefore returns the inferred type of a value in the original model.
func (c *changer) typeBefore(p *graphops.Place, name string) shape.Type {
	place := c.original.Places()[p.ID]
	id, ok := place.Graph.Index().Value(name)
	if !ok {
		return shape.Type{}
	}
	return c.before.Value(place, id).Type
}

// settled returns the declaration v of a value, corrected by the inferred type. behind reports
// whether the value depends on what was changed.
func (c *changer) settled(p *graphops.Place, v *graphops.ValueInfo, s shift, behind bool) *graphops.ValueInfo {
	said := v.Type()
	if said.Kind != graphops.TypeTensor {
		if to, changed := nested(said, s); changed && behind {
			return v.WithType(to)
		}
		return v
	}
	is := c.withNames(p, v, s.is.ForFile().Shape)
	if len(is) != len(said.Shape) || is == nil || said.Shape == nil {
		if behind && (is != nil || said.Shape != nil) && (!s.inBody || s.moved()) {
			said.Shape = is
			return v.WithType(said)
		}
		return v
	}
	to := map[int]graphops.Dim{}
	for i, d := range is {
		if s.inBody && !s.moves(i) {
			continue
		}
		if c.differs(said.Shape[i], d, behind) || c.wasNamed(p, v.Name(), i) && d != said.Shape[i] {
			to[i] = d
		}
	}
	return v.WithDims(to)
}

// nested returns the declared type of a sequence, optional or tensor, in which the sizes that the
// change modifies are replaced. It reports whether there are any.
func nested(said graphops.Type, s shift) (graphops.Type, bool) {
	if said.Of != nil {
		of, changed := nested(*said.Of, s.of())
		said.Of = &of
		return said, changed
	}
	is := s.is.ForFile().Shape
	if said.Kind != graphops.TypeTensor || said.Shape == nil || !s.moved() {
		return said, false
	}
	if len(is) != len(said.Shape) || is == nil {
		said.Shape = is
		return said, true
	}
	said.Shape = slices.Clone(said.Shape)
	for i, d := range is {
		if s.moves(i) {
			said.Shape[i] = d
		}
	}
	return said, true
}

// withNames returns the inferred shape of a value. For an output of the main graph, sizes that are
// unknown get the symbols that the options require.
func (c *changer) withNames(p *graphops.Place, output *graphops.ValueInfo, is graphops.Shape) graphops.Shape {
	named, ok := c.set[output.Name()]
	if !ok || p.Kind != graphops.MainGraph {
		return is
	}
	open := is == nil // even the rank is known only from the declaration
	if open {
		is = output.Type().Shape
	}
	is = slices.Clone(is)
	for i, d := range is {
		if to, ok := named[i]; ok && (open || !d.IsFixed() && d.Symbol == "") {
			is[i] = to
		}
	}
	return is
}

// differs reports whether the inferred size is must replace the declared size said. behind reports
// whether the value depends on what was changed.
func (c *changer) differs(said, is graphops.Dim, behind bool) bool {
	open := !is.IsFixed() && is.Symbol == ""
	switch {
	case open:
		return behind && said.IsFixed()
	case is.IsFixed() && !said.IsFixed():
		return behind || len(c.to) > 0
	default:
		return behind && is != said && !shape.SizeFromFile(is).Equal(shape.SizeFromFile(said))
	}
}
