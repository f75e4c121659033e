package check

import (
	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// infer is asked once for the types and shapes of all values.
func (s *subject) infer() (*shape.Result, error) {
	if s.Shapes != nil {
		return s.Shapes, nil
	}
	return shape.Infer(s.ctx, s.model, shape.Options{})
}

// inferNamed is asked once for the types and shapes with a symbol for every axis of an
// input. Where all have one or a number they are those of infer.
func (s *subject) inferNamed() (*shape.Result, error) {
	for _, v := range s.model.Graph().FeedInputs() {
		for _, d := range shape.FromFile(v.Type()).Dims {
			if d.IsUnknown() {
				return shape.Infer(s.ctx, s.model, shape.Options{NameAxes: true})
			}
		}
	}
	return s.shapes()
}

// inferred is what is known of the value that a name stands for in a place; the zero
// Value where nothing is.
func (s *subject) inferred(p *graphops.Place, name string) shape.Value {
	types, err := s.shapes()
	if v, ok := p.Graph.Index().Value(name); ok && name != "" && err == nil {
		return types.Value(p, v)
	}
	return shape.Value{}
}

// sizes are those of an input of a node, nil where the rank is not known.
func (s *subject) sizes(n site, input int) []dim.Dim {
	if input >= len(n.Inputs()) {
		return nil
	}
	return s.inferred(n.place, n.Inputs()[input]).Dims
}

// withoutShape is a type as checks of types compare it.
func withoutShape(t shape.Type) graphops.Type {
	out := graphops.Type{Kind: t.Kind, Elem: t.Elem}
	if t.Of != nil {
		of := withoutShape(*t.Of)
		out.Of = &of
	}
	return out
}
