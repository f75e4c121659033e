package bounds

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// shapes are the shapes of a model's values when its inputs are fed. They are
// inferred when the first one is asked for.
type shapes struct {
	model    *graphops.Model
	fed      Inputs
	places   map[*graphops.Graph]*graphops.Place // of inferred, by the graph of model
	inferred *shape.Result
	symbols  map[string]int64
}

// of is the shape of a value as it will be, with unknown sizes where it is not
// known; nil where not even the rank is.
func (s *shapes) of(g *graphops.Graph, v graphops.ValueID) graphops.Shape {
	if s.places == nil {
		s.infer()
	}
	if s.inferred == nil {
		return nil
	}
	t := s.inferred.Value(s.places[g], v).Type
	if t.Dims == nil {
		return nil
	}
	out := make(graphops.Shape, len(t.Dims))
	for i, d := range t.Dims {
		n, err := d.Eval(func(symbol string) (int64, bool) {
			size, ok := s.symbols[symbol]
			return size, ok
		})
		if out[i] = (graphops.Dim{Value: -1}); err == nil && n >= 0 {
			out[i] = graphops.FixedDim(n)
		}
	}
	return out
}

func (s *shapes) infer() {
	s.places, s.symbols = map[*graphops.Graph]*graphops.Place{}, symbolsOf(s.model.Graph(), s.fed)
	sized := s.model.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
		return p.Kind == graphops.MainGraph && s.size(e.Inputs)
	})
	for i, p := range s.model.Places() {
		s.places[p.Graph] = sized.Places()[i]
	}
	s.inferred, _ = shape.Infer(context.Background(), sized, shape.Options{}) // too large a model tells nothing
}

// size writes what is fed into the inputs, and reports whether anything was to be
// written.
func (s *shapes) size(list []*graphops.ValueInfo) (changed bool) {
	for i, v := range list {
		sizes, fed := s.fed[v.Name()]
		if !fed {
			continue
		}
		if t := v.Type(); t.Kind == graphops.TypeTensor {
			t.Shape = graphops.FixedShape(sizes)
			list[i], changed = v.WithType(t), true
		}
	}
	return changed
}

// dim is the size of one axis, counted from the end where it is negative.
func (t *tracer) dim(f *frame, name string, axis int64) (int64, bool) {
	s := t.shape(f, name)
	if axis < 0 {
		axis += int64(len(s))
	}
	if axis < 0 || axis >= int64(len(s)) || !s[axis].IsFixed() {
		return 0, false
	}
	return s[axis].Value, true
}

// shape is the shape of the value that a name means in a frame.
func (t *tracer) shape(f *frame, name string) graphops.Shape {
	at, v, ok := f.origin(name)
	if !ok {
		return nil
	}
	return t.shapes.of(at.graph, v)
}

// symbolsOf are the sizes of symbols that the inputs fix.
func symbolsOf(g *graphops.Graph, fed Inputs) map[string]int64 {
	out := map[string]int64{}
	for _, in := range graphops.NamedTypes(g.Inputs()) {
		sizes := fed[in.Name]
		for axis, d := range in.Type.Shape {
			if name, ok := dim.OfText(d.Symbol).IsSymbol(); ok && name != "" && axis < len(sizes) {
				out[name] = sizes[axis]
			}
		}
	}
	return out
}
