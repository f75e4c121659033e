package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// written is the model with the declared types of the values behind a change replaced
// by the inferred ones. Sizes that are not known are left open; a symbol that stands
// for such a size stays, because it claims nothing. The inputs of the model stay as
// they were asked for, and everything that is the same value follows them.
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

// shift is the inferred type of a value before and after a change.
type shift struct {
	was, is shape.Type
	// inBody limits what is rewritten to what the change has moved. Runtimes take the
	// ranks of a body's values from its declarations, so that a declaration which
	// inference does not reproduce may still be what makes the model run.
	inBody bool
}

// of is the shift of the elements of a sequence, or of an optional's value.
func (s shift) of() shift {
	if s.was.Of == nil || s.is.Of == nil {
		return shift{inBody: s.inBody}
	}
	return shift{*s.was.Of, *s.is.Of, s.inBody}
}

// keepsRank reports whether the change leaves the rank as it was.
func (s shift) keepsRank() bool {
	return (s.was.Dims == nil) == (s.is.Dims == nil) && len(s.was.Dims) == len(s.is.Dims)
}

// moves reports whether the change gives an axis another size.
func (s shift) moves(axis int) bool {
	if !s.keepsRank() || axis >= len(s.is.Dims) {
		return true
	}
	was, is := s.was.Dims[axis], s.is.Dims[axis]
	return (was.Known() || is.Known()) && !was.Equal(is)
}

// moved reports whether the change gives the value another shape.
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

// typeBefore is the type of a value of the model as it was given, inferred.
func (c *changer) typeBefore(p *graphops.Place, name string) shape.Type {
	place := c.original.Places()[p.ID]
	id, ok := place.Graph.Index().Value(name)
	if !ok {
		return shape.Type{}
	}
	return c.before.Value(place, id).Type
}

// settled is the declaration of a value with what is inferred of it.
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
	for i, d := range is {
		if s.inBody && !s.moves(i) {
			continue
		}
		if c.differs(said.Shape[i], d, behind) || c.wasNamed(p, v.Name(), i) && d != said.Shape[i] {
			v = v.WithDim(i, d)
		}
	}
	return v
}

// nested is the declared type of a sequence or optional with the sizes in it that a
// change has moved.
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

// withNames is the inferred shape of an output with the names that were asked for in
// the place of sizes that are not known.
func (c *changer) withNames(p *graphops.Place, output *graphops.ValueInfo, is graphops.Shape) graphops.Shape {
	named, ok := c.set[output.Name()]
	if !ok || p.Kind != graphops.MainGraph {
		return is
	}
	open := is == nil // not even the rank is known, but for what is declared
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

// differs reports whether a declared size has to give way to an inferred one.
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
