package bounds

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// shapes infers the shapes of all values of a model for the given sizes of its inputs. The
// inference runs when a shape is needed for the first time.
type shapes struct {
	model    *graphops.Model
	fed      Inputs
	places   map[*graphops.Graph]*graphops.Place // places in the inferred model, by graph of model
	inferred *shape.Result
	symbols  map[string]int64
}

// of returns the shape of a value. Sizes that are not known are -1. The result is nil if the rank
// is not known.
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
	// If inference fails, for example because the model is too large, all shapes are unknown.
	s.inferred, _ = shape.Infer(context.Background(), sized, shape.Options{})
}

// size replaces the shapes of the inputs by the given sizes. It reports whether that changed any
// input.
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

// dim returns the size of an axis of a value. A negative axis counts from the end.
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

// shape returns the shape of the value that a name refers to in a frame.
func (t *tracer) shape(f *frame, name string) graphops.Shape {
	at, v, ok := f.origin(name)
	if !ok {
		return nil
	}
	return t.shapes.of(at.graph, v)
}

// symbolsOf returns the sizes of the symbols in the shapes of the inputs.
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
