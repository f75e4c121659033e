package check

import (
	"lathe/graphops"
	"lathe/graphops/aside"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// infer returns the types and shapes of all values. It is called once.
func (s *subject) infer() (*shape.Result, error) {
	if s.Shapes != nil {
		return s.Shapes, nil
	}
	return shape.Infer(s.ctx, s.model, shape.Options{})
}

// manyNodes is the number of nodes from which on types are inferred on another core, while the first
// rules run.
const manyNodes = 20_000

// inferAside starts the inference of types, which most rules wait for.
func (s *subject) inferAside() { s.shapes = aside.Start(s.infer) }

// inferNamed returns the types and shapes with a symbol for every axis of an input. It is called
// once. If all axes have a symbol or a number, the result is that of infer.
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

// inferred returns what is known of the value with a name in a place; the zero Value if nothing
// is known.
func (s *subject) inferred(p *graphops.Place, name string) shape.Value {
	types, err := s.shapes()
	if v, ok := p.Graph.Index().Value(name); ok && name != "" && err == nil {
		return types.Value(p, v)
	}
	return shape.Value{}
}

// inferredInput returns what is known of a node's input; the zero Value if nothing is known.
func (s *subject) inferredInput(n site, input int) shape.Value {
	return s.inferredAt(n.place, n.place.Graph.Index().Inputs(n.index)[input])
}

// inferredAt returns what is known of a value of a place; the zero Value if nothing is known, or for -1.
func (s *subject) inferredAt(p *graphops.Place, v graphops.ValueID) shape.Value {
	types, err := s.shapes()
	if v < 0 || err != nil {
		return shape.Value{}
	}
	return types.Value(p, v)
}

// sizes returns the sizes of a node's input, nil if the rank is unknown.
func (s *subject) sizes(n site, input int) []dim.Dim {
	if input >= len(n.Inputs()) {
		return nil
	}
	return s.inferredInput(n, input).Dims
}

// withoutShape returns a type in the form in which checks of types compare it.
func withoutShape(t shape.Type) graphops.Type {
	out := graphops.Type{Kind: t.Kind, Elem: t.Elem}
	if t.Of != nil {
		of := withoutShape(*t.Of)
		out.Of = &of
	}
	return out
}
